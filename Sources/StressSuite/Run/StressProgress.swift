/// How far a run is.
package struct StressProgress: Sendable, Equatable {
    package enum Phase: Sendable, Equatable {
        case running, checking
        /// Short runs with more and more workers; which of how many.
        case scaling(Int, of: Int)
    }

    package var phase = Phase.running
    /// For how long workers have run, in seconds.
    package var seconds = 0.0
    /// From 0 to 1.
    package var fraction = 0.0
    package var operations = 0
    /// Calls a second since the report before.
    package var rate = 0.0
    /// Of the calls since the report before, in nanoseconds; 0 where there was none.
    package var p50: UInt64 = 0
    package var p99: UInt64 = 0
    package var errors = 0
    package var kills = 0
    /// How much of the user's quota is in use.
    package var quotaPercent = 0
}
