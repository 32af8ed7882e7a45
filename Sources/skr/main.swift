import Glibc

exit(Skr.main(arguments: StartWords.all()))
