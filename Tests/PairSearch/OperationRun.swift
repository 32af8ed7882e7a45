import Glibc
import Keyutils
import SessionKeyring
import StressSuite

/// An operation in the process that runs it.
struct OperationRun {
    let operation: Operation
    let role: Role
    let item: ItemIdentity
    let store: SecretStore
    let anchor: Keyring
    let report: Shared<CallReport>
    let valueSize: Int
    /// How long leases and updates last.
    let lasting: Duration

    private var value: String { SceneItem.value(role.stamp, size: valueSize) }
    private var timeout: Duration { .seconds(Int(role.timeout)) }

    /// Runs the operation and reports the result; `begin` is called when the process's calls are to be counted.
    func run(begin: () -> Void) {
        do {
            let held = Result { operation == .release ? try takeLease() : nil }
            begin()
            report.value.invoked = MonotonicTime.now
            report.value.outcome = try perform(held.get()) ? .done : .refused
        } catch {
            note(error)
        }
        report.value.returned = MonotonicTime.now
        readBack()
    }

    private func note(_ error: any Error) {
        report.value.outcome = .threw
        report.value.error.text = "\(error)"
        guard let code = (error as? SecretStoreError)?.code else { return }
        report.value.isQuotaExceeded = code == .quotaExceeded
        report.value.isAboutLease = [.leaseLost, .leaseHeld, .contended].contains(code)
    }

    private func readBack() {
        report.value.readInvoked = MonotonicTime.now
        guard let found = try? store.get(item, as: String.self) else { return }
        report.value.readObserved = SceneItem.stamp(of: found)
        report.value.readReturned = MonotonicTime.now
    }

    private func perform(_ held: consuming Lease?) throws -> Bool {
        switch operation {
        case .set: try store.set(value, for: item)
        case .setTimeout: try store.set(value, for: item, lasting: Lifetime(timeout))
        case .add: return try add()
        case .delete: return try store.delete(item)
        case .expire: return try store.expire(item, timeout: .seconds(Int(role.expiry)))
        case .update: try update()
        case .clear: try store.clear()
        case .list: return try store.items().contains { $0.item == item }
        case .lease:
            return release(try takeLease())
        case .release:
            guard let held else { throw SecretStoreError(.leaseHeld) }
            return release(held)
        case .fetch: try fetch(.never, leaseLasting: lasting)
        case .longFetch: try fetch(.never, leaseLasting: .seconds(60))
        case .refresh: try fetch(.dueOrUnusable, leaseLasting: lasting)
        case .refuse: return try store.invalidate(SceneItem.value(Role.scene.stamp, size: valueSize), for: item)
        case .source: try fetchFromSource()
        case .ringlessSet: try Defects.set(value, for: item, replacingDeadRingIn: anchor)
        case .unlookedSet: try Defects.set(value, over: item, in: anchor)
        case .displacingAdd: return try Defects.add(value, for: item, in: anchor)
        case .blindFetch: try blindFetch()
        case .blindRefuse:
            return try Defects.refuse(
                SceneItem.value(Role.scene.stamp, size: valueSize), of: item, in: store, anchor: anchor)
        }
        return true
    }

    private func add() throws(SecretStoreError) -> Bool {
        do throws(SecretStoreError) {
            try store.add(value, for: item, lasting: Lifetime(timeout))
            return true
        } catch {
            guard error.code == .duplicate else { throw error }
            return false
        }
    }

    private func update() throws {
        try store.blockingUpdate(item, as: String.self, lasting: Lifetime(timeout), within: lasting) { old in
            report.value.observed = SceneItem.stamp(of: old)
            return value
        }
    }

    /// Fetches the item in a task, on threads that inherit this thread's filter of calls.
    private func fetch(_ refreshing: FetchPolicy.Refreshing, leaseLasting duration: Duration) throws {
        let policy = FetchPolicy(refreshing, isStrict: refreshing == .dueOrUnusable, leaseDuration: duration)
        let found = try waitForTask { [self] in
            try await store.value(for: item, policy, { store.coding(String.self) }) { (old: String?) in
                report.value.old = SceneItem.stamp(of: old)
                report.value.fetched = MonotonicTime.now
                return (value, Lifetime(timeout, refreshAfter: refreshing == .never ? nil : timeout / 2))
            }
        }
        report.value.observed = SceneItem.stamp(of: found)
    }

    private func fetchFromSource() throws {
        let answer = try SourceProgram.get(printing: value, lasting: role.timeout)
        report.value.fetched = answer.ran
        guard answer.exitCode == 0 else { throw SceneError("exit code \(answer.exitCode): \(answer.errors)") }
        report.value.observed = SceneItem.stamp(of: answer.secret)
    }

    private func blindFetch() throws {
        if let found = try store.get(item, as: String.self) {
            report.value.observed = SceneItem.stamp(of: found)
            return
        }
        report.value.fetched = MonotonicTime.now
        report.value.observed = role.stamp.rawValue
        try store.set(value, for: item, lasting: Lifetime(timeout))
    }

    private func takeLease() throws(SecretStoreError) -> Lease {
        let asked = MonotonicTime.now
        let lease = try store.blockingLease(SceneItem.lease, lasting: lasting, waiting: .seconds(5))
        report.value.heldFrom = MonotonicTime.now
        report.value.heldUntil = asked + UInt64(lasting / .nanoseconds(1))
        return lease
    }

    /// Releases the lease once that is allowed, and returns false if the lease was lost by then.
    private func release(_ lease: consuming Lease) -> Bool {
        report.value.isHolding = true
        while !report.value.mayRelease { usleep(500) }
        let isHeld = lease.isHeld
        report.value.heldUntil = min(report.value.heldUntil, MonotonicTime.now)
        report.value.isHolding = false
        let isReleased = lease.release()
        return isHeld && isReleased
    }
}
