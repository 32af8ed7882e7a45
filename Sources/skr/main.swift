import CommandSupport
import Glibc

exit(Skr.main(arguments: .all(), name: CommandLineWords.programName))
