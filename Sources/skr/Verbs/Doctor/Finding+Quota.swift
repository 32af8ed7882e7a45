import Glibc
import Keyutils

/// The check of the key quota: how much of it is used.
///
/// It covers the user's quota, and also the quota of the session's owner if that is another user, because the kernel
/// charges additions to a keyring to the keyring's owner too. Root's quota is larger. The keys in a persistent keyring
/// are charged to its user like all other keys.
extension Finding {
    static func quota(sessionOwner: UInt32?) -> Finding {
        var users = [geteuid()]
        if let sessionOwner, sessionOwner != users[0] { users.append(sessionOwner) }
        let quotas = users.map { user in
            (user, Result { () throws(KeyringError) in try KeyQuota.current(ofUser: user) })
        }
        let facts = JSONValue.array(quotas.map(fact))
        let text = quotas.map(describe).joined(separator: "; ")
        let fullest = quotas.compactMap { try? $0.1.get() }.max { $0.usedPart < $1.usedPart }
        guard let fullest else {
            let isHidden = quotas.contains {
                if case .failure(let error) = $0.1 { error.code != .notFound } else { false }
            }
            return isHidden ? .warning("quota", text, hint: .mountProc, facts) : .ok("quota", text, facts)
        }
        let remedy =
            "the command below raises the limits until the machine restarts"
            + (fullest.isBelowPackage ? "; the package skr-quota keeps them raised" : "")
        if fullest.isFull { return .problem("quota", "full: \(text); \(remedy)", hint: .moreQuota(fullest), facts) }
        guard fullest.usedPart >= 0.7 else { return .ok("quota", text, facts) }
        return .warning("quota", "70 % or more is used: \(text); \(remedy)", hint: .moreQuota(fullest), facts)
    }

    private static func describe(_ user: UInt32, _ quota: Result<KeyQuota, KeyringError>) -> String {
        switch quota {
        case .success(let quota):
            "uid \(user) uses \(quota.keys) of \(quota.maximumKeys) keys, \(quota.bytes) of \(quota.maximumBytes) bytes"
        case .failure(let error) where error.code == .notFound: "uid \(user) has no keys"
        case .failure: "uid \(user) unknown: /proc/key-users can't be read"
        }
    }

    private static func fact(_ user: UInt32, _ quota: Result<KeyQuota, KeyringError>) -> JSONValue {
        let quota = try? quota.get()
        return .object([
            "uid": JSONValue(user), "keys": JSONValue(quota?.keys), "maximumKeys": JSONValue(quota?.maximumKeys),
            "bytes": JSONValue(quota?.bytes), "maximumBytes": JSONValue(quota?.maximumBytes),
        ])
    }
}

extension KeyQuota {
    /// Whether the rest is too small for another item.
    fileprivate var isFull: Bool { maximumKeys - keys < 2 || maximumBytes - bytes < 200 }

    /// The used part of the keys or of the bytes, whichever is nearer to its limit.
    fileprivate var usedPart: Double {
        func part(_ used: Int, _ limit: Int) -> Double { limit > 0 ? Double(used) / Double(limit) : 1 }
        return max(part(keys, maximumKeys), part(bytes, maximumBytes))
    }
}
