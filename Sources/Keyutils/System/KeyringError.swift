import Glibc

/// Why a keyring operation failed: a code to act on, the operation, and the system's own error number.
///
/// Two are equal if code, number and restricted keyring are: which call failed does not count. New codes may come, so a
/// `switch` over ``code-swift.property`` has a `default`.
public struct KeyringError: Error, Sendable {
    /// What went wrong, in terms that a caller can act on.
    public let code: Code
    /// Which call failed.
    public let operation: Operation
    /// The `errno` behind it, or 0 where this library refused before calling the kernel.
    public let errno: CInt
    /// The keyring that takes no more links, or not this one, where that is why: see `Keyring.restrict(type:restriction:)`.
    public internal(set) var restrictedKeyring: KeySerial?

    /// An error found before the kernel was asked, by this library or by what stands in for a keyring.
    public init(_ code: Code, in operation: Operation) {
        self.code = code
        self.operation = operation
        self.errno = 0
    }

    /// The error that the kernel reported.
    public init(errno: CInt, in operation: Operation) {
        self.code = Code(errno: errno)
        self.operation = operation
        self.errno = errno
    }
}

extension KeyringError {
    /// The kinds of failure; more may come.
    @nonexhaustive
    public enum Code: Hashable, Sendable, CaseIterable {
        /// No key has that serial or that name (`ENOKEY`).
        case notFound
        /// The key is there but its timeout has passed (`EKEYEXPIRED`).
        case expired
        /// The key, or the keyring that was searched, was revoked or invalidated (`EKEYREVOKED`).
        case revoked
        /// The key was rejected by its instantiator, or its payload or signature by the kernel (`EKEYREJECTED`).
        case rejected
        /// The key's permissions don't allow it, often because the key is not possessed (`EACCES`).
        case accessDenied
        /// A policy forbids it: seccomp, a restricted keyring, or a missing capability (`EPERM`).
        case notPermitted
        /// The user's share of keys or of key bytes is used up (`EDQUOT`).
        case quotaExceeded
        /// The keyring already holds a key of that type and name (`EEXIST`).
        case alreadyExists
        /// The keyring does not hold that key (`ENOENT`).
        case notLinked
        /// An argument that the kernel, or this library before it, does not take (`EINVAL`).
        case invalidArgument
        /// More bytes than this kind of key can hold.
        case tooLarge
        /// The kernel is too old for the operation, or built or configured without it.
        case unsupported
        /// The kernel has no key facility, or a filter hides it (`ENOSYS`).
        case unavailable
        /// The serial names a key where a keyring is needed (`ENOTDIR`).
        case notKeyring
        /// The keyring can take no more links (`ENFILE`).
        case keyringFull
        /// The link would make a cycle of keyrings, or a chain that is too deep (`EDEADLK`, `ELOOP`).
        case keyringCycle
        /// The payload is not in the form that the key's type requires (`EBADMSG`).
        case malformedPayload
        /// The kernel is out of memory (`ENOMEM`).
        case outOfMemory
        /// Anything else; look at ``KeyringError/errno``.
        case other

        init(errno: CInt) {
            self =
                switch errno {
                case ENOKEY: .notFound
                case EKEYEXPIRED: .expired
                case EKEYREVOKED: .revoked
                case EKEYREJECTED: .rejected
                case EACCES: .accessDenied
                case EPERM: .notPermitted
                case EDQUOT: .quotaExceeded
                case EEXIST: .alreadyExists
                case ENOENT: .notLinked
                case EINVAL: .invalidArgument
                case EMSGSIZE, E2BIG: .tooLarge
                case EOPNOTSUPP, ENODEV, ENOPKG: .unsupported
                case ENOSYS: .unavailable
                case ENOTDIR: .notKeyring
                case ENFILE: .keyringFull
                case EDEADLK, ELOOP: .keyringCycle
                case EBADMSG: .malformedPayload
                case ENOMEM: .outOfMemory
                default: .other
                }
        }
    }
}

extension KeyringError: Hashable {
    /// Whether both give the same reason.
    public static func == (left: KeyringError, right: KeyringError) -> Bool {
        left.code == right.code && left.errno == right.errno && left.restrictedKeyring == right.restrictedKeyring
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
        hasher.combine(errno)
        hasher.combine(restrictedKeyring)
    }
}

extension KeyringError: CustomStringConvertible {
    /// One line: the operation, what went wrong, and the error number's name or text.
    public var description: String {
        let summary = restrictedKeyring.map { "keyring \($0) is restricted" } ?? code.summary
        guard errno != 0 else { return "\(operation.rawValue): \(summary)" }
        return "\(operation.rawValue): \(summary) (errno \(errno))"
    }

    /// What to do about it, in one line.
    public var hint: String {
        restrictedKeyring == nil ? code.hint : "use another keyring: a restriction can't be taken back"
    }
}
