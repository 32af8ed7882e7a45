public import Keyutils

/// Why the store could not do what it was asked: a code to act on, the item, and the kernel's error where there is one.
///
/// No form of it shows a secret. Two are equal if code, item and the kernel's error number are: which system call failed, and
/// how full the quota was, don't count. New codes may come, so a `switch` over ``code-swift.property`` has a
/// `default`.
public struct SecretStoreError: Error, Hashable, Sendable {
    /// What went wrong, in terms that a caller can act on.
    public let code: Code
    /// The item that it was about, if it was about one.
    public let item: ItemIdentity?
    /// The keyring operation that failed, if one did.
    public var underlying: KeyringError? { circumstances.underlying }
    /// What the user has of keys and bytes and may have, where that is too little and the kernel tells.
    public var quota: KeyQuota? { circumstances.quota }
    /// The reason for the code, as far as only the texts and a debugger need it.
    package var detail: Detail? { circumstances.detail }
    private let circumstances: Circumstances

    /// An error with its circumstances; backends of your own make these.
    public init(
        _ code: Code, item: ItemIdentity? = nil, underlying: KeyringError? = nil, quota: KeyQuota? = nil
    ) {
        self.init(code, item: item, Circumstances(detail: nil, underlying: underlying, quota: quota))
    }

    /// An error whose texts say more than its code.
    package init(_ detail: Detail, item: ItemIdentity? = nil, underlying: KeyringError? = nil) {
        self.init(detail.code, item: item, Circumstances(detail: detail, underlying: underlying, quota: nil))
    }

    private init(_ code: Code, item: ItemIdentity?, _ circumstances: Circumstances) {
        self.code = code
        // A sentinel is the store's own affair.
        self.item = item.map { $0.isSentinel ? ItemIdentity($0.kind, service: $0.service, account: $0.account) : $0 }
        self.circumstances = circumstances
    }

    /// The description of a failure for its texts; equal if the kernel's error numbers are.
    private struct Circumstances: Hashable, Sendable {
        let detail: Detail?
        let underlying: KeyringError?
        let quota: KeyQuota?

        static func == (left: Self, right: Self) -> Bool { left.underlying?.errno == right.underlying?.errno }

        func hash(into hasher: inout Hasher) { hasher.combine(underlying?.errno) }
    }

    /// The owner of a name that is not usable.
    package enum Subject: String, Sendable {
        case item, namespace, lease
    }

    /// The exact reason, for a code with several.
    package enum Detail: Hashable, Sendable {
        /// The keyring belongs to other threads: a process's admits threads that were made after it, a thread's only that one.
        case foreignThread
        /// The keyring with this serial, the session's or one of the store's, is restricted: no key can be added to it.
        case restricted(KeySerial)
        /// Data can't be read back after a write: the keyring was replaced under the store, again and again.
        case unreadableAfterWrite
        /// A lease lasts at least 10 milliseconds and at most one hour.
        case leaseDuration
        /// An item is to be refreshed before the end of its timeout, and not at once.
        case refreshTime
        /// The value is `nil`, which can't be stored.
        case missingValue
        /// The closure of an `update` wrote the item that it updates. It returns the new value instead.
        case insideUpdate
        /// A name is empty or too long.
        case invalidName(ItemIdentity.NameProblem, of: Subject)
        /// Something was in the way of an attempt.
        case blocked(Blockage)

        var code: Code {
            switch self {
            case .foreignThread, .restricted: .forbidden
            case .unreadableAfterWrite, .insideUpdate: .unexpected
            case .blocked: .contended
            case .invalidName: .invalidName
            case .leaseDuration, .refreshTime: .invalidTimeout
            case .missingValue: .unencodable(at: "the top level")
            }
        }
    }
}

extension SecretStoreError {
    /// The kinds of failure; more may come.
    ///
    /// **Any call may throw** `forbidden`, `sessionRevoked`, `unavailable`, `contended` and `unexpected`, and
    /// one that names an item `invalidName`. **What stores, changes or takes a lease** may also throw `foreignSession`,
    /// `quotaExceeded`, and `notFound` where the scope's keyring is gone. What else a
    /// method throws, it says itself.
    @nonexhaustive
    public enum Code: Hashable, Sendable {
        /// There is no such item, or it has expired, or the keyring to store in is gone. Only operations that need one throw
        /// this; `get` returns `nil`.
        case notFound
        /// `add` found a live item of that identity.
        case duplicate
        /// A name is empty or too long.
        case invalidName
        /// A duration is out of range.
        ///
        /// Timeouts are positive and at most 4,294,967,295 seconds, leases last 10 milliseconds to one hour, and an item is
        /// refreshed before it expires.
        case invalidTimeout
        /// The secret has more bytes than a key of this kernel can hold.
        case tooLarge(size: Int, limit: Int)
        /// The user's share of keys or key bytes is full, and stayed full while the store waited. Nothing was lost.
        ///
        /// ``SecretStoreError/quota`` tells how full.
        case quotaExceeded
        /// The session has ended: its keyring was revoked, as happens to a `tmux` that outlives its login.
        case sessionRevoked
        /// There is no usable kernel keyring: the kernel lacks it, or a seccomp filter hides it.
        case unavailable
        /// The keyring or item belongs to somebody else, to other threads, or to a session that the calling thread is not in,
        /// or the keyring was restricted.
        case forbidden
        /// The session belongs to the user with this id, who could read what is stored in it. Nothing was stored.
        ///
        /// ``SecretScope/sharedSession`` says that this is meant.
        case foreignSession(ownerID: UInt32)
        /// A service or server was named alone, and has several accounts.
        case ambiguous(accounts: [String])
        /// The bytes are not what was asked for. The path leads to the part that is wrong; it never shows the bytes.
        case undecodable(at: String)
        /// The value can't be encoded. The path leads to the part that is wrong; it never shows the value.
        case unencodable(at: String)
        /// Other processes kept getting in the way for too long.
        case contended
        /// Somebody else held the lease all the time that the caller was willing to wait.
        case leaseHeld
        /// The caller lost a lease, so somebody else may have it.
        ///
        /// If an update throws it, nothing was written. The effects of a closure that ran under a lease are unknown.
        case leaseLost
        /// A fetch took longer than its limit, and was cancelled.
        case fetchTimedOut
        /// A fetch has failed a short time ago, and the caller asked not to try again so soon.
        case fetchFailed
        /// This kernel can't do it.
        case unsupported
        /// Anything else, such as a write of an item from within its `update`; look at ``SecretStoreError/underlying``.
        case unexpected
    }
}

extension SecretStoreError {
    /// An error of the kernel's, in the store's terms.
    package init(_ error: KeyringError, item: ItemIdentity? = nil) {
        if let serial = error.restrictedKeyring {
            self.init(.restricted(serial), item: item, underlying: error)
            return
        }
        let code: Code =
            switch error.code {
            case .accessDenied: .forbidden
            case .notPermitted, .unavailable: .unavailable
            case .quotaExceeded: .quotaExceeded
            case .notFound, .expired: .notFound
            case .revoked: .sessionRevoked
            case .unsupported: .unsupported
            default: .unexpected
            }
        let quota = code == .quotaExceeded ? try? KeyQuota.current() : nil
        self.init(code, item: item, underlying: error, quota: quota)
    }
}

extension SecretStoreError: CustomStringConvertible {
    /// One line: what went wrong and with which item; never the secret.
    public var description: String {
        let subject = item.map { "\($0.shortDescription): " } ?? ""
        let cause = underlying.map { " [\($0)]" } ?? ""
        return subject + summary + cause
    }

    /// What to do about it, in one line.
    public var hint: String {
        if let detail { return detail.hint }
        return switch code {
        case .ambiguous where item?.kind == .internet: "name the account too: get(server:account:)"
        default: code.hint
        }
    }
}
