import Keyutils

/// One attempt to get an item, shared by all callers in this process that wait for the result.
///
/// The fetch belongs to all its callers. A caller that is cancelled leaves it, and when the last caller leaves, the fetch
/// ends, unless it is committed. Its result goes to the callers that are waiting when it ends. A later caller begins another fetch.
/// Between processes, a lease decides which one fetches (``SingleFlight``). The fetch takes the lease when its turn
/// comes, and holds it until it has stopped.
///
/// A fetch is always in one of six phases:
///
/// - `running`: it waits for its turn or fetches. If all its callers leave, it becomes `stopped`; if it reaches its
///   limit, it becomes `ending`.
/// - `committed`: its closure was called, and its result must not be lost. It continues without callers, and becomes `late`
///   at its limit.
/// - `ending`: it has reached its limit. While it still holds the lease, it finds out what its callers get instead of a
///   result.
/// - `late`: it was committed, and has reached its limit. It finds out what its callers get, and then releases the lease,
///   so that others can fetch. It can still keep its result, unless the next fetch is committed, which stops it.
/// - `keeping`: it is storing its result. Nothing from outside ends it any more.
/// - `stopped`: it has released the lease, so that others can fetch. If it was stopped early, its work is cancelled.
///   Even if the work ignores the cancellation, the result is not stored.
final class SharedFetch: Sendable {
    /// How a fetch ended, for the callers that waited for it.
    enum End: Sendable {
        /// The fetch found this value.
        ///
        /// Only the caller that began the fetch takes it from here. The other callers look into the store, which may
        /// hold a newer value by then, or nothing after a `clear`. If `isForAll` is true, all callers take the value
        /// from here, for example because the store had no room for it.
        case found(any Sendable, isForAll: Bool)
        /// The fetch failed, for all its callers.
        case failed(any Error)
        /// The fetch ended without a result: its callers look again.
        case unknown
    }

    private enum Phase {
        case running, committed, ending, late, keeping, stopped
    }

    private struct State {
        var phase = Phase.running
        var end: End?
        var callers: Set<Int> = [0]
        var nextCaller = 1
        var waiters: [Int: @Sendable (End) -> Void] = [:]
        var work: Task<Void, Never>?
        var hold: Hold?
    }

    /// The lease and the timers that a fetch releases when it stops.
    private struct Hold {
        let lease: any LeaseHandle
        let renewal: BackgroundTimer?
        let limit: BackgroundTimer
        /// The thread that holds the room for the result.
        var thread: StagingThread?
    }

    private static let running = LockBox<[FetchKey: SharedFetch]>([:])
    /// The late fetches, at most one for each key: the next one to be committed stops it.
    private static let late = LockBox<[FetchKey: SharedFetch]>([:])

    private let key: FetchKey
    private let state = LockBox(State())

    private init(_ key: FetchKey) {
        self.key = key
    }
}

/// Joining a fetch, waiting for its end, and leaving it.
extension SharedFetch {
    /// A caller's part in a fetch, which ends when this value is destroyed.
    struct Part: ~Copyable {
        let fetch: SharedFetch
        fileprivate let caller: Int

        /// Whether this caller began the fetch and must run it.
        var isFirst: Bool { caller == 0 }

        deinit {
            fetch.leave(caller)
        }
    }

    /// Joins the fetch for this key that is under way, or begins one.
    static func join(_ key: FetchKey) -> Part {
        running.withLock { running in
            if let fetch = running[key], let caller = fetch.enter() { return Part(fetch: fetch, caller: caller) }
            let fetch = SharedFetch(key)
            running[key] = fetch
            return Part(fetch: fetch, caller: 0)
        }
    }

    private func enter() -> Int? {
        state.withLock { state in
            guard state.end == nil else { return nil }
            defer { state.nextCaller += 1 }
            state.callers.insert(state.nextCaller)
            return state.nextCaller
        }
    }

    private func leave(_ caller: Int) {
        let cancelled = End.failed(CancellationError())
        let (waiter, isLast) = state.withLock { state in
            let isLast = state.end == nil && state.phase == .running && state.callers == [caller]
            // Set the end now, so that nobody joins a fetch that is about to stop.
            if isLast { state.end = cancelled }
            state.callers.remove(caller)
            return (state.waiters.removeValue(forKey: caller), isLast)
        }
        waiter?(cancelled)
        if isLast { stop(during: [.running], with: cancelled) }
    }

    /// Waits for the end; a caller that is cancelled leaves immediately.
    func end(for part: borrowing Part) async -> End {
        let caller = part.caller
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                notify(caller) { end in continuation.resume(returning: end) }
            }
        } onCancel: {
            leave(caller)
        }
    }

    private func notify(_ caller: Int, _ waiter: @escaping @Sendable (End) -> Void) {
        let known: End? = state.withLock { state in
            if let end = state.end { return end }
            guard state.callers.contains(caller) else { return .failed(CancellationError()) }
            state.waiters[caller] = waiter
            return nil
        }
        if let known { waiter(known) }
    }
}

/// Running a fetch and ending it.
extension SharedFetch {
    /// Starts the work in a separate task.
    func start(_ work: @escaping @Sendable () async throws -> End) {
        let task = Task {
            do {
                finish(with: try await work())
            } catch {
                finish(with: .failed(error))
            }
        }
        let isStopped = state.withLock { state in
            state.work = task
            return state.phase == .stopped
        }
        if isStopped { task.cancel() }
    }

    /// Accepts the lease under which the work fetches from now on, until the limit.
    ///
    /// - Parameter atLimit: returns how the fetch ends if it reaches its limit; called while the lease is still held.
    /// - Returns: false if nobody wants the result any more.
    func hold(
        _ lease: any LeaseHandle, _ renewal: BackgroundTimer?, upTo limit: Duration,
        atLimit: @escaping @Sendable () -> End
    ) -> Bool {
        let timer = BackgroundTimer(after: limit) { [weak self] in
            guard let self, let phase = self.reachLimit() else { return }
            // This decodes a value and cancels the work, which is code of callers.
            BriefThread.run {
                if phase == .late {
                    self.letOthersFetch(with: atLimit())
                } else {
                    self.stop(during: [.ending], with: atLimit())
                }
            }
        }
        return state.withLock { state in
            guard state.phase == .running else { return false }
            state.hold = Hold(lease: lease, renewal: renewal, limit: timer)
            return true
        }
    }

    /// Begins to end a fetch that has reached its limit; `nil` if it has ended or is storing its result.
    private func reachLimit() -> Phase? {
        state.withLock { state in
            switch state.phase {
            case .running: state.phase = .ending
            case .committed: state.phase = .late
            default: return nil
            }
            return state.phase
        }
    }

    /// Whether the fetch has ended.
    var hasStopped: Bool { state.withLock { $0.phase == .stopped } }

    /// Decides that the result must not be lost, before the closure is called; false if the fetch was stopped.
    ///
    /// - Parameter thread: holds the room for the result.
    func commit(_ thread: StagingThread) -> Bool {
        let isCommitted = state.withLock { state in
            guard state.phase == .running else { return false }
            state.phase = .committed
            state.hold?.thread = thread
            return true
        }
        // The result of an earlier fetch can't be stored any more.
        if isCommitted { Self.late.withLock { $0.removeValue(forKey: key) }?.stop(during: [.late], with: .unknown) }
        return isCommitted
    }

    /// Whether the result must not be lost, and the limit has not been reached.
    var isCommitted: Bool { state.withLock { $0.phase == .committed } }

    /// The thread that holds the room for the result, unless the fetch was stopped.
    var thread: StagingThread? { state.withLock { $0.hold?.thread } }

    /// Begins to store the result; false if the fetch was stopped.
    ///
    /// After this, nothing from outside ends the fetch.
    func beginKeeping() -> Bool {
        state.withLock { state in
            guard [.running, .committed, .late].contains(state.phase) else { return false }
            state.phase = .keeping
            return true
        }
    }

    /// Gives the callers an early answer, while the work continues without them.
    func answer(with end: End) {
        state.withLock { state in state.end = state.end ?? end }
        notifyWaiters()
    }

    /// Ends the fetch after its work is done.
    func finish(with end: End) {
        stop(during: [.running, .committed, .late, .keeping], with: end)
    }

    /// Tells the callers of a late fetch how it ends for them, and releases the lease, while the work continues.
    private func letOthersFetch(with end: End) {
        let lease = state.withLock { state in
            // If the result has come in the meantime, its callers get that.
            guard state.phase == .late else { return nil as (any LeaseHandle)? }
            state.end = state.end ?? end
            // The renewal continues, because it also keeps the watch.
            return state.hold?.lease
        }
        guard let lease else { return }
        Self.late.withLock { $0[key] = self }
        _ = lease.release()
        notifyWaiters()
        if hasStopped { forgetLate() }
    }

    private func forgetLate() {
        Self.late.withLock { late in
            if late[key] === self { late[key] = nil }
        }
    }

    private func stop(during phases: Set<Phase>, with end: End) {
        let (work, hold) = state.withLock { state in
            guard phases.contains(state.phase) else { return (nil as Task<Void, Never>?, nil as Hold?) }
            state.phase = .stopped
            // Set the end before cancelling the work. Otherwise the work would report its cancellation as the end.
            state.end = state.end ?? end
            defer { state.hold = nil }
            return (state.work, state.hold)
        }
        forgetLate()
        // Release the lease before cancelling the work. Without its lease, the work stores nothing, and does not
        // remember its cancellation as a failure.
        _ = hold?.lease.release()
        // Cancel last, because this runs the work's cancellation handlers, which may block.
        notifyWaiters()
        work?.cancel()
    }

    /// Tells the waiting callers how the fetch ended, if it has ended.
    private func notifyWaiters() {
        let (end, waiters) = state.withLock { state in
            defer { if state.end != nil { state.waiters = [:] } }
            return (state.end, Array(state.waiters.values))
        }
        guard let end else { return }
        Self.running.withLock { running in
            if running[key] === self { running[key] = nil }
        }
        for waiter in waiters { waiter(end) }
    }
}
