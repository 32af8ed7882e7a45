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

    /// The hint: what a caller can do about the error.
    var hint: String {
        switch self {
        case .notFound: "add the key first, or look in another keyring"
        case .expired: "store the secret again, with a longer timeout if it should live longer"
        case .revoked: "log in again, or join your own session keyring"
        case .rejected: "find out why the program that creates the key refused it, or check the key and its signature"
        case .accessDenied: "use the session that created the key, or link its keyring into your own first"
        case .notPermitted:
            "allow add_key, request_key and keyctl in the seccomp profile, or run with the required capability"
        case .quotaExceeded: "remove keys you no longer need, or raise /proc/sys/kernel/keys/maxkeys and maxbytes"
        case .alreadyExists: "replace the key instead of creating it, or choose another name"
        case .notLinked: "nothing to remove; look at the keyring's members"
        case .invalidArgument: "check the arguments against the limits in the documentation"
        case .tooLarge: "store less: a user key holds 32767 bytes, a big_key 1048575"
        case .unsupported: "use a kernel that is built with this feature"
        case .unavailable: "use a kernel with CONFIG_KEYS, and a container profile that allows keyctl"
        case .notKeyring: "pass the serial of a keyring"
        case .keyringFull: "spread the keys over more keyrings"
        case .keyringCycle: "link the keyrings as a tree of at most six levels"
        case .malformedPayload: "pass the payload in the form that the key's type requires"
        case .outOfMemory: "free memory and try again"
        case .other: "look up the error number in errno(3)"
        }
    }
}
