/// How far a run is.
package struct StressProgress: Sendable, Equatable {
    package enum Phase: Sendable, Equatable {
        case running, checking
        /// Short runs with more and more workers; which of how many.
        case scaling(Int, of: Int)
    }

    package var phase: Phase
    /// For how long workers have run, in seconds.
    package var seconds: Double
    /// From 0 to 1.
    package var fraction: Double
    package var operations: Int
    /// Calls a second since the report before.
    package var rate: Double
    /// Of the calls since the report before, in nanoseconds; 0 where there was none.
    package var p50: UInt64
    package var p99: UInt64
    package var errors: Int
    package var kills: Int
    package var quotaKeys: Int
    package var quotaBytes: Int
    package var keyLimit: Int
    package var byteLimit: Int

    package init(
        phase: Phase,
        seconds: Double,
        fraction: Double,
        operations: Int,
        rate: Double,
        p50: UInt64,
        p99: UInt64,
        errors: Int,
        kills: Int,
        quotaKeys: Int,
        quotaBytes: Int,
        keyLimit: Int,
        byteLimit: Int
    ) {
        self.phase = phase
        self.seconds = seconds
        self.fraction = fraction
        self.operations = operations
        self.rate = rate
        self.p50 = p50
        self.p99 = p99
        self.errors = errors
        self.kills = kills
        self.quotaKeys = quotaKeys
        self.quotaBytes = quotaBytes
        self.keyLimit = keyLimit
        self.byteLimit = byteLimit
    }
}
