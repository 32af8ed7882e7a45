import SecretText
import SessionKeyring

/// The timeouts of items, which the kernel shows rounded down, in `/proc/keys` only: a look takes about 200 microseconds.
extension CredentialHelper {
    /// When an item ends at the earliest, in seconds since 1970; `nil` if it has no timeout, or nobody can tell.
    ///
    /// If its record has an expiry, that one, without a look at the timeout.
    ///
    /// If another process replaced or deleted it meanwhile, the secret that was read ends now, so that the client asks again.
    ///
    /// - Parameter record: what was read from the item.
    func end(of item: ItemIdentity, holding record: CredentialRecord) throws(SecretStoreError) -> Int64? {
        if let end = record.expires { return end }
        let expiry = try items.attributes(of: item)?.expiry
        guard let current = try credential(item), current.secret.isEqual(to: record.secret) else { return now }
        guard case .after(let left) = expiry else { return nil }
        return now + left.atLeast.components.seconds
    }

    /// Gives an item this timeout if it has a longer one for certain, or none.
    func shorten(_ item: ItemIdentity, to new: Duration?) throws(SecretStoreError) {
        // Without a timeout in the helper's configuration, the item got the same end as before.
        guard timeout != nil, let new else { return }
        switch try items.attributes(of: item)?.expiry {
        case .never: try items.expire(item, timeout: new)
        case .after(let left) where new < left.atLeast: try items.expire(item, timeout: new)
        default: break
        }
    }
}
