import Glibc

exit(Skr.main(arguments: .all()))
