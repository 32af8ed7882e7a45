import Keyutils
import SessionKeyring

/// The change of the store that a call makes, with the progress of earlier attempts of the same call.
struct StoreChange {
    /// How much the next attempt may do.
    var effort = Effort(mayUseLastResorts: false)
    /// The step of a blocked attempt that others can already see.
    private(set) var step: VisibleStep?
    private var setting: SetOperation?
    private var deletion: DeleteOperation?

    /// Makes one attempt to store an item; its timeout counts from the first attempt.
    ///
    /// - Throws: ``SecretStoreError``, also if the attempt is blocked.
    mutating func set(
        _ secret: borrowing SecretBytes, for item: ItemIdentity, timeout: Duration?, in store: SecretStore
    ) throws(SecretStoreError) {
        var operation = if let setting { setting } else { try store.setting(item, lasting: Lifetime(timeout)) }
        let effort = effort
        let outcome = try secret.withBytes { bytes throws(SecretStoreError) in try operation.attempt(bytes, effort) }
        (setting, step) = (operation, outcome.step)
        try outcome.get()
    }

    /// Makes one attempt to delete an item; false if it did not exist.
    ///
    /// - Throws: ``SecretStoreError``, also if the attempt is blocked.
    @discardableResult
    mutating func delete(_ item: ItemIdentity, in store: SecretStore) throws(SecretStoreError) -> Bool {
        var operation = if let deletion { deletion } else { try store.deleting(item) }
        let outcome = try operation.attempt(effort)
        (deletion, step) = (operation, outcome.step)
        return try outcome.get()
    }
}
