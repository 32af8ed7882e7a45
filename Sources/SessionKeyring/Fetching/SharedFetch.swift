import Dispatch
import Keyutils

/// One attempt to get an item, and those in this process who wait for how it ends.
///
/// It belongs to all of them: whoever is cancelled leaves, and the last one who leaves ends it. Its end reaches those who
/// wait at that time; who comes later begins another one. Between processes the lease decides, which it holds from the
/// moment on at which something is really fetched.
///
/// - `running`: it waits for its turn or fetches. Its callers' leaving and its limit end it: the lease is released at once,
///   so that others go on even if the fetch does not listen to its cancellation, and what that finds is not stored.
/// - `ending`: its limit has passed, and what that means is found out, with the lease still held.
/// - `keeping`: what was found is being stored. Nothing from outside ends it any more.
/// - `stopped`: the lease is released.
final class SharedFetch: Sendable {
    /// How it ended, for those who waited for it.
    enum End: Sendable {
        /// This was found. Who did not begin the fetch looks into the store for it, where there may be something newer, or
        /// nothing after a `clear`; unless it is for all, because the store had no room for it.
        case found(any Sendable, isForAll: Bool)
        /// A thread found this value, which the store had no room for, and others can't share as it is: each decodes it.
        case unkept(EncodedValue)
        /// It failed, for all of them.
        case failed(any Error)
        /// It ended without a word: look again.
        case unknown

        /// It took longer than it may.
        static func timedOut(_ flight: SingleFlight) -> End {
            .failed(SecretStoreError(.fetchTimedOut, item: flight.item))
        }
    }

    private enum Phase {
        case running, ending, keeping, stopped
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

    /// What is given back when it stops.
    private struct Hold {
        let lease: any LeaseHandle
        let renewal: BackgroundTimer?
        let limit: BackgroundTimer
    }

    private static let running = LockBox<[FetchKey: SharedFetch]>([:])

    private let key: FetchKey
    private let state = LockBox(State())

    private init(_ key: FetchKey) {
        self.key = key
    }
}

/// The callers.
extension SharedFetch {
    /// A caller's part in a fetch, which ends with this value.
    struct Part: ~Copyable {
        let fetch: SharedFetch
        fileprivate let caller: Int

        /// Whether this caller has to see to the fetch.
        var isFirst: Bool { caller == 0 }

        deinit {
            fetch.leave(caller)
        }
    }

    /// Takes part in the fetch of this that is under way, or begins one.
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
            // At once, so that nobody joins what is about to stop.
            if isLast { state.end = cancelled }
            state.callers.remove(caller)
            return (state.waiters.removeValue(forKey: caller), isLast)
        }
        waiter?(cancelled)
        if isLast { abandon(with: cancelled) }
    }

    /// Waits for the end; a caller that is cancelled leaves at once.
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

    /// Waits for the end, keeping the thread.
    func waitForEnd(for part: borrowing Part) -> End {
        let hasEnded = DispatchSemaphore(value: 0)
        let end = LockBox(End.unknown)
        notify(part.caller) { result in
            end.withLock { $0 = result }
            hasEnded.signal()
        }
        hasEnded.wait()
        return end.withLock { $0 }
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

/// The work.
extension SharedFetch {
    /// Starts it in a task of its own.
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

    /// Does it here, on the thread of the first caller.
    func finishing<Value>(_ work: () throws -> (Value, End)) throws -> Value {
        do {
            let (value, end) = try work()
            finish(with: end)
            return value
        } catch {
            finish(with: .failed(error))
            throw error
        }
    }

    /// Hands over the lease under which it fetches from now on, until the limit; false if nobody wants it any more.
    ///
    /// - Parameter atLimit: how it ends if it comes to that; called while the lease is still held.
    func hold(
        _ lease: any LeaseHandle, _ renewal: BackgroundTimer?, upTo limit: Duration,
        atLimit: @escaping @Sendable () -> End
    ) -> Bool {
        let timer = BackgroundTimer(after: limit) { [weak self] in
            guard let self, self.beginEnding() else { return }
            self.stop(during: [.ending], with: atLimit())
        }
        return state.withLock { state in
            guard state.phase == .running else { return false }
            state.hold = Hold(lease: lease, renewal: renewal, limit: timer)
            return true
        }
    }

    /// Whether its limit may end it; then what it finds is not stored any more.
    private func beginEnding() -> Bool {
        state.withLock { state in
            guard state.phase == .running else { return false }
            state.phase = .ending
            return true
        }
    }

    /// Whether what was found may be stored; nothing from outside ends it then.
    func beginKeeping() -> Bool {
        state.withLock { state in
            guard state.phase == .running else { return false }
            state.phase = .keeping
            return true
        }
    }

    /// Tells the callers how it ended, while the work goes on without them.
    func answer(with end: End) {
        state.withLock { state in state.end = state.end ?? end }
        tell()
    }

    /// The work is done.
    func finish(with end: End) {
        stop(during: [.running, .keeping], with: end)
    }

    /// Ends it from outside.
    private func abandon(with end: End) {
        stop(during: [.running], with: end)
    }

    private func stop(during phases: [Phase], with end: End) {
        let (work, hold) = state.withLock { state in
            guard phases.contains(state.phase) else { return (nil as Task<Void, Never>?, nil as Hold?) }
            state.phase = .stopped
            // Before the work hears of it, whose own end would be that it was cancelled.
            state.end = state.end ?? end
            defer { state.hold = nil }
            return (state.work, state.hold)
        }
        // What is cancelled has not failed: without its lease it leaves nothing behind.
        _ = hold?.lease.release()
        work?.cancel()
        tell()
    }

    /// Tells those who wait, if it has ended for them.
    private func tell() {
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

/// A value's bytes, for threads that may not share the value itself.
final class EncodedValue: Sendable {
    private let bytes: SecretBytes

    /// Encodes a value; `nil` if that is not possible.
    init?<Value>(_ value: Value, _ coding: ValueCoding<Value>) {
        guard let bytes = try? coding.encode(value) else { return nil }
        self.bytes = bytes
    }

    /// Makes a value of the bytes; `nil` if they are not in its form.
    func decoded<Value>(_ coding: ValueCoding<Value>) -> Value? {
        bytes.withBytes { bytes in try? coding.decode(bytes) }
    }
}
