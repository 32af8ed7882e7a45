import Keyutils

extension SecretStoreError {
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
        case .duplicate: "the item is already there"
        case .invalidName: "the name is empty or too long"
        case .invalidTimeout: "a timeout must be more than 0 and at most 4294967295 seconds"
        case .tooLarge(let size, let limit): "the secret has \(size) bytes; the limit is \(limit)"
        case .quotaExceeded: "the user's key quota is full"
        case .sessionRevoked: "this login session has ended and its keyring was revoked"
        case .unavailable: "no usable kernel keyring"
        case .forbidden: "the keyring does not admit this process"
        case .foreignSession(let ownerID): "the session belongs to user \(ownerID), who could read what is stored in it"
        case .ambiguous(let accounts): "several accounts: \(accounts.joined(separator: ", "))"
        case .undecodable(let path): "the secret is not in the form asked for, at \(path)"
        case .unencodable(let path): "the value can't be encoded, at \(path)"
        case .contended: "other processes kept changing the item"
        case .leaseHeld: "somebody else holds the lease"
        case .leaseLost: "the lease was lost; the effects of the work done under it are unknown"
        case .fetchTimedOut: "fetching it took longer than it may"
        case .fetchFailed: "it could not be fetched a short time ago"
        case .unsupported: "this kernel can't do it"
        case .unexpected: "unexpected keyring error"
        }
    }

    /// The steps that fix the problem.
    package var hint: String {
        switch self {
        case .notFound: "store it first, or look in another scope or namespace"
        case .duplicate: "use set to replace it"
        case .invalidName: "choose another name"
        case .invalidTimeout: "pass more than nothing and at most 4,294,967,295 seconds, or none at all"
        case .tooLarge: "store a reference to it, or split it"
        case .quotaExceeded:
            "delete items you no longer need, or have root raise /proc/sys/kernel/keys/maxkeys and maxbytes"
        case .sessionRevoked: "log in again, or join a new session keyring"
        case .unavailable:
            "use a kernel with CONFIG_KEYS, and allow add_key and keyctl in the container's seccomp profile"
        case .forbidden: "run it in the session that stored the secret, or use the user scope"
        case .foreignSession:
            "join a session keyring of your own, use the user scope, or share this one: SecretScope.sharedSession"
        case .ambiguous: "name the account too"
        case .undecodable: "ask for the type that was stored"
        case .unencodable: "store a value that the codec can write"
        case .contended: "try again"
        case .leaseHeld: "try again, or wait longer"
        case .leaseLost: "take a longer lease, or do less while holding it"
        case .fetchTimedOut: "try again, or give the fetch a longer limit"
        case .fetchFailed: "try again later; the process that fetched it knows why"
        case .unsupported: "use a kernel that is built with this feature"
        case .unexpected: "see the error number in errno(3)"
        }
    }
}

extension SecretStoreError.Detail {
    /// A short description of the reason.
    package var summary: String {
        switch self {
        case .foreignThread:
            "a process's keyring admits only threads that were made after it, a thread's only that thread: not this one"
        case .restricted(let serial): "keyring \(serial) is restricted: no key can be added to it"
        case .unreadableAfterWrite: "what was written could not be read back"
        case .leaseDuration: "a lease lasts at least 10 milliseconds and at most one hour"
        case .refreshTime: "the time to refresh is not within the timeout"
        case .missingValue: "there is no value to store"
        case .blocked: code.summary
        case .insideUpdate: "the closure of an update wrote the item that it updates"
        case .invalidName(.empty, let subject): "\(subject.name) is empty"
        case .invalidName(.tooLong(let bytes, let limit), let subject):
            "\(subject.name) takes \(bytes) bytes; the limit is \(limit)"
        }
    }

    /// The steps that fix the problem.
    package var hint: String {
        switch self {
        case .foreignThread: "make the store before the threads that use it, or use another scope"
        case .restricted: "join a session keyring of your own, or use another scope"
        case .unreadableAfterWrite: "look for what removes the keyring"
        case .leaseDuration: "pass at least 10 milliseconds and at most an hour; renew a lease that has to last longer"
        case .refreshTime: "refresh later than at once, and before its end"
        case .missingValue: "unwrap the optional first, or delete the item"
        case .blocked: code.hint
        case .insideUpdate: "return the new value from the closure, or nil to delete the item"
        case .invalidName(.empty, .item): "name the service"
        case .invalidName(.empty, let subject): "name the \(subject.rawValue)"
        case .invalidName(.tooLong, .item): "choose a shorter name"
        case .invalidName(.tooLong, let subject): "choose a shorter \(subject.rawValue)"
        }
    }
}

extension SecretStoreError.Subject {
    fileprivate var name: String { self == .item ? "the name" : "the \(rawValue)'s name" }
}
