public import Keyutils

/// Where a store keeps its items.
///
/// The library's own backend is the kernel's keyring; the in-memory one of `SessionKeyringTesting` serves tests. Your own
/// backend may wrap another one: ``SecretStore/backend``. The conformance suite of `SessionKeyringTesting` checks what every
/// backend must do.
///
/// **A backend never waits.** If something is in the way of an operation, the operation throws ``SecretStoreError`` with
/// `contended`, or with `quotaExceeded`; the store waits, sleeping or suspending its task, and calls it again with the
/// same ``BackendAttempt``. All operations may be called from any thread at any time.
///
/// Identities arrive checked. Some name hidden items that the store keeps next to an item; those are items like all others,
/// except that lists have only items whose ``ItemIdentity/keyDescription`` can be read back by
/// ``ItemIdentity/init(keyDescription:)``.
public protocol SecretBackend: Sendable {
    /// Lends an item's bytes to `body`, once; false, without calling it, for an item that is absent or has expired.
    func read(_ item: ItemIdentity, _ body: (RawSpan) -> Void) throws(SecretStoreError) -> Bool

    /// Makes the item visible, complete with its timeout, in one step, replacing any existing one.
    ///
    /// - Throws: ``SecretStoreError`` with `tooLarge`, or any other reason why the backend can't store it, with the old item
    ///   unchanged.
    func set(
        _ bytes: RawSpan, for item: ItemIdentity, timeout: KeyTimeout?, _ attempt: inout BackendAttempt
    ) throws(SecretStoreError)

    /// Makes the item visible, complete with its timeout, in one step, unless a live one exists.
    ///
    /// - Throws: ``SecretStoreError`` with `duplicate` if there is a live item, or as `set` does.
    func add(
        _ bytes: RawSpan, for item: ItemIdentity, timeout: KeyTimeout?, _ attempt: inout BackendAttempt
    ) throws(SecretStoreError)

    /// Gives the item a new timeout, counted from now, or none with `nil`: it then lives as long as its scope; false for an
    /// absent item.
    ///
    /// - Throws: ``SecretStoreError`` with `unsupported` for a `nil` that the backend can't do.
    func expire(
        _ item: ItemIdentity, timeout: KeyTimeout?, _ attempt: inout BackendAttempt
    ) throws(SecretStoreError) -> Bool

    /// Whether there is a live item.
    func contains(_ item: ItemIdentity) throws(SecretStoreError) -> Bool

    /// Deletes the item; false for an absent one.
    func delete(_ item: ItemIdentity, _ attempt: inout BackendAttempt) throws(SecretStoreError) -> Bool

    /// Deletes all items.
    func clear() throws(SecretStoreError)

    /// The live items, in no particular order.
    func identities() throws(SecretStoreError) -> [ItemIdentity]

    /// The live items with their attributes, in no particular order.
    func attributes() throws(SecretStoreError) -> [ItemAttributes]

    /// The attributes of one item, hidden or not; `nil` for one that is absent or has expired.
    func attributes(of item: ItemIdentity) throws(SecretStoreError) -> ItemAttributes?

    /// Takes the right to change the item until it is released, for so long at most; all other writers of that item wait.
    ///
    /// - Throws: ``SecretStoreError`` with `contended` if others have it.
    func beginUpdate(
        of item: ItemIdentity, lasting duration: Duration, _ attempt: inout BackendAttempt
    ) throws(SecretStoreError) -> any ItemUpdate

    /// Begins to watch an item that is being fetched; `nil` as a last resort, if the quota is too full for that.
    func beginFetch(
        of item: ItemIdentity, _ attempt: inout BackendAttempt
    ) throws(SecretStoreError) -> (any ItemFetch)?

    /// Takes the lease of that name. Leases and items have separate names.
    ///
    /// - Throws: ``SecretStoreError`` with `contended` if somebody holds it.
    func takeLease(
        _ name: String, lasting duration: Duration, _ attempt: inout BackendAttempt
    ) throws(SecretStoreError) -> any LeaseHandle

    /// Whether somebody holds the lease of that name.
    func isLeaseHeld(_ name: String) throws(SecretStoreError) -> Bool

    /// A report about the holder of the lease of that name; `nil` if nobody holds it, or the backend doesn't know.
    ///
    /// The default knows nothing.
    func leaseReport(_ name: String) -> LeaseReport?

    /// The changes of the items from now on, by any process.
    ///
    /// - Throws: ``SecretStoreError`` with `unsupported` if the backend does not report changes.
    func changes(_ attempt: inout BackendAttempt) throws(SecretStoreError) -> SecretChanges

    /// Signals changes of items and leases from now on, so that waiting calls don't have to look again and again; `nil`, as
    /// by default, if the backend can't.
    func changeSignal() -> ChangeSignal?

    /// The place of the items, so that two stores in this process share fetches of the same item; `nil`, as by default, if only
    /// calls with this very backend share them.
    ///
    /// A backend that wraps another one may return the other's, unless it changes the bytes: what one store fetches is
    /// given to the callers of the other.
    var fetchPlace: FetchPlace? { get }
}

extension SecretBackend {
    /// Nothing.
    public func leaseReport(_ name: String) -> LeaseReport? { nil }
    /// No signal.
    public func changeSignal() -> ChangeSignal? { nil }
    /// No place.
    public var fetchPlace: FetchPlace? { nil }
}
