public import Keyutils

/// A fetch of an item, during which a backend watches the item.
///
/// One thread uses it at a time. The watch ends with the last reference to this object.
public protocol ItemFetch: AnyObject, Sendable {
    /// Stores the fetched value, unless the item was set, deleted or cleared since the fetch began.
    ///
    /// The value becomes visible in one step, complete with its timeout.
    ///
    /// - Returns: false, with nothing stored, if the item was set, deleted or cleared.
    /// - Throws: ``SecretStoreError`` with `leaseLost`, with nothing stored, if the caller should try again; or
    ///   as ``SecretBackend/set(_:for:timeout:_:)``.
    func store(
        _ bytes: RawSpan, timeout: KeyTimeout?, _ attempt: inout BackendAttempt
    ) throws(SecretStoreError) -> Bool
}
