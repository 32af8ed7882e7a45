public import Keyutils

/// The place where a store keeps its items.
///
/// The library's own backend is the kernel keyring. The in-memory backend of `SessionKeyringTesting` is for tests,
/// and its conformance suite checks everything that a backend must do. Your own backend can wrap another one, such
/// as ``SecretStore/backend``.
///
/// **A backend never waits.** If something blocks an operation, the operation throws ``SecretStoreError`` with
/// `contended` or `quotaExceeded`. The store then waits, by sleeping or by suspending its task, and calls the operation
/// again with the same ``BackendAttempt``. Any thread can call any operation at any time.
///
/// The store checks identities before it passes them on. Some identities name hidden items that the store keeps next to
/// an item. A backend treats them like all other items, with one exception: its lists contain only items whose
/// ``ItemIdentity/keyDescription`` can be read back by ``ItemIdentity/init(keyDescription:)``.
public protocol SecretBackend: Sendable {
    /// Lends an item's bytes to `body`, once.
    ///
    /// - Returns: false, without calling `body`, if the item is absent or has expired.
    func read(_ item: ItemIdentity, _ body: (RawSpan) -> Void) throws(SecretStoreError) -> Bool

    /// Stores the item in one step, complete with its timeout, replacing any existing one.
    ///
    /// - Throws: ``SecretStoreError`` with `tooLarge`, or with any other reason why the backend can't store it; the old
    ///   item is then unchanged.
    func set(
        _ bytes: RawSpan, for item: ItemIdentity, timeout: KeyTimeout?, _ attempt: inout BackendAttempt
    ) throws(SecretStoreError)

    /// Stores the item in one step, complete with its timeout, unless a live one exists.
    ///
    /// - Throws: ``SecretStoreError`` with `duplicate` if a live item exists, or as `set`.
    func add(
        _ bytes: RawSpan, for item: ItemIdentity, timeout: KeyTimeout?, _ attempt: inout BackendAttempt
    ) throws(SecretStoreError)

    /// Sets a new timeout for the item, counted from now.
    ///
    /// With `nil`, the item loses its timeout and lives as long as its scope.
    ///
    /// - Returns: false if the item is absent.
    /// - Throws: ``SecretStoreError`` with `unsupported` if `timeout` is `nil` and the backend can't remove a timeout.
    func expire(
        _ item: ItemIdentity, timeout: KeyTimeout?, _ attempt: inout BackendAttempt
    ) throws(SecretStoreError) -> Bool

    /// Whether a live item exists.
    func contains(_ item: ItemIdentity) throws(SecretStoreError) -> Bool

    /// Deletes the item.
    ///
    /// - Returns: false if the item is absent.
    func delete(_ item: ItemIdentity, _ attempt: inout BackendAttempt) throws(SecretStoreError) -> Bool

    /// Deletes all items.
    func clear() throws(SecretStoreError)

    /// Lists the live items, in no particular order.
    func identities() throws(SecretStoreError) -> [ItemIdentity]

    /// Lists the live items with their attributes, in no particular order.
    func attributes() throws(SecretStoreError) -> [ItemAttributes]

    /// Reads the attributes of one item, which can be a hidden one.
    ///
    /// - Returns: `nil` if the item is absent or has expired.
    func attributes(of item: ItemIdentity) throws(SecretStoreError) -> ItemAttributes?

    /// Takes the right to change the item, for at most `duration`.
    ///
    /// Until the right is released, all other writers of the item wait.
    ///
    /// - Throws: ``SecretStoreError`` with `contended` if another writer has the right.
    func beginUpdate(
        of item: ItemIdentity, lasting duration: Duration, _ attempt: inout BackendAttempt
    ) throws(SecretStoreError) -> any ItemUpdate

    /// Begins to watch an item that is being fetched.
    ///
    /// - Returns: `nil`, as a last resort, if the quota has no room for the watch; the value is then not stored.
    func beginFetch(
        of item: ItemIdentity, _ attempt: inout BackendAttempt
    ) throws(SecretStoreError) -> (any ItemFetch)?

    /// Takes the lease with that name: a lock between processes (``Lease``).
    ///
    /// Names of leases and names of items are independent of each other.
    ///
    /// - Throws: ``SecretStoreError`` with `contended` if another holder has the lease.
    func takeLease(
        _ name: String, lasting duration: Duration, _ attempt: inout BackendAttempt
    ) throws(SecretStoreError) -> any LeaseHandle

    /// Whether the lease with that name is held.
    func isLeaseHeld(_ name: String) throws(SecretStoreError) -> Bool

    /// Reports on the holder of the lease with that name.
    ///
    /// The default implementation returns `nil`.
    ///
    /// - Returns: `nil` if the lease is not held, or if the backend doesn't know its holder.
    func leaseReport(_ name: String) -> LeaseReport?

    /// The place where the items are kept: two stores in this process with the same place share their fetches.
    ///
    /// With `nil`, which is the default, only calls with this same backend share fetches.
    ///
    /// A backend that wraps another one can return the other's place, unless it changes the bytes: callers of one store
    /// get the values that the other store has fetched.
    var fetchPlace: FetchPlace? { get }
}

extension SecretBackend {
    /// Returns `nil`: the holder is unknown.
    public func leaseReport(_ name: String) -> LeaseReport? { nil }
    /// `nil`: only calls with this same backend share fetches.
    public var fetchPlace: FetchPlace? { nil }
}
