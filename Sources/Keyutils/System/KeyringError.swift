import Glibc

/// An error of a keyring operation: a code to act on, the operation, and the system's error number.
///
/// Two errors are equal if their codes, error numbers and restricted keyrings are equal; the operation does not count.
/// A later version can add codes, so a `switch` over ``code-swift.property`` has a `default`.
public struct KeyringError: Error, Sendable {
    /// The kind of failure, in terms that a caller can act on.
    public let code: Code
    /// The call that failed.
    public let operation: Operation
    /// The kernel's `errno`, or 0 if this library refused the operation before calling the kernel.
    public let errno: CInt
    /// The keyring whose restriction refused the link, if that is the cause: see `Keyring.restrict(type:restriction:)`.
    public internal(set) var restrictedKeyring: KeySerial?

    /// Creates an error found before calling the kernel, by this library or by a backend that replaces it.
    public init(_ code: Code, in operation: Operation) {
        self.code = code
        self.operation = operation
        self.errno = 0
    }

    /// Creates the error that the kernel reported.
    public init(errno: CInt, in operation: Operation) {
        self.code = Code(errno: errno)
        self.operation = operation
        self.errno = errno
    }
}

extension KeyringError {
    /// The kinds of failure; later versions can add more.
    @nonexhaustive
    public enum Code: Hashable, Sendable, CaseIterable {
        /// No key has that serial or that name (`ENOKEY`).
        case notFound
        /// The key still exists, but its timeout has passed (`EKEYEXPIRED`).
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
        /// The kernel, or this library before it, does not accept an argument (`EINVAL`).
        case invalidArgument
        /// The payload has more bytes than this kind of key can hold.
        case tooLarge
        /// The kernel is too old for the operation, or built or configured without it.
        case unsupported
        /// The kernel has no key facility, or a filter hides it (`ENOSYS`).
        case unavailable
        /// The serial names a key where a keyring is needed (`ENOTDIR`).
        case notKeyring
        /// The keyring can hold no more links (`ENFILE`).
        case keyringFull
        /// The link would make a cycle of keyrings, or a chain that is too deep (`EDEADLK`, `ELOOP`).
        case keyringCycle
        /// The payload is not in the form that the key's type requires (`EBADMSG`).
        case malformedPayload
        /// The kernel is out of memory (`ENOMEM`).
        case outOfMemory
        /// Any other error; look at ``KeyringError/errno``.
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
    /// Returns whether both errors have the same cause; the operation does not count.
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
    /// One line: the operation, the problem, and the error number.
    public var description: String {
        let summary = restrictedKeyring.map { "keyring \($0) is restricted" } ?? code.summary
        guard errno != 0 else { return "\(operation.rawValue): \(summary)" }
        return "\(operation.rawValue): \(summary) (errno \(errno))"
    }
}
