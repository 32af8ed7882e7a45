import Keyutils

/// A fetch of an item that many want at the same time: one of them does it, and the others wait.
///
/// The process that fetches holds a lease. The facts about the existing value (``ItemFacts``) state whether it is good:
///
/// - whether it is fresh. If it isn't, it is due: one of the callers whose ``FetchPolicy`` allows it fetches the value
///   again, while the others get the old value;
/// - whether others can get the old value during that fetch. This matters only to callers that
///   use ``FetchPolicy/Refreshing/dueOrUnusable``;
/// - whether it was refused. Then nobody gets it.
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

    fileprivate let backend: any SecretBackend
    package let item: ItemIdentity
    let leaseDuration: Duration
    private let refreshing: FetchPolicy.Refreshing
    /// Whether a fetch is begun only if its result can be stored.
    let isStrict: Bool
    private let failureTimeout: KeyTimeout?

    /// Creates a single flight for an item.
    ///
    /// - Parameters:
    ///   - leaseDuration: how long the lease lasts after each renewal.
    ///   - failureTimeout: how long others do not fetch after a failure; `nil` if each caller tries itself.
    /// - Throws: ``SecretStoreError`` with `invalidTimeout` or `invalidName`.
    package init(
        in backend: any SecretBackend, item: ItemIdentity, leaseDuration: Duration,
        _ refreshing: FetchPolicy.Refreshing, failureTimeout: Duration? = nil, isStrict: Bool = false
    ) throws(SecretStoreError) {
        try HeldLease.check(leaseDuration)
        if let problem = item.problem { throw SecretStoreError(problem, of: item) }
        var timeout: KeyTimeout?
        if let failureTimeout { timeout = try KeyTimeout(failureTimeout, of: item) }
        self.backend = backend
        self.item = item
        self.leaseDuration = leaseDuration
        (self.refreshing, self.isStrict) = (refreshing, isStrict)
        self.failureTimeout = timeout
    }

    /// Returns the existing value if nobody has to fetch it again.
    func good<Value>(_ read: Read<Value>) throws(SecretStoreError) -> Value? {
        guard let found = try read(), standing(of: found.known?.facts) == .good else { return nil }
        return found.value
    }

    /// Returns the existing value if callers can use it while somebody else fetches it again.
    func usable<Value>(_ read: Read<Value>) throws(SecretStoreError) -> Value? {
        guard let found = try read(), standing(of: found.known?.facts) != .unusable else { return nil }
        return found.value
    }

    /// Decides what the caller does if waiting for a turn was unsuccessful.
    ///
    /// If the quota is full or the session was revoked, the caller fetches without a lease. Then other processes may
    /// fetch too, but this process fetches only once, and nothing is stored.
    func turn<Value>(givingUp error: SecretStoreError, read: Read<Value>) throws(SecretStoreError) -> Turn<Value> {
        switch error.code {
        case .quotaExceeded where !isStrict: return .fetch(.none, old: try read()?.value, isOldUsable: false)
        case .sessionRevoked where !isStrict: return .fetch(.none, old: nil, isOldUsable: false)
        case .contended where error.isLeaseHeld: throw SecretStoreError(.leaseHeld, item: item)
        default: throw error
        }
    }

    /// Reads the item again under the lease, and decides what the caller does.
    ///
    /// Before this process got the lease, another one may have stored or removed the item. So the result of an earlier
    /// read is not used.
    func turn<Value>(under lease: FetchLease, _ read: Read<Value>) throws(SecretStoreError) -> Turn<Value> {
        var value = try read()
        if let found = value, found.known?.facts == nil {
            // The writer of this value could be about to state facts.
            if try backend.isBeingWritten(item) { throw SecretStoreError(.blocked(.itemLease), item: item) }
            value = try read()
        }
        guard let found = value else {
            try checkFailure()
            return try fetchTurn(lease, old: nil as Found<Value>?)
        }
        let standing = standing(of: found.known?.facts)
        if standing == .good { return .take(found.value) }
        if standing == .unusable { try checkFailure() }
        return try fetchTurn(lease, old: found, isOldUsable: standing == .due)
    }

    /// Returns the turn of a caller that fetches, unless something has happened to the item since the watch began.
    ///
    /// The result could then not be stored, and the fetch would spend the old value's refresh token for nothing.
    func fetchTurn<Value>(
        _ lease: FetchLease, old: Found<Value>?, isOldUsable: Bool = false
    ) throws(SecretStoreError) -> Turn<Value> {
        guard try lease.isUntouched(old?.known?.key) else { throw SecretStoreError(.blocked(.itemLease), item: item) }
        return .fetch(lease, old: old?.value, isOldUsable: isOldUsable)
    }

    /// Stores the fetched value and the facts about it.
    ///
    /// Nothing is stored if the lease was lost, because somebody else may have fetched something newer. Nothing is
    /// stored either if something happened to the item since the fetch began: an item that was deleted during the fetch
    /// stays deleted.
    ///
    /// - Parameter command: a hash of the command line that printed the value; `nil` if no command did.
    /// - Returns: false if the value was stored without the facts about it.
    package func keep(
        _ bytes: RawSpan, for lifetime: RunningLifetime, under lease: FetchLease, of command: UInt64? = nil
    ) throws(SecretStoreError) -> Bool {
        // The quota had no room for a watch on the item, and without one, nothing can be stored.
        if lease.timeLeft > .zero, !lease.canStore { throw SecretStoreError(.quotaExceeded, item: item) }
        var wait = Wait()
        let storage: FetchStorage
        do throws(SecretStoreError) {
            storage = try wait.run { effort throws(SecretStoreError) in
                try store(bytes, for: lifetime, under: lease, of: command, effort)
            }
        } catch {
            // Others blocked the write until the lease or the value's timeout had ended.
            throw error.code == .leaseLost ? SecretStoreError(.contended, item: item) : error
        }
        return storage != .valueAlone
    }

    /// Makes one attempt to store the fetched value and the facts about it.
    func store(
        _ bytes: RawSpan, for lifetime: RunningLifetime, under lease: FetchLease, of command: UInt64? = nil,
        _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<FetchStorage> {
        let isLate = lifetime.timeout?.hasPassed == true
        // If somebody else has the lease by now and fetches the item, that fetch has ended our watch.
        if isStrict || lease.timeLeft > .zero, !isLate {
            // A caller that never refreshes states nothing but the command.
            let facts =
                refreshing == .never ? command.map { ItemFacts(command: $0) } : lifetime.facts(command: command)
            return try lease.store(bytes, timeout: lifetime.timeout?.left, facts, effort)
        }
        if isLate || !effort.isFirst { throw SecretStoreError(.leaseLost, item: item) }
        return .done(.nothing)
    }

    /// Returns the operation that forgets an earlier failure; `nil` if there isn't one.
    func forgettingFailure() -> DeleteOperation? { hasFailed ? DeleteOperation(item.failure, in: backend) : nil }

    /// Remembers that the fetch under this lease failed, if a failure timeout was given.
    func rememberFailure(under lease: FetchLease) {
        guard let failureTimeout, lease.timeLeft > .zero else { return }
        let nothing = InlineArray<0, UInt8>(repeating: 0)
        // Make only one attempt. The caller gets its error without delay, and it matters less that others learn of it.
        _ = try? unsafe backend.set(
            nothing.span.bytes, for: item.failure, timeout: failureTimeout, nil, Effort(mayUseLastResorts: false),
            after: nil)
    }

    enum Standing { case good, due, unusable }

    /// Returns what the facts state about a value.
    func standing(of facts: ItemFacts?) -> Standing {
        if facts?.isRefused == true { return .unusable }
        let now = SystemTime.now()
        if refreshing == .never || facts?.freshness.holds(at: now) == true { return .good }
        return refreshing == .due || facts?.usability.holds(at: now) == true ? .due : .unusable
    }

    var hasFailed: Bool {
        failureTimeout != nil && (try? backend.contains(item.failure)) == true
    }

    func checkFailure() throws(SecretStoreError) {
        if hasFailed { throw SecretStoreError(.fetchFailed, item: item) }
    }
}

extension SingleFlight.Turn: Sendable where Value: Sendable {}

extension ItemIdentity {
    /// The name of the lease that a process holds while it fetches the item.
    var fetchLeaseName: String { "fetch:" + keyDescription }
}

/// Waiting for a turn to fetch an item.
package struct FetchTurn {
    private let flight: SingleFlight
    /// Whether an existing value is ignored.
    private let isForced: Bool
    /// The lease that an earlier attempt has taken.
    private var lease: (any LeaseHandle)?

    package init(of flight: SingleFlight, force isForced: Bool = false) {
        (self.flight, self.isForced) = (flight, isForced)
    }

    /// Releases the lease that earlier attempts have taken.
    package mutating func releaseLease() {
        _ = lease?.release()
        lease = nil
    }

    /// Decides what the caller does now, in one attempt.
    ///
    /// - Parameter read: reads the item.
    /// - Throws: ``SecretStoreError`` with `fetchFailed` if a recent failure is remembered.
    package mutating func attempt<Value>(
        _ effort: Effort, read: SingleFlight.Read<Value>
    ) throws(SecretStoreError) -> Outcome<SingleFlight.Turn<Value>> {
        try .of { () throws(SecretStoreError) in
            if !isForced, let found = try read() {
                switch flight.standing(of: found.known?.facts) {
                case .good: return .take(found.value)
                case .due: return try dueTurn(found.value, effort, read)
                case .unusable: break
                }
            }
            try flight.checkFailure()
            // Many callers may miss the item at the same time. This look keeps them from staging leases that they
            // can't get.
            if lease == nil, try isFetched() { throw SecretStoreError(.blocked(.namedLease), item: flight.item) }
            let lease = try takeLease(effort)
            if isForced { return try flight.fetchTurn(lease, old: try read()) }
            return try flight.turn(under: lease, read)
        }
    }

    /// Decides what the caller of a due value does.
    ///
    /// The caller has a usable value, so no problem here is worth an error. The next caller tries again.
    private mutating func dueTurn<Value>(
        _ value: Value, _ effort: Effort, _ read: SingleFlight.Read<Value>
    ) throws(SecretStoreError) -> SingleFlight.Turn<Value> {
        guard !flight.hasFailed, (try? isFetched()) == false else { return .take(value) }
        let taken: FetchLease
        do throws(SecretStoreError) {
            taken = try takeLease(effort)
        } catch {
            // This process is replacing the leases' ring, and must wait before the next step. Complete the
            // replacement, because perhaps nobody else would.
            if case .until = error.blockage { throw error }
            releaseLease()
            return .take(value)
        }
        do throws(SecretStoreError) {
            return try flight.turn(under: taken, read)
        } catch {
            // Somebody is writing the item, perhaps for as long as an update takes.
            guard error.isBlockage else { throw error }
            return .take(value)
        }
    }

    /// Whether somebody is fetching the item.
    private func isFetched() throws(SecretStoreError) -> Bool {
        try flight.backend.isLeaseHeld(flight.item.fetchLeaseName)
    }

    private mutating func takeLease(_ effort: Effort) throws(SecretStoreError) -> FetchLease {
        if lease.map({ $0.timeLeft <= .zero }) ?? true {
            lease = try flight.backend.takeLease(
                flight.item.fetchLeaseName, lasting: flight.leaseDuration, effort
            ).get()
        }
        // A strict fetch reserves room before its watch.
        let fetch =
            flight.isStrict ? nil : try flight.backend.beginFetch(of: flight.item, reserving: nil, effort).get()
        guard let taken = lease.take() else { throw SecretStoreError(.blocked(.namedLease), item: flight.item) }
        return FetchLease(taken, watching: fetch)
    }
}

/// The lease of a process that fetches an item, with a watch for changes to the item during the fetch.
package final class FetchLease: LeaseHandle {
    private let lease: (any LeaseHandle)?
    private let watch: LockBox<(any ItemFetch)?>
    private var fetch: (any ItemFetch)? { watch.withLock { $0 } }

    init(_ lease: (any LeaseHandle)?, watching fetch: (any ItemFetch)?) {
        self.lease = lease
        watch = LockBox(fetch)
    }

    /// The substitute for a lease if the quota has no room for one: nobody waits for it, and nothing is stored.
    package static let none = FetchLease(nil, watching: nil)

    package var fencingNumber: UInt64 { lease?.fencingNumber ?? 0 }
    package var timeLeft: Duration { lease?.timeLeft ?? .zero }

    package func renew(lasting duration: Duration) throws(SecretStoreError) -> Bool {
        fetch?.renew()
        return try lease?.renew(lasting: duration) ?? false
    }

    package func name(command processID: Int32) throws(SecretStoreError) -> Bool {
        try lease?.name(command: processID) ?? false
    }

    package func release() -> Bool { lease?.release() ?? true }

    /// Makes one attempt to reserve room for the result, and then to watch the item, instead of an earlier attempt.
    ///
    /// - Parameter size: the size of a first value, in bytes.
    func begin(
        of item: ItemIdentity, reserving size: Int, in backend: any SecretBackend, _ effort: Effort
    ) throws(SecretStoreError) {
        watch.withLock { $0 = nil }
        let fetch = try backend.beginFetch(of: item, reserving: size, effort).get()
        watch.withLock { $0 = fetch }
    }

    /// Whether the item is watched, so that the result can be stored.
    var canStore: Bool { fetch != nil }

    /// Returns whether nothing has happened to the item since the fetch began; also true if it isn't watched.
    ///
    /// - Parameter key: the key of the value that the caller has read since then.
    func isUntouched(_ key: Int32?) throws(SecretStoreError) -> Bool {
        try fetch?.isUntouched(key) ?? true
    }

    /// Makes one attempt to store the fetched value, unless the item was set, deleted or cleared since the fetch began.
    ///
    /// A write also takes the item's own lease for a moment. If that lease was lost, this tries again.
    func store(
        _ bytes: RawSpan, timeout: KeyTimeout?, _ facts: ItemFacts?, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<FetchStorage> {
        do throws(SecretStoreError) {
            return try fetch?.store(bytes, timeout: timeout, facts, effort) ?? .done(.nothing)
        } catch {
            guard error.code == .leaseLost else { throw error }
            return .blocked(SecretStoreError(.blocked(.itemLease), item: error.item))
        }
    }
}
