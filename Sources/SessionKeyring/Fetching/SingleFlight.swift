import Keyutils

/// A fetch of an item that many want at the same time: one of them does it, and the others wait.
///
/// The process that fetches holds a lease. Two sentinels, which are hidden items next to the item, state whether the
/// existing value is good. Each of them refers by a hash to the value that it is about.
///
/// - The freshness sentinel states that the value is fresh, or that it was refused. Without such a statement, the value
///   is due: one of the callers whose ``FetchPolicy`` allows it fetches the value again, while the others get the old
///   value.
/// - The usability sentinel states that others can get the old value during that fetch. It matters only to callers that
///   use ``FetchPolicy/Refreshing/dueOrUnusable``.
package struct SingleFlight: Sendable {
    /// The next step of a caller that wants the item.
    package enum Turn<Value> {
        /// Take this value.
        case take(Value)
        /// Fetch the item and hold the lease during the fetch; if it fails, the old value may be good enough.
        case fetch(FetchLease, old: Value?, isOldUsable: Bool)
    }

    /// The longest wait: no lease lasts longer without being renewed, and no fetch takes longer.
    static let waitLimit = HeldLease.longest

    package typealias Read<Value> = () throws(SecretStoreError) -> Found<Value>?

    private let store: SecretStore
    package let item: ItemIdentity
    private let leaseName: String
    let leaseDuration: Duration
    private let refreshing: FetchPolicy.Refreshing
    private let failureTimeout: KeyTimeout?

    /// Creates a single flight for an item.
    ///
    /// - Parameters:
    ///   - leaseDuration: how long the lease lasts after each renewal.
    ///   - failureTimeout: how long others do not fetch after a failure; `nil` if each caller tries itself.
    /// - Throws: ``SecretStoreError`` with `invalidTimeout` or `invalidName`.
    package init(
        store: SecretStore, item: ItemIdentity, leaseDuration: Duration, _ refreshing: FetchPolicy.Refreshing,
        failureTimeout: Duration? = nil
    ) throws(SecretStoreError) {
        try SecretStore.checkLease(leaseDuration)
        try store.check(item)
        var timeout: KeyTimeout?
        if let failureTimeout { timeout = try SecretStore.keyTimeout(failureTimeout, item: item) }
        self.store = store
        self.item = item
        self.leaseName = item.fetchLeaseName
        self.leaseDuration = leaseDuration
        self.refreshing = refreshing
        self.failureTimeout = timeout
    }

    /// Returns the existing value if nobody has to fetch it again.
    func good<Value>(_ read: Read<Value>) throws(SecretStoreError) -> Value? {
        guard let found = try read(), standing(of: found.hash) == .good else { return nil }
        return found.value
    }

    /// Returns the existing value if callers can use it while somebody else fetches it again.
    func usable<Value>(_ read: Read<Value>) throws(SecretStoreError) -> Value? {
        guard let found = try read(), standing(of: found.hash) != .unusable else { return nil }
        return found.value
    }

    /// Decides what the caller does now, in one attempt.
    ///
    /// - Parameters:
    ///   - force: whether an existing value is ignored.
    ///   - read: reads the item.
    /// - Throws: ``SecretStoreError`` with `fetchFailed` if a recent failure is remembered, or `contended` if somebody
    ///   is fetching the item.
    package func nextTurn<Value>(
        force: Bool = false, _ attempt: inout BackendAttempt, read: Read<Value>
    ) throws(SecretStoreError) -> Turn<Value> {
        if !force, let found = try read() {
            switch standing(of: found.hash) {
            case .good: return .take(found.value)
            // The caller has a usable value, so no problem here is worth an error. The next caller tries again.
            case .due:
                guard !hasFailed, (try? store.backend.isLeaseHeld(leaseName)) == false else {
                    return .take(found.value)
                }
                let lease: FetchLease
                do throws(SecretStoreError) {
                    lease = try takeLease(&attempt)
                } catch {
                    // This process is replacing the leases' ring, and must wait before the next step. Complete the
                    // replacement, because perhaps nobody else would.
                    if case .until = error.blockage { throw error }
                    attempt.releaseLease()
                    return .take(found.value)
                }
                return try turn(under: lease, read)
            case .unusable: break
            }
        }
        try checkFailure()
        // Many callers may miss the item at the same time. This look keeps them from staging leases that they
        // can't get.
        if attempt.progress?.fetchLease == nil, try store.backend.isLeaseHeld(leaseName) {
            throw SecretStoreError(.blocked(.namedLease), item: item)
        }
        let lease = try takeLease(&attempt)
        if force { return .fetch(lease, old: try read()?.value, isOldUsable: false) }
        return try turn(under: lease, read)
    }

    /// Decides what the caller does if waiting for a turn was unsuccessful.
    ///
    /// If the quota is full, the caller fetches without a lease. Then other processes may fetch too, but this process
    /// fetches only once.
    func turn<Value>(givingUp error: SecretStoreError, read: Read<Value>) throws(SecretStoreError) -> Turn<Value> {
        switch error.code {
        case .quotaExceeded: return .fetch(.none, old: try read()?.value, isOldUsable: false)
        case .contended where error.isLeaseHeld: throw SecretStoreError(.leaseHeld, item: item)
        default: throw error
        }
    }

    /// Reads the item again under the lease, and decides what the caller does.
    ///
    /// Before this process got the lease, another one may have stored or removed the item. So the result of an earlier
    /// read is not used.
    private func turn<Value>(under lease: FetchLease, _ read: Read<Value>) throws(SecretStoreError) -> Turn<Value> {
        guard let found = try read() else {
            try checkFailure()
            return .fetch(lease, old: nil, isOldUsable: false)
        }
        let standing = standing(of: found.hash)
        if standing == .good { return .take(found.value) }
        if standing == .unusable { try checkFailure() }
        return .fetch(lease, old: found.value, isOldUsable: standing == .due)
    }

    /// Stores the fetched value, and then the sentinels about it.
    ///
    /// Nothing is stored if the lease was lost, because somebody else may have fetched something newer. Nothing is
    /// stored either if something happened to the item since the fetch began: an item that was deleted during the fetch
    /// stays deleted.
    ///
    /// - Parameter command: a hash of the command line that printed the value; `nil` if no command did.
    /// - Returns: false if the value was stored, but the quota had no room for the sentinels that state how fresh it is
    ///   and which command printed it.
    package func keep(
        _ bytes: RawSpan, for lifetime: Lifetime, under lease: FetchLease, of command: UInt64? = nil
    ) throws(SecretStoreError) -> Bool {
        // The quota had no room for a watch on the item, and without one, nothing can be stored.
        if lease.timeLeft > .zero, !lease.canStore { throw SecretStoreError(.quotaExceeded, item: item) }
        var wait = Wait()
        let isStored: Bool
        do throws(SecretStoreError) {
            isStored = try wait.run { attempt throws(SecretStoreError) in
                try store(bytes, for: lifetime, under: lease, &attempt)
            }
        } catch {
            // Others blocked the write until the lease or the value's timeout had ended.
            throw error.code == .leaseLost ? SecretStoreError(.contended, item: item) : error
        }
        guard isStored else { return true }
        do throws(SecretStoreError) {
            try Wait.run(try stepsAfterStoring(FNV1a.hash(of: bytes), lifetime, under: lease, of: command))
            return true
        } catch {
            guard error.isLackOfRoomOrTurn else { throw error }
            return false
        }
    }

    /// Stores the fetched value, as the first step of keeping it; false if it must not be stored.
    func store(
        _ bytes: RawSpan, for lifetime: Lifetime, under lease: FetchLease, _ attempt: inout BackendAttempt
    ) throws(SecretStoreError) -> Bool {
        let isLate = lifetime.timeout?.hasPassed == true
        if lease.timeLeft > .zero, !isLate { return try lease.store(bytes, timeout: lifetime.timeout?.left, &attempt) }
        if isLate || attempt.progress != nil { throw SecretStoreError(.leaseLost, item: item) }
        return false
    }

    /// Returns the steps that follow storing the fetched value.
    ///
    /// They come second, so that a process that sees the sentinels also sees the value that they are about.
    func stepsAfterStoring(
        _ hash: UInt64, _ lifetime: Lifetime, under lease: FetchLease, of command: UInt64? = nil
    ) throws(SecretStoreError) -> [Wait.Step] {
        var steps: [Wait.Step] = []
        if let command { steps.append(store.commandStep(command, of: item, holding: hash, timeout: lifetime.timeout)) }
        steps += try store.stepsAfterStoring(
            item, hash: hash, lifetime, refreshing: refreshing, lifting: .of(lease.refusal))
        if hasFailed {
            let step = Wait.Step { [store, item] attempt throws(SecretStoreError) in
                _ = try store.backend.delete(item.failureSentinel, &attempt)
            }
            steps.append(step)
        }
        return steps
    }

    /// Remembers that the fetch under this lease failed, if a failure timeout was given.
    func rememberFailure(under lease: FetchLease) {
        guard let failureTimeout, lease.timeLeft > .zero else { return }
        let nothing = InlineArray<0, UInt8>(repeating: 0)
        // Make only one attempt. The caller gets its error without delay, and it matters less that others learn of it.
        var attempt = BackendAttempt(mayUseLastResorts: false)
        try? unsafe store.backend.set(
            nothing.span.bytes, for: item.failureSentinel, timeout: failureTimeout, &attempt)
    }

    /// Deletes the item, so that the next caller fetches it again; false if the item was absent.
    package func forget() throws(SecretStoreError) -> Bool {
        let wasThere = try store.delete(item)
        var wait = Wait.freeingQuota()
        _ = try wait.run { attempt throws(SecretStoreError) in
            try store.backend.delete(item.freshnessSentinel, &attempt)
        }
        return wasThere
    }

    private enum Standing { case good, due, unusable }

    /// Returns what the sentinels state about this value; `good` if they can't be read.
    private func standing(of hash: UInt64) -> Standing {
        do throws(SecretStoreError) {
            let sentinel = try store.sentinel(item.freshnessSentinel)
            if sentinel == .refused(hash) { return .unusable }
            if refreshing == .never || sentinel == .fresh(hash) { return .good }
            guard refreshing == .dueOrUnusable else { return .due }
            return try store.sentinel(item.usableSentinel) == .fresh(hash) ? .due : .unusable
        } catch {
            return .good
        }
    }

    private var hasFailed: Bool {
        failureTimeout != nil && (try? store.backend.contains(item.failureSentinel)) == true
    }

    private func checkFailure() throws(SecretStoreError) {
        if hasFailed { throw SecretStoreError(.fetchFailed, item: item) }
    }

    private func takeLease(_ attempt: inout BackendAttempt) throws(SecretStoreError) -> FetchLease {
        let lease: any LeaseHandle
        if let earlier = attempt.progress?.fetchLease.take(), earlier.timeLeft > .zero {
            lease = earlier
        } else {
            lease = try store.backend.takeLease(leaseName, lasting: leaseDuration, &attempt)
        }
        do throws(SecretStoreError) {
            return FetchLease(
                lease, watching: try store.backend.beginFetch(of: item, &attempt),
                refusal: try store.sentinel(item.freshnessSentinel).flatMap(\.refusal))
        } catch {
            attempt.makeProgress().fetchLease = lease
            throw error
        }
    }
}

extension ItemIdentity {
    /// The name of the lease that a process holds while it fetches the item.
    var fetchLeaseName: String { "fetch:" + keyDescription }
}

/// The lease of a process that fetches an item, with a watch for changes to the item during the fetch.
package final class FetchLease: LeaseHandle {
    let lease: (any LeaseHandle)?
    private let fetch: (any ItemFetch)?
    /// The hash of the value that was marked as refused when the fetch began.
    let refusal: UInt64?

    init(_ lease: any LeaseHandle, watching fetch: (any ItemFetch)?, refusal: UInt64?) {
        self.lease = lease
        self.fetch = fetch
        self.refusal = refusal
    }

    private init() {
        lease = nil
        fetch = nil
        refusal = nil
    }

    /// The substitute for a lease if the quota has no room for one: nobody waits for it, and nothing is stored.
    package static let none = FetchLease()

    package var fencingNumber: UInt64 { lease?.fencingNumber ?? 0 }
    package var timeLeft: Duration { lease?.timeLeft ?? .zero }

    package func renew(lasting duration: Duration) throws(SecretStoreError) -> Bool {
        // Cast to a class: a cast to a protocol would search all conformances of the program.
        (fetch as? KernelItemFetch)?.renew()
        return try lease?.renew(lasting: duration) ?? false
    }

    package func release() -> Bool { lease?.release() ?? true }

    /// Whether the item is watched, so that the result can be stored.
    var canStore: Bool { fetch != nil }

    /// Stores the fetched value; false if the item was set, deleted or cleared since the fetch began.
    ///
    /// A write also takes the item's own lease for a moment. If that lease was lost, this tries again.
    func store(
        _ bytes: RawSpan, timeout: KeyTimeout?, _ attempt: inout BackendAttempt
    ) throws(SecretStoreError) -> Bool {
        while true {
            do throws(SecretStoreError) {
                return try fetch?.store(bytes, timeout: timeout, &attempt) ?? false
            } catch {
                guard error.code == .leaseLost, timeLeft > .zero else { throw error }
            }
        }
    }
}
