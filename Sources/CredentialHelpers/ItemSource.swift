public import SessionKeyring

/// What a credential helper needs of a store: to list, read, replace and delete items.
///
/// `SecretStore` is one. One of your own needs no kernel.
public protocol ItemSource: Sendable {
    /// The live items, in no particular order.
    func identities() throws(SecretStoreError) -> [ItemIdentity]

    /// An item's bytes; `nil` where there is no such item.
    func get(_ item: ItemIdentity) throws(SecretStoreError) -> SecretBytes?

    /// Stores bytes, replacing the item that is there with its timeout; `nil` for the scope's life.
    func set(_ secret: borrowing SecretBytes, for item: ItemIdentity, timeout: Duration?) throws(SecretStoreError)

    /// Deletes the item; false where there was none.
    @discardableResult
    func delete(_ item: ItemIdentity) throws(SecretStoreError) -> Bool
}

extension SecretStore: ItemSource {}
