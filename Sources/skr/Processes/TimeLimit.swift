import Glibc

/// How long a command can run, and the end of all that it has started if it runs for longer.
///
/// First, each process gets SIGTERM. After the grace, those that are left get SIGKILL, until none is left.
struct TimeLimit {
    private enum Phase { case running, terminating, killing, over }

    /// How long the processes have to end after SIGTERM.
    static let usualGrace = Duration.seconds(5)
    /// How long we wait for processes that SIGKILL doesn't end: those of another user, or those in a system call.
    private static let lastGrace = Duration.seconds(1)
    private static let pause = Duration.milliseconds(50)

    private let grace: Duration
    private var phase = Phase.running
    /// When the next phase begins.
    private var deadline: ContinuousClock.Instant
    private(set) var descendants: Descendants

    init(_ limit: Duration, grace: Duration = usualGrace, of descendants: Descendants) {
        (self.grace, self.descendants) = (grace, descendants)
        deadline = .now + limit
    }

    /// Whether the command's processes are being ended.
    var isEnding: Bool { phase == .terminating || phase == .killing }

    /// Whether no process is left, or none that we can end.
    var isOver: Bool { phase == .over }

    /// Whether ``enforce(isCommandOver:)`` would end processes.
    var isReached: Bool { phase != .over && (isEnding || deadline <= .now) }

    /// How long `poll(2)` can wait before the next call of ``enforce(isCommandOver:)``.
    var millisecondsLeft: Int32 {
        if isOver { return .max }
        let left = isEnding ? min(Self.pause, deadline - .now) : deadline - .now
        let (seconds, attoseconds) = left.components
        return max(0, Int32(clamping: seconds * 1_000 + attoseconds / 1_000_000_000_000_000 + 1))
    }

    /// Ends the processes if the limit is reached; call it again until ``isOver``.
    ///
    /// - Parameter isCommandOver: whether the command itself has ended.
    mutating func enforce(isCommandOver: Bool) {
        guard isReached else { return }
        if deadline <= .now { beginNextPhase() }
        let signal = phase == .terminating ? SIGTERM : SIGKILL
        if isEnding, !descendants.end(by: signal, isCommandOver: isCommandOver) { phase = .over }
    }

    private mutating func beginNextPhase() {
        switch phase {
        case .running: (phase, deadline) = (.terminating, .now + grace)
        case .terminating: (phase, deadline) = (.killing, .now + Self.lastGrace)
        case .killing, .over: phase = .over
        }
    }
}
