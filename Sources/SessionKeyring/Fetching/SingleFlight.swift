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

    private let backend: any SecretBackend
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
        in backend: any SecretBackend, item: ItemIdentity, leaseDuration: Duration, _ refreshing: FetchPolicy.Refreshing,
        failureTimeout: Duration? = nil
    ) throws(SecretStoreError) {
        try HeldLease.check(leaseDuration)
        try item.check()
        var timeout: KeyTimeout?
        if let failureTimeout { timeout = try KeyTimeout(failureTimeout, of: item) }
        self.backend = backend
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
    func turn<Value>(under lease: FetchLease, _ read: Read<Value>) throws(SecretStoreError) -> Turn<Value> {
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
            isStored = try wait.run { effort throws(SecretStoreError) in
                try store(bytes, for: lifetime, under: lease, effort)
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
        _ bytes: RawSpan, for lifetime: Lifetime, under lease: FetchLease, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<Bool> {
        let isLate = lifetime.timeout?.hasPassed == true
        if lease.timeLeft > .zero, !isLate { return try lease.store(bytes, timeout: lifetime.timeout?.left, effort) }
        if isLate || !effort.isFirst { throw SecretStoreError(.leaseLost, item: item) }
        return .done(false)
    }

    /// Returns the steps that follow storing the fetched value.
    ///
    /// They come second, so that a process that sees the sentinels also sees the value that they are about.
    func stepsAfterStoring(
        _ hash: UInt64, _ lifetime: Lifetime, under lease: FetchLease, of command: UInt64? = nil
    ) throws(SecretStoreError) -> [Wait.FurtherStep] {
        var steps: [Wait.FurtherStep] = []
        if let command { steps.append(backend.commandStep(command, of: item, holding: hash, timeout: lifetime.timeout)) }
        steps += try backend.stepsAfterStoring(
            item, hash: hash, lifetime, refreshing: refreshing, lifting: .of(lease.refusal))
        if hasFailed {
            steps.append(.deleting(item.failureSentinel, in: backend))
        }
        return steps
    }

    /// Remembers that the fetch under this lease failed, if a failure timeout was given.
    func rememberFailure(under lease: FetchLease) {
        guard let failureTimeout, lease.timeLeft > .zero else { return }
        let nothing = InlineArray<0, UInt8>(repeating: 0)
        // Make only one attempt. The caller gets its error without delay, and it matters less that others learn of it.
        _ = try? unsafe backend.set(
            nothing.span.bytes, for: item.failureSentinel, timeout: failureTimeout, Effort(mayUseLastResorts: false),
            after: nil)
    }

    /// Deletes the item, so that the next caller fetches it again; false if the item was absent.
    package func forget() throws(SecretStoreError) -> Bool {
        var (deletion, deletionOfSentinel) = (
            DeleteOperation(item, in: backend), DeleteOperation(item.freshnessSentinel, in: backend)
        )
        var wait = Wait.freeingQuota()
        let wasThere = try wait.run { effort throws(SecretStoreError) in try deletion.attempt(effort) }
        _ = try wait.run { effort throws(SecretStoreError) in try deletionOfSentinel.attempt(effort) }
        return wasThere
    }

    enum Standing { case good, due, unusable }

    /// Returns what the sentinels state about this value; `good` if they can't be read.
    func standing(of hash: UInt64) -> Standing {
        do throws(SecretStoreError) {
            let sentinel = try backend.sentinel(item.freshnessSentinel)
            if sentinel == .refused(hash) { return .unusable }
            if refreshing == .never || sentinel == .fresh(hash) { return .good }
            guard refreshing == .dueOrUnusable else { return .due }
            return try backend.sentinel(item.usableSentinel) == .fresh(hash) ? .due : .unusable
        } catch {
            return .good
        }
    }

    var hasFailed: Bool {
        failureTimeout != nil && (try? backend.contains(item.failureSentinel)) == true
    }

    func checkFailure() throws(SecretStoreError) {
        if hasFailed { throw SecretStoreError(.fetchFailed, item: item) }
    }
}

/// The parts of a turn (``FetchTurn``).
extension SingleFlight {
    /// Whether somebody is fetching the item.
    func isFetched() throws(SecretStoreError) -> Bool { try backend.isLeaseHeld(leaseName) }

    func takeLease(_ effort: Effort) throws(SecretStoreError) -> Outcome<any LeaseHandle> {
        try backend.takeLease(leaseName, lasting: leaseDuration, effort)
    }

    func watch(_ effort: Effort) throws(SecretStoreError) -> Outcome<(any ItemFetch)?> {
        try backend.beginFetch(of: item, effort)
    }

    /// The hash of the value that is marked as refused.
    func refusal() throws(SecretStoreError) -> UInt64? {
        try backend.sentinel(item.freshnessSentinel).flatMap(\.refusal)
    }
}

extension ItemIdentity {
    /// The name of the lease that a process holds while it fetches the item.
    var fetchLeaseName: String { "fetch:" + keyDescription }
}
