import CProcess
import Glibc

finish_start()
exit(Skr.main(arguments: .all()))
