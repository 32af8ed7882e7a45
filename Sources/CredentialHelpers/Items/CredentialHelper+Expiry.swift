import SecretText
import SessionKeyring

/// The timeouts of items.
///
/// The kernel shows them only in `/proc/keys`, rounded down. Reading that file takes about 200 microseconds.
extension CredentialHelper {
    /// Returns the earliest time at which an item can end, in seconds since 1970.
    ///
    /// The result is `nil` if the item has no timeout, or the source can't tell. If the record has an expiry, the
    /// result is that expiry, and the method looks at the timeout only if the record also has a refresh token.
    ///
    /// If another process has replaced or deleted the item since it was read, the result is now, so that
    /// the client asks again.
    ///
    /// - Parameter record: the contents that were read from the item.
    func end(of item: ItemIdentity, holding record: CredentialRecord) throws(SecretStoreError) -> Int64? {
        if let end = record.expires, record.refreshToken == nil { return end }
        let expiry = try items.attributes(of: item)?.expiry
        guard let current = try credential(item), current.secret.isEqual(to: record.secret) else { return now }
        guard case .after(let left) = expiry else { return record.expires }
        return min(now + left.atLeast.components.seconds, record.expires ?? .max)
    }

    /// Gives an item without a timeout that of a secret that expires at this time, and any item the helper's timeout if
    /// that is certainly shorter.
    ///
    /// For an item with a timeout, the client can have the time from ``end(of:holding:)``, which states it too early.
    func shorten(_ item: ItemIdentity, until end: Int64?) throws(SecretStoreError) {
        guard let new = timeout(until: end) else { return }
        switch try items.attributes(of: item)?.expiry {
        case .never: try items.expire(item, timeout: new)
        case .after(let left): if let timeout, timeout < left.atLeast { try items.expire(item, timeout: timeout) }
        default: break
        }
    }
}
