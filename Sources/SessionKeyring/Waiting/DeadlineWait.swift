import Glibc

/// Waiting, up to a deadline, for what somebody else holds or fetches: until the kernel tells of a change, where it does and
/// was asked, else for pauses that grow.
package struct DeadlineWait {
    private let start = BootTime.now()
    private var deadline: BootTime
    private var backoff: Backoff
    private var signal: LazySignal

    /// How it learns of a change: asked for only once it has to wait.
    private enum LazySignal {
        case unasked(any SecretBackend)
        case asked(ChangeSignal)
        case none
    }

    /// - Parameters:
    ///   - limit: how long to wait in all.
    ///   - backend: where the change is expected.
    package init(_ limit: Duration, at backend: any SecretBackend) {
        self.init(limit, backoff: .long)
        signal = .unasked(backend)
    }

    /// Waits by pauses alone.
    init(_ limit: Duration, backoff: Backoff) {
        deadline = start + BootTime(limit)
        self.backoff = backoff
        signal = .none
    }

    /// Makes the deadline at least so long after the beginning.
    mutating func extend(to limit: Duration) {
        deadline = max(deadline, start + BootTime(limit))
    }

    /// Waits a while, keeping the thread; false once its deadline has passed.
    package mutating func wait() -> Bool {
        switch step() {
        case .over: return false
        case .look: return true
        case .pause(let duration): Self.sleep(duration)
        case .signal(let signal, let left): signal.wait(upTo: left)
        }
        return true
    }

    /// Waits a while, keeping no thread; false once its deadline has passed.
    ///
    /// - Throws: `CancellationError`.
    nonisolated(nonsending) mutating func waitInTask() async throws -> Bool {
        try Task.checkCancellation()
        switch step() {
        case .over: return false
        case .look: return true
        case .pause(let duration): try await Task.sleep(for: duration)
        case .signal(let signal, let left):
            await signal.waitInTask(upTo: left)
            try Task.checkCancellation()
        }
        return true
    }

    private enum Step {
        case over
        case look
        case pause(Duration)
        case signal(ChangeSignal, upTo: Duration)
    }

    private mutating func step() -> Step {
        let left = deadline.since(.now())
        guard left > .zero else { return .over }
        switch signal {
        case .unasked(let backend):
            // Made before the look that follows, so that nothing is missed.
            signal = ChangeSignal(backend).map(LazySignal.asked) ?? .none
            return .look
        case .asked(let signal): return .signal(signal, upTo: left)
        case .none: return .pause(min(backoff.next(), left))
        }
    }

    /// Keeps the thread; a signal may cut it short, which only means to look earlier.
    static func sleep(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        var time = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
        unsafe nanosleep(&time, nil)
    }
}
