public import Keyutils
import SecretText
public import SessionKeyring

/// A store for a credential helper, which lists, reads, replaces and deletes its items.
///
/// `SecretStore` conforms to this protocol. Your own source can keep its items elsewhere, without the kernel keyring.
public protocol ItemSource: Sendable {
    /// Returns the live items, in no particular order.
    func identities() throws(SecretStoreError) -> [ItemIdentity]

    /// Returns an item's bytes; `nil` if the item is absent.
    func get(_ item: ItemIdentity) throws(SecretStoreError) -> SecretBytes?

    /// Stores bytes, replacing the existing item and its timeout.
    ///
    /// If the timeout is `nil`, the item is kept for as long as its scope exists.
    func set(_ secret: borrowing SecretBytes, for item: ItemIdentity, timeout: Duration?) throws(SecretStoreError)

    /// Deletes the item; false if it was absent.
    @discardableResult
    func delete(_ item: ItemIdentity) throws(SecretStoreError) -> Bool

    /// Deletes the item if it holds exactly these bytes; false if it is absent or holds other bytes.
    ///
    /// The default compares and then deletes. If another process stores a value in between, that value is lost. In
    /// `SecretStore`, the kernel makes sure that no other value is deleted.
    @discardableResult
    func delete(_ item: ItemIdentity, ifUnchanged secret: borrowing SecretBytes) throws(SecretStoreError) -> Bool

    /// Runs `body` while no other caller does so for the same service.
    ///
    /// `body` can run more than once, if the source loses its lock; the last result counts. The default runs `body`
    /// once, without excluding other callers.
    func takingTurns<Result>(
        at service: String, _ body: () throws(SecretStoreError) -> Result
    ) throws(SecretStoreError) -> Result

    /// Returns the attributes of a live item; `nil` for an absent item, or if the source can't tell.
    ///
    /// Helpers use only the expiry. If a source doesn't implement this method, clients get no expiry, and an item that
    /// is stored again with a shorter timeout keeps its longer one.
    func attributes(of item: ItemIdentity) throws(SecretStoreError) -> ItemAttributes?

    /// Gives a live item a new timeout, counted from now; false for an absent item, or if the source can't do it.
    ///
    /// With `nil`, the item loses its timeout.
    @discardableResult
    func expire(_ item: ItemIdentity, timeout: Duration?) throws(SecretStoreError) -> Bool
}

/// Defaults for the methods that a source can omit.
extension ItemSource {
    /// Returns `nil`: this source can't tell.
    public func attributes(of item: ItemIdentity) throws(SecretStoreError) -> ItemAttributes? { nil }

    /// Changes no timeout, and returns false.
    @discardableResult
    public func expire(_ item: ItemIdentity, timeout: Duration?) throws(SecretStoreError) -> Bool { false }

    /// Compares the bytes, and then deletes the item.
    @discardableResult
    public func delete(
        _ item: ItemIdentity, ifUnchanged secret: borrowing SecretBytes
    ) throws(SecretStoreError) -> Bool {
        guard let present = try get(item), present.isEqual(to: secret) else { return false }
        return try delete(item)
    }

    /// Runs `body` once, without excluding other callers.
    public func takingTurns<Result>(
        at service: String, _ body: () throws(SecretStoreError) -> Result
    ) throws(SecretStoreError) -> Result { try body() }
}

extension SecretStore: ItemSource {
    /// Reads an item's bytes; `nil` if the item does not exist.
    ///
    /// - Throws: ``SecretStoreError``.
    public func get(_ item: ItemIdentity) throws(SecretStoreError) -> SecretBytes? { try bytes(of: item) }

    /// Stores bytes, replacing any existing item.
    ///
    /// - Throws: ``SecretStoreError``.
    public func set(
        _ secret: borrowing SecretBytes, for item: ItemIdentity, timeout: Duration?
    ) throws(SecretStoreError) {
        try set(secret, for: item, lasting: Lifetime(timeout))
    }

    /// Deletes the item if it holds exactly these bytes; false if it is absent or holds other bytes.
    ///
    /// The kernel makes sure that no other value is deleted.
    ///
    /// - Throws: ``SecretStoreError``. A full quota is not an error.
    @discardableResult
    public func delete(
        _ item: ItemIdentity, ifUnchanged secret: borrowing SecretBytes
    ) throws(SecretStoreError) -> Bool {
        try deleteUnchanged(item, secret)
    }

    /// Runs `body` under a lease for the service, and again if the lease was lost before `body` returned.
    ///
    /// If the quota stays full, `body` runs without a lease.
    ///
    /// - Throws: the error of `body`; ``SecretStoreError`` with `contended` if others held the lease for ten seconds.
    public func takingTurns<Result>(
        at service: String, _ body: () throws(SecretStoreError) -> Result
    ) throws(SecretStoreError) -> Result {
        try holdingLease("helper:" + service, body)
    }
}
