import CRuntimeStart
import Glibc

// The runtime's own list of words would need /proc.
exit(
    SecretsProgram.main(
        (0..<Int(start_count())).compactMap { unsafe start_words()[$0].map { unsafe String(cString: $0) } }))
