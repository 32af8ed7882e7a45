public import Keyutils

/// A fetch of an item that is under way, as a backend keeps watch over it.
///
/// It is used by one thread at a time, and ends when nobody refers to it any more.
public protocol ItemFetch: AnyObject, Sendable {
    /// Makes what was fetched visible, complete with its timeout, in one step, unless something happened to the item since
    /// the fetch began: it was set, deleted or cleared.
    ///
    /// - Returns: false, with nothing stored, where something happened to the item.
    /// - Throws: ``SecretStoreError`` with `leaseLost`, with nothing stored, where it is to be tried again; or as ``SecretBackend/publish(_:for:timeout:ifAbsent:)`` does.
    func store(_ bytes: RawSpan, timeout: KeyTimeout?) throws(SecretStoreError) -> Bool
}
