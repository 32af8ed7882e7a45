import CRuntimeStart
import CommandSupport
import Glibc

// The runtime's own list of words would need /proc.
exit(OAuthProgram.main(unsafe CommandLineWords(count: Int(start_count()), pointers: start_words())))
