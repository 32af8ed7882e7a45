import Glibc

exit(Skr.main(arguments: CommandLineWords.all()))
