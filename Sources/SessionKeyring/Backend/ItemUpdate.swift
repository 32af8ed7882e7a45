public import Keyutils

/// The right to change one item, which a backend has granted.
///
/// One thread uses it at a time. The right ends with the last reference to this object.
public protocol ItemUpdate: AnyObject {
    /// Lends the item's bytes to `body`, once.
    ///
    /// - Returns: false, without calling `body`, if the item is absent or has expired.
    func read(_ body: (RawSpan) -> Void) throws(SecretStoreError) -> Bool

    /// Replaces the item's bytes in one step, complete with their timeout; `nil` removes the item.
    ///
    /// - Returns: false, with nothing changed, if the item has changed since it was read, for example after a `clear`.
    /// - Throws: ``SecretStoreError`` with `leaseLost` if another writer might have the right by now, or as
    ///   ``SecretBackend/set(_:for:timeout:_:)``. Nothing is changed then.
    func commit(
        _ bytes: RawSpan?, timeout: KeyTimeout?, _ attempt: inout BackendAttempt
    ) throws(SecretStoreError) -> Bool
}

extension SecretBackend {
    /// Changes an item in one attempt.
    ///
    /// If the commit is blocked, the next attempt continues with the same right.
    ///
    /// - Parameter change: reads the item and commits. It returns false if the item has changed, and is
    ///   then called again.
    func update(
        _ item: ItemIdentity, _ attempt: inout BackendAttempt,
        _ change: (any ItemUpdate, inout BackendAttempt) throws(SecretStoreError) -> Bool
    ) throws(SecretStoreError) {
        let update: any ItemUpdate
        if let earlier = attempt.progress?.update.take() {
            update = earlier
        } else {
            update = try beginUpdate(of: item, lasting: SecretStore.updateDuration, &attempt)
        }
        do throws(SecretStoreError) {
            while try !change(update, &attempt) {}
        } catch {
            attempt.makeProgress().update = update
            throw error
        }
    }
}
