import Keyutils

extension SecretStoreError {
    /// Whether the secret is too large only for the user's quota, which an administrator can raise.
    package var isLimitOfQuota: Bool {
        // A key with a short name holds nearly as much as the largest one.
        if case .tooLarge(_, let limit) = code { limit < Key.largestUserPayload - 4_096 } else { false }
    }

    /// A short description of the failure, with the quota's usage if the error has it.
    package var summary: String {
        // Only an update's lease has an item, and that lease keeps a late write from taking effect.
        if code == .leaseLost, item != nil { return "the update took too long, and nothing was written" }
        if let detail { return detail.summary }
        guard let quota else { return code.summary }
        return "\(code.summary): \(quota.keys) of \(quota.maximumKeys) keys, "
            + "\(quota.bytes) of \(quota.maximumBytes) bytes in use"
    }
}

extension SecretStoreError.Code {
    /// A short description of the failure.
    package var summary: String {
        switch self {
        case .notFound: "no such item, or it has expired"
        case .duplicate: "the item already exists"
        case .invalidName: "the name is empty or too long"
        case .invalidTimeout: "a timeout must be more than 0 and at most 4294967295 seconds"
        case .tooLarge(let size, let limit): "the secret has \(size) bytes; the limit is \(limit)"
        case .quotaExceeded: "the user's key quota is full"
        case .sessionRevoked: "this login session has ended and its keyring was revoked"
        case .unavailable: "no usable kernel keyring"
        case .forbidden: "this process has no access to the keyring"
        case .foreignSession(let ownerID): "the session belongs to user \(ownerID), who could read what is stored in it"
        case .ambiguous(let accounts): "several accounts: \(accounts.joined(separator: ", "))"
        case .undecodable(let path): "the secret is not of the requested type, at \(path)"
        case .unencodable(let path): "the value can't be encoded, at \(path)"
        case .contended: "other processes kept changing the item"
        case .leaseHeld: "another holder has the lease"
        case .leaseLost: "the lease was lost, so another holder may have worked at the same time"
        case .fetchTimedOut: "the fetch took longer than its limit"
        case .fetchFailed: "a fetch failed a short time ago"
        case .unexpected: "unexpected keyring error"
        }
    }
}

extension SecretStoreError.Detail {
    /// A short description of the reason.
    package var summary: String {
        switch self {
        case .foreignThread:
            "this thread can't use the keyring: a process keyring is for threads created after it, "
                + "a thread keyring only for its own thread"
        case .restricted(let serial): "keyring \(serial) is restricted: no key can be added to it"
        case .unreadableAfterWrite: "the written data could not be read back"
        case .leaseDuration: "a lease must last at least 10 milliseconds and at most one hour"
        case .refreshTime: "the refresh time is not within the value's lifetime"
        case .missingValue: "there is no value to store"
        case .unsealed: "the value can't be sealed"
        case .unopened: "the stored bytes can't be opened"
        case .unsupported: "this kernel doesn't support the operation"
        case .noThread: "this process can't start a thread"
        case .blocked: code.summary
        case .source(let reason, _): reason
        case .insideUpdate: "the closure of an update wrote the item that it updates"
        case .insideFetch: "the closure of a fetch asked for the item that it fetches"
        case .heldLease(let name): "another holder has the lease '\(PercentCoding.encode(name))'"
        case .lostLease(let name):
            "the lease '\(PercentCoding.encode(name))' was lost, so another holder may have worked at the same time"
        case .fetchLimit: "a fetch can take between 10 milliseconds and one hour"
        case .invalidName(.empty, let subject): "\(subject.name) is empty"
        case .invalidName(.tooLong(let bytes, let limit), let subject):
            "\(subject.name) takes \(bytes) bytes; the limit is \(limit)"
        }
    }
}

extension SecretStoreError.Subject {
    fileprivate var name: String { self == .item ? "the name" : "the \(rawValue)'s name" }
}
