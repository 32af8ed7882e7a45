import Glibc
import Keyutils

/// How full the user's share of keys is, and that of the session's owner where it is another user: adding to a keyring
/// is charged to the keyring's owner, too.
///
/// Root's share is larger, and what a persistent keyring links is charged to its user like everything else.
extension Finding {
    private static let warningPercent = 80

    static func quota(sessionOwner: UInt32?) -> Finding {
        var users = [geteuid()]
        if let sessionOwner, sessionOwner != users[0] { users.append(sessionOwner) }
        let quotas = users.map { user in
            (user, Result { () throws(KeyringError) in try KeyQuota.current(ofUser: user) })
        }
        let facts = JSONValue.array(quotas.map(fact))
        let text = quotas.map(describe).joined(separator: "; ")
        let fullest = quotas.compactMap { try? $0.1.get() }.max { $0.percentUsed < $1.percentUsed }
        guard let fullest else {
            let isHidden = quotas.contains {
                if case .failure(let error) = $0.1 { error.code != .notFound } else { false }
            }
            return isHidden ? .warning("quota", text, hint: .mountProc, facts) : .ok("quota", text, facts)
        }
        switch fullest.percentUsed {
        case 100...: return .problem("quota", "full: \(text)", hint: .moreQuota(fullest), facts)
        case (warningPercent + 1)...:
            return .warning("quota", "over \(warningPercent) % full: \(text)", hint: .moreQuota(fullest), facts)
        default: return .ok("quota", text, facts)
        }
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
    /// Of keys or of bytes, whichever is nearer to its limit; rounded up, so that 80 means at most 80.
    fileprivate var percentUsed: Int {
        func percent(_ used: Int, _ limit: Int) -> Int { limit > 0 ? (used * 100 + limit - 1) / limit : 100 }
        return max(percent(keys, maximumKeys), percent(bytes, maximumBytes))
    }
}
