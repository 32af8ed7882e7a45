public import Keyutils

/// Where a store keeps its items.
///
/// The kernel's keyring is the one that the library brings; the in-memory one of `SessionKeyringTesting` serves tests. One of
/// your own may wrap another one's: ``SecretStore/backend``. What every backend must do is checked by the conformance suite
/// of `SessionKeyringTesting`.
///
/// Identities arrive checked. Some name what the store keeps for itself beside an item; those are items like all others but
/// for lists, which have only those whose ``ItemIdentity/keyDescription`` can be read back by
/// ``ItemIdentity/init(keyDescription:)``. All operations may be called from any thread at any time; those that wait keep
/// the thread.
public protocol SecretBackend: Sendable {
    /// The same backend, whose operations keep no thread while others are in their way: where they would wait, they throw
    /// ``SecretStoreError`` with `contended`, or with `quotaExceeded`, at once.
    ///
    /// - Parameter lastResorts: whether they do what costs others something where there is no room: they are asked to only
    ///   once room was waited for.
    func withoutWaiting(lastResorts: Bool) -> any SecretBackend

    /// Lends an item's bytes to `body`, once; false, without calling it, for an item that is absent or has expired.
    func read(_ item: ItemIdentity, _ body: (RawSpan) -> Void) throws(SecretStoreError) -> Bool

    /// Makes the item visible, complete with its timeout, in one step.
    ///
    /// - Throws: ``SecretStoreError`` with `duplicate` where `ifAbsent` is asked for and a live item is there; `tooLarge`,
    ///   or whatever else keeps the backend from storing it, with the old item untouched.
    func publish(
        _ bytes: RawSpan,
        for item: ItemIdentity,
        timeout: KeyTimeout?,
        ifAbsent: Bool
    ) throws(SecretStoreError)

    /// Gives the item a new timeout, counted from now, or none with `nil`: it then lives as long as its scope; false where
    /// there is no item.
    ///
    /// - Throws: ``SecretStoreError`` with `unsupported` for a `nil` that the backend can't do.
    func expire(_ item: ItemIdentity, timeout: KeyTimeout?) throws(SecretStoreError) -> Bool

    /// Whether a live item is there.
    func contains(_ item: ItemIdentity) throws(SecretStoreError) -> Bool

    /// Deletes the item; false where there was none.
    func delete(_ item: ItemIdentity) throws(SecretStoreError) -> Bool

    /// Deletes all items.
    func clear() throws(SecretStoreError)

    /// The live items, in no particular order.
    func identities() throws(SecretStoreError) -> [ItemIdentity]

    /// The live items with all that is known of them, in no particular order.
    func attributes() throws(SecretStoreError) -> [ItemAttributes]

    /// What is known of one item, be it hidden or not; `nil` for one that is absent or has expired.
    func attributes(of item: ItemIdentity) throws(SecretStoreError) -> ItemAttributes?

    /// Takes the right to change the item until it is given back, for so long at most; all other writers of that item wait.
    ///
    /// - Returns: `nil` where others had it all the time that `limit` allows.
    func beginUpdate(
        of item: ItemIdentity,
        lasting duration: Duration,
        waiting limit: Duration
    ) throws(SecretStoreError) -> (any ItemUpdate)?

    /// Begins to keep watch over an item that is being fetched.
    func beginFetch(of item: ItemIdentity) throws(SecretStoreError) -> any ItemFetch

    /// Takes the lease of that name, if nobody holds it.
    ///
    /// The names of leases and of items are apart.
    func tryLease(_ name: String, lasting duration: Duration) throws(SecretStoreError) -> (any LeaseHandle)?

    /// Whether somebody holds the lease of that name.
    func isLeaseHeld(_ name: String) throws(SecretStoreError) -> Bool

    /// The changes of the items from now on, whoever makes them.
    ///
    /// - Throws: ``SecretStoreError`` with `unsupported` where nobody tells of them.
    func changes() throws(SecretStoreError) -> SecretChanges
}
