extension KeyringError.Code {
    /// The problem, in a few words.
    var summary: String {
        switch self {
        case .notFound: "no such key"
        case .expired: "the key has expired"
        case .revoked: "the key or its keyring was revoked"
        case .rejected: "the key was rejected"
        case .accessDenied: "permission denied by the key"
        case .notPermitted: "operation not permitted"
        case .quotaExceeded: "key quota exceeded"
        case .alreadyExists: "a key with that name already exists"
        case .notLinked: "the keyring does not hold that key"
        case .invalidArgument: "invalid argument"
        case .tooLarge: "payload too large"
        case .unsupported: "not supported by this kernel"
        case .unavailable: "no kernel key facility"
        case .notKeyring: "not a keyring"
        case .keyringFull: "the keyring is full"
        case .keyringCycle: "keyrings would form a cycle or nest too deep"
        case .malformedPayload: "malformed payload"
        case .outOfMemory: "out of kernel memory"
        case .other: "unexpected system error"
        }
    }
}
