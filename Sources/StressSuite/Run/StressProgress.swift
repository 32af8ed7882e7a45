/// The progress of a run.
package struct StressProgress: Sendable, Equatable {
    package enum Phase: Sendable, Equatable {
        case running, checking
        /// Short runs that measure scaling: the number of the current one, and the total.
        case scaling(Int, of: Int)
    }

    package var phase = Phase.running
    /// How long the workers have run, in seconds.
    package var seconds = 0.0
    /// The completed share of the run, from 0 to 1.
    package var fraction = 0.0
    package var operations = 0
    /// Calls a second since the previous report.
    package var rate = 0.0
    /// The median latency of the latest calls, in nanoseconds; 0 if no call has returned yet.
    package var p50: UInt64 = 0
    /// The 99th percentile of the same latencies.
    package var p99: UInt64 = 0
    package var errors = 0
    package var kills = 0
    /// The share of the user's quota in use, in percent.
    package var quotaPercent = 0
}
