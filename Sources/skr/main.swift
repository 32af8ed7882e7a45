import Glibc

RuntimeStart.finish()
exit(Skr.main(arguments: StartWords.all()))
