public import Keyutils

/// The right to change one item, which a backend has granted; it is released when nobody refers to it any more.
///
/// It is used by one thread at a time.
public protocol ItemUpdate: AnyObject {
    /// Lends the item's bytes to `body`, once; false, without calling it, for an item that is absent or has expired.
    func read(_ body: (RawSpan) -> Void) throws(SecretStoreError) -> Bool

    /// Makes the new bytes visible, complete with their timeout, in one step; `nil` removes the item.
    ///
    /// - Returns: false, with nothing changed, if the item is not what was read last, as after a `clear`.
    /// - Throws: ``SecretStoreError`` with `leaseLost` if others may have the right by now, or as
    ///   ``SecretBackend/set(_:for:timeout:_:)`` does; nothing is changed then.
    func commit(
        _ bytes: RawSpan?, timeout: KeyTimeout?, _ attempt: inout BackendAttempt
    ) throws(SecretStoreError) -> Bool
}

extension SecretBackend {
    /// Changes an item in one attempt; if the commit is blocked, the next attempt continues with the same right.
    ///
    /// - Parameter change: reads the item and commits; called again if it returns false, because the item has changed.
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
