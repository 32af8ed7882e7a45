import Keyutils

/// A report about the holder of a lease.
public struct LeaseReport: Sendable {
    /// The process; `nil` if its number belongs to another pid namespace, or to an unknown one.
    package let processID: Int32?
    /// The user who has taken it, as the kernel reports it.
    package let userID: UInt32
    /// For how long it is held; `nil` if the lease's record states an impossible time.
    package let duration: Duration?

    init(_ record: LeaseRecord, userID: UInt32) {
        // A holder that was killed leaves the lease to its command.
        let holder = record.command.flatMap { record.holder.fate == .dead ? $0 : nil } ?? record.holder
        processID = holder.isOfOwnNamespaces ? holder.processID : nil
        self.userID = userID
        let now = BootTime.now()
        let isPossible = record.acquired > BootTime(nanoseconds: 0) && record.acquired <= now
        duration = isPossible ? now.since(record.acquired) : nil
    }
}

extension LeaseRing {
    /// What is known of who holds the lease of that name; `nil` where nobody does, or nothing can be read of it.
    func report(_ name: String) throws(KeyringError) -> LeaseReport? {
        let lease = try keyring.find(keyring: name)
        guard try keyring.links(Key(lease)), let record = try record(of: lease), !record.isOver else { return nil }
        return LeaseReport(record, userID: try Key(lease).describe().userID)
    }
}
