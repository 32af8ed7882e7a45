/// A lease that a backend has granted.
///
/// It is released with the last reference to this object, unless it was released before.
public protocol LeaseHandle: AnyObject, Sendable {
    /// A number greater than those of all earlier holders.
    var fencingNumber: UInt64 { get }

    /// How long the lease is certainly still held; zero if another holder might have it.
    var timeLeft: Duration { get }

    /// Extends the lease, so that it lasts for `duration` from now on.
    ///
    /// - Returns: false if another holder might have the lease.
    func renew(lasting duration: Duration) throws(SecretStoreError) -> Bool

    /// Releases the lease.
    ///
    /// - Returns: false if another holder might have had the lease by then, or if it was already released.
    func release() -> Bool
}
