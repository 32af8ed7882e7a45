public import Keyutils
import SecretText
public import SessionKeyring

/// What a credential helper needs of a store: to list, read, replace and delete items.
///
/// `SecretStore` is one. Your own doesn't need a kernel.
public protocol ItemSource: Sendable {
    /// The live items, in no particular order.
    func identities() throws(SecretStoreError) -> [ItemIdentity]

    /// An item's bytes; `nil` if there is no such item.
    func get(_ item: ItemIdentity) throws(SecretStoreError) -> SecretBytes?

    /// Stores bytes, replacing the existing item with its timeout; `nil` for the scope's life.
    func set(_ secret: borrowing SecretBytes, for item: ItemIdentity, timeout: Duration?) throws(SecretStoreError)

    /// Deletes the item; false if it was absent.
    @discardableResult
    func delete(_ item: ItemIdentity) throws(SecretStoreError) -> Bool

    /// Deletes the item if it holds exactly these bytes; false if it is absent or holds others.
    ///
    /// The default compares and then deletes, so a value that another process stores between the two is lost. `SecretStore`
    /// lets the kernel decide.
    @discardableResult
    func delete(_ item: ItemIdentity, ifUnchanged secret: borrowing SecretBytes) throws(SecretStoreError) -> Bool

    /// Runs `body` while no other caller does so for the same service.
    ///
    /// `body` may run more than once; its last result counts. The default runs it once, and excludes nobody.
    func takingTurns<Result>(
        at service: String, _ body: () throws(SecretStoreError) -> Result
    ) throws(SecretStoreError) -> Result

    /// The attributes of a live item, of which helpers use the expiry; `nil` for an absent item, or if the source can't tell.
    ///
    /// A source without this method reports no expiry to any client, and stores of the same secret never shorten an item.
    func attributes(of item: ItemIdentity) throws(SecretStoreError) -> ItemAttributes?

    /// Gives a live item a new timeout, counted from now; false for an absent item, or if the source can't.
    @discardableResult
    func expire(_ item: ItemIdentity, timeout: Duration) throws(SecretStoreError) -> Bool
}

/// The methods that a source may leave out.
extension ItemSource {
    /// Nothing is known.
    public func attributes(of item: ItemIdentity) throws(SecretStoreError) -> ItemAttributes? { nil }

    /// No timeout is changed.
    @discardableResult
    public func expire(_ item: ItemIdentity, timeout: Duration) throws(SecretStoreError) -> Bool { false }

    /// Compares, then deletes.
    @discardableResult
    public func delete(
        _ item: ItemIdentity, ifUnchanged secret: borrowing SecretBytes
    ) throws(SecretStoreError) -> Bool {
        guard let present = try get(item), present.isEqual(to: secret) else { return false }
        return try delete(item)
    }

    /// Runs `body` once, and excludes nobody.
    public func takingTurns<Result>(
        at service: String, _ body: () throws(SecretStoreError) -> Result
    ) throws(SecretStoreError) -> Result { try body() }
}

extension SecretStore: ItemSource {
    /// Stores bytes, replacing any existing item.
    ///
    /// - Throws: ``SecretStoreError``.
    public func set(
        _ secret: borrowing SecretBytes, for item: ItemIdentity, timeout: Duration?
    ) throws(SecretStoreError) {
        try set(secret, for: item, timeout: timeout, refreshAfter: nil)
    }

    /// Deletes the item if it holds exactly these bytes, as the kernel decides; false if it is absent or holds others.
    ///
    /// - Throws: ``SecretStoreError``. A full quota is not an error.
    @discardableResult
    public func delete(
        _ item: ItemIdentity, ifUnchanged secret: borrowing SecretBytes
    ) throws(SecretStoreError) -> Bool {
        try deleteUnchanged(item, secret)
    }

    /// Runs `body` under a lease for the service; again if the lease was lost before its end.
    ///
    /// If the quota stays full, it runs without a lease.
    ///
    /// - Throws: what `body` throws; ``SecretStoreError`` with `contended` if others held the lease for ten seconds.
    public func takingTurns<Result>(
        at service: String, _ body: () throws(SecretStoreError) -> Result
    ) throws(SecretStoreError) -> Result {
        try holdingLease("helper:" + service, body)
    }
}
