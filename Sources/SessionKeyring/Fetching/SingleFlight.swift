import Keyutils

/// Fetching an item that many want at once: one of them does it, under a lease, and the others wait for what it finds.
///
/// Whether what is there is good say two sentinels, hidden items beside it, each of which names the value that it is about by
/// a hash. The one of freshness says that it is fresh, or that it was refused; where it says nothing, the value is due: one of
/// those who refresh fetches it anew, while others get it, as long as the one of usability says that they may.
package struct SingleFlight: Sendable {
    /// What somebody who wants the item should do now.
    package enum Turn<Value> {
        /// Take this.
        case take(Value)
        /// Fetch it, holding the lease meanwhile; what is there still may be good enough if that fails.
        case fetch(FetchLease, old: Value?, isOldUsable: Bool)
    }

    /// Nobody holds a lease for longer without renewing it, and nobody fetches for longer than that.
    static let waitLimit = HeldLease.longest

    package typealias Read<Value> = () throws(SecretStoreError) -> Found<Value>?

    private let store: SecretStore
    package let item: ItemIdentity
    private let leaseName: String
    let leaseDuration: Duration
    private let refreshing: FetchPolicy.Refreshing
    private let failureTimeout: KeyTimeout?

    /// - Parameters:
    ///   - leaseDuration: for how long the lease is taken at a time.
    ///   - failureTimeout: for how long others don't fetch after a failure; `nil` where each tries by itself.
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

    /// What is there, if nobody has to fetch it.
    func good<Value>(_ read: Read<Value>) throws(SecretStoreError) -> Value? {
        guard let found = try read(), standing(of: found.hash) == .good else { return nil }
        return found.value
    }

    /// What is there, if somebody else fetches it anew and it may be used meanwhile.
    func usable<Value>(_ read: Read<Value>) throws(SecretStoreError) -> Value? {
        guard let found = try read(), standing(of: found.hash) != .unusable else { return nil }
        return found.value
    }

    /// What to do now.
    ///
    /// - Parameters:
    ///   - force: whether an existing value counts for nothing.
    ///   - read: reads the item.
    /// - Throws: ``SecretStoreError`` with `fetchFailed` if that is remembered, or `contended` if somebody is fetching it.
    package func nextTurn<Value>(
        force: Bool = false, _ attempt: inout BackendAttempt, read: Read<Value>
    ) throws(SecretStoreError) -> Turn<Value> {
        if !force, let found = try read() {
            switch standing(of: found.hash) {
            case .good: return .take(found.value)
            // With a usable value at hand, nothing that goes wrong here is worth an error: the next one who asks tries again.
            case .due:
                guard !hasFailed, (try? store.backend.isLeaseHeld(leaseName)) == false else {
                    return .take(found.value)
                }
                let lease: FetchLease
                do throws(SecretStoreError) {
                    lease = try takeLease(&attempt)
                } catch {
                    // The leases' ring is being replaced, which nobody might do else.
                    if case .until = error.blockage { throw error }
                    attempt.releaseLease()
                    return .take(found.value)
                }
                return try turn(under: lease, read)
            case .unusable: break
            }
        }
        try checkFailure()
        // Many may miss the item at the same time: none of them stages a lease in vain.
        if attempt.progress?.fetchLease == nil, try store.backend.isLeaseHeld(leaseName) {
            throw SecretStoreError(.blocked(.namedLease), item: item)
        }
        let lease = try takeLease(&attempt)
        if force { return .fetch(lease, old: try read()?.value, isOldUsable: false) }
        return try turn(under: lease, read)
    }

    /// What to do if waiting for a turn did not help: on a full quota to fetch without a lease, so that only this process
    /// fetches once.
    func turn<Value>(givingUp error: SecretStoreError, read: Read<Value>) throws(SecretStoreError) -> Turn<Value> {
        switch error.code {
        case .quotaExceeded: return .fetch(.none, old: try read()?.value, isOldUsable: false)
        case .contended where error.isLeaseHeld: throw SecretStoreError(.leaseHeld, item: item)
        default: throw error
        }
    }

    /// Behind the lease another one may have brought it, or removed it: what was read before counts for nothing.
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

    /// Keeps what was fetched, unless the lease was lost, since somebody else may have fetched something newer then, or
    /// something happened to the item since the fetch began: what was deleted in the meantime stays so.
    ///
    /// - Parameter command: a hash of the command line that printed it; `nil` if no command did.
    /// - Returns: false if it is kept without a note how fresh it is or which command printed it, for lack of room.
    package func keep(
        _ bytes: RawSpan, for lifetime: Lifetime, under lease: FetchLease, of command: UInt64? = nil
    ) throws(SecretStoreError) -> Bool {
        // A lease without a watch: the quota was too full for one.
        if lease.timeLeft > .zero, !lease.canStore { throw SecretStoreError(.quotaExceeded, item: item) }
        var wait = Wait()
        let isStored: Bool
        do throws(SecretStoreError) {
            isStored = try wait.run { attempt throws(SecretStoreError) in
                try store(bytes, for: lifetime, under: lease, &attempt)
            }
        } catch {
            // Others were in the way for longer than the lease lasts.
            throw error.code == .leaseLost ? SecretStoreError(.contended, item: item) : error
        }
        guard isStored else { return true }
        do throws(SecretStoreError) {
            try Wait.run(try stepsAfterStoring(LeaseRecord.hash(of: bytes), lifetime, under: lease, of: command))
            return true
        } catch {
            guard error.isLackOfRoomOrTurn else { throw error }
            return false
        }
    }

    /// The first step of keeping it; false if it may not be kept.
    func store(
        _ bytes: RawSpan, for lifetime: Lifetime, under lease: FetchLease, _ attempt: inout BackendAttempt
    ) throws(SecretStoreError) -> Bool {
        if lease.timeLeft > .zero { return try lease.store(bytes, timeout: lifetime.timeout, &attempt) }
        if attempt.progress != nil { throw SecretStoreError(.leaseLost, item: item) }
        return false
    }

    /// The steps after storing what was fetched, so that a process that sees the sentinels sees what they are about.
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

    /// Remembers that the fetch under this lease has failed, where that is asked for.
    func rememberFailure(under lease: FetchLease) {
        guard let failureTimeout, lease.timeLeft > .zero else { return }
        let nothing = InlineArray<0, UInt8>(repeating: 0)
        // The failure itself matters more than that others don't know of it, and nobody waits for that.
        var attempt = BackendAttempt(mayUseLastResorts: false)
        try? unsafe store.backend.set(
            nothing.span.bytes, for: item.failureSentinel, timeout: failureTimeout, &attempt)
    }

    /// Drops the item, so that it is fetched anew; false where there was none.
    package func forget() throws(SecretStoreError) -> Bool {
        let wasThere = try store.delete(item)
        var wait = Wait.freeingQuota()
        _ = try wait.run { attempt throws(SecretStoreError) in
            try store.backend.delete(item.freshnessSentinel, &attempt)
        }
        return wasThere
    }

    private enum Standing { case good, due, unusable }

    /// What the sentinels say of this value; that it is good where they can't be asked.
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
    /// The name of the lease of whoever fetches the item.
    var fetchLeaseName: String { "fetch:" + keyDescription }
}

/// The lease of whoever fetches an item, with the watch over what happens to the item meanwhile.
package final class FetchLease: LeaseHandle {
    let lease: (any LeaseHandle)?
    private let fetch: (any ItemFetch)?
    /// The hash of the value that had been refused when the fetch began.
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

    /// In place of one where the quota has no room for it: nobody waits for its holder, and nothing is kept.
    package static let none = FetchLease()

    package var fencingNumber: UInt64 { lease?.fencingNumber ?? 0 }
    package var timeLeft: Duration { lease?.timeLeft ?? .zero }

    package func renew(lasting duration: Duration) throws(SecretStoreError) -> Bool {
        try lease?.renew(lasting: duration) ?? false
    }

    package func release() -> Bool { lease?.release() ?? true }

    /// Whether the item is watched, so that the result can be stored.
    var canStore: Bool { fetch != nil }

    /// Stores what was fetched, unless something happened to the item since the fetch began; false then.
    ///
    /// Tries again if the item's own lease, which is short, was lost on the way.
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
