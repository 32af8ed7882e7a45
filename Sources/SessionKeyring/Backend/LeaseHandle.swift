/// A lease that a backend has granted; it is released, if it was not before, when nobody refers to it any more.
public protocol LeaseHandle: AnyObject, Sendable {
    /// A number greater than that of every holder before.
    var fencingNumber: UInt64 { get }

    /// How long it is surely still held; zero if it may be somebody else's.
    var timeLeft: Duration { get }

    /// Makes it last so long from now on; false if it may be somebody else's.
    func renew(lasting duration: Duration) throws(SecretStoreError) -> Bool

    /// Gives it back; false if it may have been somebody else's by then, or was given back before.
    func release() -> Bool
}
