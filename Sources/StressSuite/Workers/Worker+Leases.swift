import Glibc
import SessionKeyring

extension Worker {
    /// Takes a lease, increments a counter by a get and a set that only the lease protects, and releases it.
    ///
    /// The section is logged as one call, from the first to the last moment at which the lease was certainly held.
    func countUnderLease(_ item: Int) {
        call(.lease, item: item) { open in
            let lease = try store.blockingLease(
                "counter \(item)", lasting: plan.leaseDuration, waiting: plan.waitLimit)
            let taken = MonotonicTime.now
            open.record.observed = lease.fencingNumber
            open.record.count = taken
            log(open)
            let count = get(item)?.count ?? 0
            // Sometimes lets another thread run, as would happen in a longer section.
            if choices.below(8) == 0 { sched_yield() }
            guard lease.isHeld else { throw SecretStoreError(.leaseLost) }
            set(item, count: count + 1)
            open.record.written = MonotonicTime.now
            guard lease.release() else { throw SecretStoreError(.leaseLost) }
        }
    }

    /// Takes a short lease, and releases it before its end, at about its end, or after it.
    ///
    /// The logged section ends no later than the lease, however late the lease is released.
    func holdShortly(_ item: Int) {
        let duration = 10_000 + choices.below(40_001)
        let delay =
            switch choices.below(5) {
            case 0: choices.below(2_000)
            case 1: duration + choices.below(3_000)
            default: duration - 3_500 + choices.below(5_000)
            }
        call(.lease, item: item) { open in
            let lease = try store.blockingLease(
                "short \(item)", lasting: .microseconds(duration), waiting: plan.waitLimit)
            open.record.count = MonotonicTime.now
            let end = open.record.count + UInt64(lease.timeLeft / .nanoseconds(1))
            open.record.observed = lease.fencingNumber
            log(open)
            usleep(UInt32(delay))
            open.record.written = min(MonotonicTime.now, end)
            lease.release()
        }
    }
}
