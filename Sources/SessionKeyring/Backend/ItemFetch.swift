public import Keyutils

/// A fetch of an item that a backend watches.
///
/// It is used by one thread at a time, and ends when nobody refers to it any more.
public protocol ItemFetch: AnyObject, Sendable {
    /// Makes what was fetched visible, complete with its timeout, in one step, unless something happened to the item since
    /// the fetch began: it was set, deleted or cleared.
    ///
    /// - Returns: false, with nothing stored, if something happened to the item.
    /// - Throws: ``SecretStoreError`` with `leaseLost`, with nothing stored, if it is to be tried again; or as
    ///   ``SecretBackend/set(_:for:timeout:_:)`` does.
    func store(
        _ bytes: RawSpan, timeout: KeyTimeout?, _ attempt: inout BackendAttempt
    ) throws(SecretStoreError) -> Bool
}
