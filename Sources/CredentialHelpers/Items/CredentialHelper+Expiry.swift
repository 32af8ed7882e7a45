import SecretText
import SessionKeyring

/// The timeouts of items.
///
/// The kernel shows them only in `/proc/keys`, rounded down. Reading that file takes about 200 microseconds.
extension CredentialHelper {
    /// Returns the earliest time at which an item can end, in seconds since 1970.
    ///
    /// The result is `nil` if the item has no timeout, or the source can't tell. If the record has an expiry, the
    /// result is that expiry, and the method does not look at the timeout.
    ///
    /// If another process has replaced or deleted the item since it was read, the result is now, so that
    /// the client asks again.
    ///
    /// - Parameter record: the contents that were read from the item.
    func end(of item: ItemIdentity, holding record: CredentialRecord) throws(SecretStoreError) -> Int64? {
        if let end = record.expires { return end }
        let expiry = try items.attributes(of: item)?.expiry
        guard let current = try credential(item), current.secret.isEqual(to: record.secret) else { return now }
        guard case .after(let left) = expiry else { return nil }
        return now + left.atLeast.components.seconds
    }

    /// Gives an item the timeout of a secret that expires at this time, if it certainly has a longer one, or none.
    ///
    /// The client may have the time from ``end(of:holding:)``, which states it too early by less than the precision.
    func shorten(_ item: ItemIdentity, until end: Int64?) throws(SecretStoreError) {
        guard let new = timeout(until: end) else { return }
        switch try items.attributes(of: item)?.expiry {
        case .never: try items.expire(item, timeout: new)
        case .after(let left) where new < left.atLeast - (end == nil ? .zero : left.precision):
            try items.expire(item, timeout: new)
        default: break
        }
    }
}
