package import Keyutils

/// The place where a store keeps its items: the kernel keyring or, for tests, this process's memory.
///
/// **A backend never waits.** Each change makes one attempt and returns an ``Outcome``: done, or blocked by others or
/// by a full quota. ``Wait`` then waits, by sleeping or by suspending its task, and makes another attempt. Any thread
/// can call any operation at any time.
///
/// The store checks identities before it passes them on. A backend itself keeps the facts about a value, and the watch
/// of a fetch. A remembered failure is stored like an item, but never listed: lists contain only items
/// whose ``ItemIdentity/keyDescription`` can be read back by ``ItemIdentity/init(keyDescription:)``.
package protocol SecretBackend: Sendable {
    /// Lends an item's bytes to `body`, once.
    ///
    /// - Returns: false, without calling `body`, if the item is absent or has expired.
    func read(_ item: ItemIdentity, _ body: (RawSpan) -> Void) throws(SecretStoreError) -> Bool

    /// Lends an item's bytes to `body`, once, and returns the facts about exactly these bytes.
    ///
    /// - Returns: `nil`, without calling `body`, if the item is absent or has expired.
    func readWithFacts(
        _ item: ItemIdentity, _ body: (RawSpan) -> Void
    ) throws(SecretStoreError) -> KnownValue?

    /// Stores the item in one step, complete with its timeout, replacing any existing one.
    ///
    /// - Parameters:
    ///   - facts: the facts about the value. If the quota has no room for them, the value is stored without.
    ///   - step: the step of an earlier attempt that others can see.
    /// - Throws: ``SecretStoreError`` with `tooLarge`, or with any other reason why the backend can't store it; the old
    ///   item is then unchanged.
    func set(
        _ bytes: RawSpan, for item: ItemIdentity, timeout: KeyTimeout?, _ facts: ItemFacts?, _ effort: Effort,
        after step: VisibleStep?
    ) throws(SecretStoreError) -> Outcome<Void>

    /// Stores the item in one step, complete with its timeout, unless a live one exists.
    ///
    /// - Throws: ``SecretStoreError`` with `duplicate` if a live item exists, or as `set`.
    func add(
        _ bytes: RawSpan, for item: ItemIdentity, timeout: KeyTimeout?, _ facts: ItemFacts?, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<Void>

    /// Changes the facts about the item's value, for example to mark it as refused.
    ///
    /// - Returns: false if the item has another value by now.
    func changeFacts(
        of item: ItemIdentity, _ value: KnownValue, _ effort: Effort, _ change: (inout ItemFacts) -> Void
    ) throws(SecretStoreError) -> Outcome<Bool>

    /// Sets a new timeout for the item and the facts about it, counted from now.
    ///
    /// With `nil`, the item loses its timeout and lives as long as its scope.
    ///
    /// - Returns: false if the item is absent.
    func expire(
        _ item: ItemIdentity, timeout: KeyTimeout?, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<Bool>

    /// Whether a live item exists.
    func contains(_ item: ItemIdentity) throws(SecretStoreError) -> Bool

    /// Deletes the item and the facts about it, and ends a fetch under way, also if there isn't an item.
    ///
    /// - Parameter step: the step of an earlier attempt that others can see.
    /// - Returns: false if the item is absent.
    func delete(
        _ item: ItemIdentity, _ effort: Effort, after step: VisibleStep?
    ) throws(SecretStoreError) -> Outcome<Bool>

    /// Deletes the item if it holds exactly these bytes.
    ///
    /// - Returns: false if the item is absent or holds other bytes.
    func delete(
        _ item: ItemIdentity, ifUnchanged secret: borrowing SecretBytes, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<Bool>

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

    /// Lists the keys of items that can't be read, such as another user's.
    func unreadableKeys() throws(SecretStoreError) -> [KeySerial]

    /// Lists the items that have hidden items next to them, such as an item that is being fetched.
    ///
    /// The items themselves may be absent.
    func itemsWithHidden() throws(SecretStoreError) -> Set<ItemIdentity>

    /// Takes the right to change the item, for at most `duration`.
    ///
    /// Until the right is released, all other writers of the item are blocked.
    func beginUpdate(
        of item: ItemIdentity, lasting duration: Duration, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<any ItemUpdate>

    /// Begins to watch an item that is being fetched.
    ///
    /// - Parameter size: if not `nil`, room for the result is reserved first. If there isn't an old value, it has this
    ///   many bytes; otherwise, the size of the old value and 1,024 bytes more. Only
    ///   ``ItemFetch/store(_:timeout:_:_:)`` on the same thread uses it.
    /// - Returns: `nil`, as a last resort without `size`, if the quota has no room for the watch; the value is then not
    ///   stored.
    func beginFetch(
        of item: ItemIdentity, reserving size: Int?, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<(any ItemFetch)?>

    /// Whether somebody is writing the item under its lease, so that facts about a new value can still be missing.
    func isBeingWritten(_ item: ItemIdentity) throws(SecretStoreError) -> Bool

    /// Takes the lease with that name: a lock between processes (``Lease``).
    ///
    /// Names of leases and names of items are independent of each other.
    func takeLease(
        _ name: String, lasting duration: Duration, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<any LeaseHandle>

    /// Whether the lease with that name is held.
    func isLeaseHeld(_ name: String) throws(SecretStoreError) -> Bool

    /// Reports on the holder of the lease with that name.
    ///
    /// - Returns: `nil` if the lease is not held, or if the backend doesn't know its holder.
    func leaseReport(_ name: String) -> LeaseReport?

    /// The place in the kernel keyring where the items are kept; `nil` for another backend.
    ///
    /// Two stores in this process with the same place share their fetches. Without a place, only calls with this same
    /// backend do.
    var place: StorePlace? { get }
}
