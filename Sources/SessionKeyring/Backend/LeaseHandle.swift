/// A lease that a backend has granted.
///
/// It is released with the last reference to this object, unless it was released before.
package protocol LeaseHandle: AnyObject, Sendable {
    /// A number greater than those of all earlier holders.
    var fencingNumber: UInt64 { get }

    /// How long the lease is certainly still held; zero if another holder might have it.
    var timeLeft: Duration { get }

    /// Extends the lease, so that it lasts for `duration` from now on.
    ///
    /// - Returns: false if another holder might have the lease.
    func renew(lasting duration: Duration) throws(SecretStoreError) -> Bool

    /// Records a child of this process that may outlive it.
    ///
    /// As long as the child runs, no process takes over the lease as a dead holder's.
    ///
    /// - Returns: false if another holder might have the lease, or if it belongs to this process alone.
    func name(command processID: Int32) throws(SecretStoreError) -> Bool

    /// Releases the lease.
    ///
    /// - Returns: false if another holder might have had the lease by then, or if it was already released.
    func release() -> Bool
}
