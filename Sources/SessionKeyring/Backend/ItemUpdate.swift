package import Keyutils

/// The right to change one item, which a backend has granted.
///
/// One thread uses it at a time. The right ends with the last reference to this object.
package protocol ItemUpdate: AnyObject {
    /// Lends the item's bytes to `body`, once.
    ///
    /// - Returns: false, without calling `body`, if the item is absent or has expired.
    func read(_ body: (RawSpan) -> Void) throws(SecretStoreError) -> Bool

    /// The facts about the value that was read last; `nil` if none are known.
    var facts: ItemFacts? { get }

    /// Makes one attempt to replace the item's bytes in one step, complete with their timeout; `nil` removes the item.
    ///
    /// - Parameter facts: the facts about the new value, which are stored after it.
    /// - Returns: false, with nothing changed, if the item has changed since it was read, for example after a `clear`.
    /// - Throws: ``SecretStoreError`` with `leaseLost` if another writer might have the right by now, or as
    ///   ``SecretBackend/set(_:for:timeout:_:_:after:)``. Nothing is changed then.
    func commit(
        _ bytes: RawSpan?, timeout: KeyTimeout?, _ facts: ItemFacts?, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<Bool>
}
