package import Keyutils

/// A fetch of an item, during which a backend watches the item.
///
/// One thread uses it at a time, except for ``renew()``. The watch ends with the last reference to this object.
package protocol ItemFetch: AnyObject, Sendable {
    /// Extends the watch, for a fetch that takes long.
    func renew()

    /// Returns whether nothing has happened to the item since the fetch began.
    ///
    /// - Parameter key: the key of the value that the caller has read since then; `nil` if there wasn't one.
    func isUntouched(_ key: Int32?) throws(SecretStoreError) -> Bool

    /// Makes one attempt to store the fetched value, unless the item was set, deleted or cleared since the fetch began.
    ///
    /// The value becomes visible in one step, complete with its timeout.
    ///
    /// - Parameter facts: the facts about the value, which are stored after it.
    /// - Throws: ``SecretStoreError`` with `leaseLost`, with nothing stored, if the caller should try again; or
    ///   as ``SecretBackend/set(_:for:timeout:_:_:after:)``.
    func store(
        _ bytes: RawSpan, timeout: KeyTimeout?, _ facts: ItemFacts?, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<FetchStorage>
}

/// The part of a fetched value that was stored.
package enum FetchStorage {
    /// Nothing: the item was set, deleted or cleared since the fetch began.
    case nothing
    /// The value, but not the facts about it, because the quota had no room for them or the lease was lost.
    case valueAlone
    case all
}
