import Glibc
public import Keyutils

/// An error of the store: a code to act on, the item, and the kernel's error if there was one.
///
/// No text of the error shows a secret. Two errors are equal if their codes, their items and the kernel's error numbers
/// are equal; the failed system call and the quota's usage don't count. Later versions can add codes, so a `switch`
/// over ``code-swift.property`` needs a `default`.
public struct SecretStoreError: Error, Hashable, Sendable {
    /// The kind of failure, in terms that a caller can act on.
    public let code: Code
    /// The item that the operation was about, if it was about one.
    public let item: ItemIdentity?
    /// The keyring operation that failed, if one did.
    public var underlying: KeyringError? { circumstances.underlying }
    /// The user's key quota and its usage, if the quota was exceeded and the kernel reports it.
    package var quota: KeyQuota? { circumstances.quota }
    /// The exact reason for the code, for the error's texts and for debugging only.
    package var detail: Detail? { circumstances.detail }
    private let circumstances: Circumstances

    /// Creates an error, for example to throw it from a fake in a test.
    public init(_ code: Code, item: ItemIdentity? = nil, underlying: KeyringError? = nil) {
        self.init(code, item: item, underlying: underlying, quota: nil)
    }

    /// Creates an error that also knows the usage of the quota.
    package init(_ code: Code, item: ItemIdentity?, underlying: KeyringError?, quota: KeyQuota?) {
        self.init(code, item: item, Circumstances(detail: nil, underlying: underlying, quota: quota))
    }

    /// Creates an error whose texts are more exact than its code.
    package init(_ detail: Detail, item: ItemIdentity? = nil, underlying: KeyringError? = nil) {
        self.init(detail.code, item: item, Circumstances(detail: detail, underlying: underlying, quota: nil))
    }

    private init(_ code: Code, item: ItemIdentity?, _ circumstances: Circumstances) {
        self.code = code
        // Hidden items are internal to the store, so the error names the item that they belong to.
        self.item = item.map { $0.isHidden ? ItemIdentity($0.kind, service: $0.service, account: $0.account) : $0 }
        self.circumstances = circumstances
    }

    /// The details of a failure, for its texts; equal if the kernel's error numbers are.
    private struct Circumstances: Hashable, Sendable {
        let detail: Detail?
        let underlying: KeyringError?
        let quota: KeyQuota?

        static func == (left: Self, right: Self) -> Bool { left.underlying?.errno == right.underlying?.errno }

        func hash(into hasher: inout Hasher) { hasher.combine(underlying?.errno) }
    }

    /// The kind of thing that has an unusable name.
    package enum Subject: String, Sendable {
        case item, namespace, lease
    }

    /// The exact reason, for a code with several.
    package enum Detail: Hashable, Sendable {
        /// The keyring belongs to other threads.
        ///
        /// A process keyring admits only threads that were created after it. A thread keyring admits only its thread.
        case foreignThread
        /// The keyring with this serial is restricted, so no key can be added to it.
        ///
        /// It is the session's keyring or one of the store's keyrings.
        case restricted(KeySerial)
        /// Data can't be read back after a write, because the keyring was replaced again and again.
        case unreadableAfterWrite
        /// The lease's duration is not between 10 milliseconds and one hour.
        case leaseDuration
        /// The time to refresh the value is not positive, or not before the end of its timeout and usability.
        case refreshTime
        /// The value is `nil`, which can't be stored.
        case missingValue
        /// The closure of an `update` wrote the item that it updates.
        ///
        /// The closure must return the new value instead.
        case insideUpdate
        /// The closure of a fetch asked for the item that it fetches.
        case insideFetch
        /// Another holder kept the lease with this name.
        case heldLease(String)
        /// The caller lost the lease with this name.
        case lostLease(String)
        /// A fetch's limit is not between 10 milliseconds and one hour.
        case fetchLimit
        /// A name is empty or too long.
        case invalidName(ItemIdentity.NameProblem, of: Subject)
        /// The process can't start a thread (`EAGAIN`).
        case noThread
        /// The kernel or the backend does not support the operation.
        case unsupported
        /// The value can't be sealed by the store's ``SecretSealing``.
        case unsealed
        /// The stored bytes can't be opened by the store's ``SecretSealing``.
        case unopened
        /// The item's source, outside of the store, has failed.
        case source(reason: String, hint: String?)
        /// The attempt was blocked, for this reason.
        case blocked(Blockage)

        var code: Code {
            switch self {
            case .foreignThread, .restricted: .forbidden
            case .unreadableAfterWrite, .insideUpdate, .insideFetch: .unexpected
            case .blocked, .noThread: .contended
            case .heldLease: .leaseHeld
            case .lostLease: .leaseLost
            case .invalidName: .invalidName
            case .unsupported: .unavailable
            case .unopened: .undecodable(at: "the sealed bytes")
            case .source: .fetchFailed
            case .leaseDuration, .fetchLimit, .refreshTime: .invalidTimeout
            case .missingValue, .unsealed: .unencodable(at: "the top level")
            }
        }
    }
}

extension SecretStoreError {
    /// The kinds of failure; later versions can add more.
    ///
    /// **Any call can throw** `forbidden`, `sessionRevoked`, `unavailable`, `contended` and `unexpected`. A call that
    /// names an item can also throw `invalidName`. **A call that stores something, changes something or takes a lease**
    /// can also throw `foreignSession`, `quotaExceeded`, and `notFound` if the scope's keyring no longer exists. Each
    /// method documents the other errors that it throws.
    @nonexhaustive
    public enum Code: Hashable, Sendable {
        /// The item does not exist or has expired, or the keyring to store in no longer exists.
        ///
        /// Only operations that need the item or the keyring throw this; `get` returns `nil`.
        case notFound
        /// `add` found a live item with that identity.
        case duplicate
        /// A name is empty or too long.
        case invalidName
        /// A duration is out of range.
        ///
        /// A timeout is positive and at most 4,294,967,295 seconds. A lease, an update and a fetch take from
        /// 10 milliseconds to one hour. A `refreshAfter` is positive, and before the end of the value.
        case invalidTimeout
        /// The secret has more bytes than a key of this kernel can hold.
        case tooLarge(size: Int, limit: Int)
        /// The user's quota of keys or key bytes is full, and stayed full while the store waited.
        ///
        /// Nothing was lost: an existing item stays. The error's description shows the usage. Deleting items or
        /// giving them timeouts makes room; expired items count until the kernel or the next write removes them. Root can
        /// raise the limits (`kernel.keys.maxkeys`, `kernel.keys.maxbytes`).
        case quotaExceeded
        /// The session has ended and its keyring was revoked, as happens to a `tmux` that outlives its login.
        case sessionRevoked
        /// The kernel keyring or an operation can't be used: the kernel lacks it, or a seccomp filter hides it.
        case unavailable
        /// The calling thread has no access to the keyring or the item.
        ///
        /// The keyring or the item belongs to another user, to other threads, or to a session that the calling thread
        /// is not in, or the keyring was restricted.
        case forbidden
        /// The session belongs to another user, who could read the secrets stored in it.
        ///
        /// Nothing was stored. `ownerID` is that user's id. To store there on purpose,
        /// use ``SecretScope/sharedSession``.
        case foreignSession(ownerID: UInt32)
        /// The caller named only a service or server, and it has several accounts.
        case ambiguous(accounts: [String])
        /// The bytes can't be decoded as the requested type.
        ///
        /// The path leads to the part that is wrong; it never shows the bytes.
        case undecodable(at: String)
        /// The value can't be encoded.
        ///
        /// The path leads to the part that is wrong; it never shows the value.
        case unencodable(at: String)
        /// Others blocked the operation for too long, or the process can't start a thread.
        case contended
        /// Another holder kept the lease for as long as the caller was willing to wait.
        case leaseHeld
        /// The caller lost a lease, so another holder might have it.
        ///
        /// If an update throws this, it has written nothing. If a closure ran under the lease, its effects are unknown.
        case leaseLost
        /// A fetch took longer than its limit. That of `value` is cancelled; that of `refreshedValue` continues.
        case fetchTimedOut
        /// A fetch of the item failed a short time ago (``FetchOptions``), so this call did not try.
        case fetchFailed
        /// Any other failure, such as writing an item inside its own `update`, or asking for it inside
        /// its own fetch; see ``SecretStoreError/underlying``.
        case unexpected
    }
}

extension SecretStoreError {
    /// Creates the error for an identity that can't name an item.
    init(_ problem: ItemIdentity.NameProblem, of item: ItemIdentity) {
        self.init(.invalidName(problem, of: .item), item: item)
    }

    /// Translates an error of the kernel into the store's terms.
    package init(_ error: KeyringError, item: ItemIdentity? = nil) {
        if let serial = error.restrictedKeyring {
            self.init(.restricted(serial), item: item, underlying: error)
            return
        }
        if error.code == .unsupported {
            self.init(.unsupported, item: item, underlying: error)
            return
        }
        if error.operation == .resolve, error.errno == EAGAIN {
            self.init(.noThread, item: item)
            return
        }
        let code: Code =
            switch error.code {
            case .accessDenied: .forbidden
            case .notPermitted, .unavailable: .unavailable
            case .quotaExceeded: .quotaExceeded
            case .notFound, .expired: .notFound
            case .revoked: .sessionRevoked
            default: .unexpected
            }
        let quota = code == .quotaExceeded ? try? KeyQuota.current() : nil
        self.init(code, item: item, underlying: error, quota: quota)
    }
}

extension SecretStoreError: CustomStringConvertible {
    /// One line that describes the failure and names the item; never the secret.
    public var description: String {
        let subject = item.map { "\($0.shortDescription): " } ?? ""
        let cause = underlying.map { " [\($0)]" } ?? ""
        return subject + summary + cause
    }
}
