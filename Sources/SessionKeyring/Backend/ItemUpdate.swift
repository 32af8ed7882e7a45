public import Keyutils

/// The right to change one item, which a backend has granted; it is given back when nobody refers to it any more.
///
/// It is used by one thread at a time.
public protocol ItemUpdate: AnyObject {
    /// Lends the item's bytes to `body`, once; false, without calling it, for an item that is absent or has expired.
    func read(_ body: (RawSpan) -> Void) throws(SecretStoreError) -> Bool

    /// Makes the new bytes visible, complete with their timeout, in one step; `nil` removes the item.
    ///
    /// - Returns: false, with nothing changed, where the item is not what was read last, as after a `clear`.
    /// - Throws: ``SecretStoreError`` with `leaseLost` where others may have the right by now, or as
    ///   ``SecretBackend/publish(_:for:timeout:ifAbsent:)`` does; nothing is changed then.
    func commit(_ bytes: RawSpan?, timeout: KeyTimeout?) throws(SecretStoreError) -> Bool
}
