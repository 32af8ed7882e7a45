import Keyutils

/// A report about the holder of a lease.
package struct LeaseReport: Sendable {
    /// The process; `nil` if its number belongs to another pid namespace or to an unknown one.
    package let processID: Int32?
    /// The user who took the lease, as the kernel reports it.
    package let userID: UInt32
    /// How long the lease has been held; `nil` if its record states an impossible time.
    package let duration: Duration?

    init(_ record: LeaseRecord, userID: UInt32) {
        // If the holder was killed, its command holds the lease.
        let holder = record.command.flatMap { record.holder.fate == .dead ? $0 : nil } ?? record.holder
        processID = holder.isOfOwnNamespaces ? holder.processID : nil
        self.userID = userID
        let now = BootTime.now()
        let isPossible = record.acquired > BootTime(nanoseconds: 0) && record.acquired <= now
        duration = isPossible ? now.since(record.acquired) : nil
    }
}

extension LeaseRing {
    /// Returns a report about the holder of a lease; `nil` if nobody holds it or its record can't be read.
    func report(_ name: String) throws(KeyringError) -> LeaseReport? {
        let lease = try keyring.find(keyring: name)
        guard try keyring.links(Key(lease)), let record = try record(of: lease), !record.isOver else { return nil }
        return LeaseReport(record, userID: try Key(lease).describe().userID)
    }
}
