import Glibc
import SessionKeyring

extension Actor {
    /// Takes a lease, counts one up in two steps that nothing but the lease holds together, and gives it back.
    ///
    /// The section is written down as one call, from the moment when the lease was surely ours to the last one.
    func countUnderLease(_ item: Int) {
        call(.lease, item: item) { open in
            guard let lease = try lease("counter \(item)") else {
                open.record.outcome = .refused
                return
            }
            let taken = MonotonicTime.now
            open.record.observed = lease.fencingNumber
            open.record.count = taken
            note(open)
            let count = get(item)?.count ?? 0
            // Another thread has the processor now and then, as it would have in a section that does more.
            if choices.below(8) == 0 { sched_yield() }
            guard lease.isHeld else { throw SecretStoreError(.leaseLost) }
            set(item, count: count + 1)
            open.record.written = MonotonicTime.now
            guard lease.release() else { throw SecretStoreError(.leaseLost) }
        }
    }

    /// The lease; `nil` where others had it all the time.
    private func lease(_ name: String) throws(SecretStoreError) -> Lease? {
        do throws(SecretStoreError) {
            return try store.lease(name, lasting: plan.leaseDuration, waiting: plan.patience)
        } catch {
            guard error.code == .leaseHeld else { throw error }
            return nil
        }
    }
}
