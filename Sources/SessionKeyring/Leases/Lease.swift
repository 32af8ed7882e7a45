/// A lock that all processes of the scope respect, and that nobody can keep by dying: it ends by itself.
///
/// It is released when it goes out of scope. A holder that works for longer than the lease lasts must ``renew(lasting:)``
/// it in time; one that was stopped meanwhile is told by ``isHeld``, and whatever it writes to elsewhere can refuse it by
/// its ``fencingNumber``.
public struct Lease: ~Copyable, Sendable {
    /// What is locked.
    package let name: String
    let held: any LeaseHandle

    init(name: String, held: any LeaseHandle) {
        self.name = name
        self.held = held
    }

    /// A number greater than that of every holder of the lease before, until the machine restarts.
    ///
    /// Hand it to what you write to; whoever has seen a greater one can turn a late holder away. It is the time since the
    /// start of the machine at which the lease was taken, in nanoseconds (`clock_gettime(2)`, `CLOCK_BOOTTIME`), so it
    /// holds among processes of one time namespace.
    public var fencingNumber: UInt64 { held.fencingNumber }

    /// Whether it is surely still held, for at least two milliseconds when asked.
    public var isHeld: Bool { held.timeLeft > .zero }

    /// How long it is surely still held; zero if it may be somebody else's.
    public var timeLeft: Duration { held.timeLeft }

    /// Throws if the lease may be somebody else's by now.
    ///
    /// - Throws: ``SecretStoreError`` with `leaseLost`.
    public func checkHeld() throws(SecretStoreError) {
        guard isHeld else { throw SecretStoreError(.leaseLost) }
    }

    /// Makes it last so long from now on.
    ///
    /// - Throws: ``SecretStoreError`` with `leaseLost` where it may be somebody else's by now, or `invalidTimeout`.
    public func renew(lasting duration: Duration) throws(SecretStoreError) {
        try SecretStore.checkLease(duration)
        guard try held.renew(lasting: duration) else { throw SecretStoreError(.leaseLost) }
    }

    /// Gives it back; false if it may have been somebody else's by then.
    @discardableResult
    public consuming func release() -> Bool {
        held.release()
    }
}
