/// How a round ended.
struct RoundOutcome {
    /// When the workers began and ended, in nanoseconds of ``MonotonicTime``.
    let began: UInt64
    var ended: UInt64 = 0
    /// When processes were killed.
    var kills: [UInt64] = []
    /// The problems of the workers themselves.
    var failures: [String] = []
    var isInterrupted = false
}
