/// All that a run found out.
package struct StressResult: Codable, Sendable {
    package var plan: StressPlan
    package var machine: Machine
    /// In seconds since 1970.
    package var startedAt: Double
    /// For how long workers ran, in seconds, without the time that checking took.
    package var seconds: Double
    /// Whether somebody ended it early; what was done until then was checked all the same.
    package var isInterrupted: Bool
    /// One entry for each kind of call that was made.
    package var operations: [OperationFigures]
    /// In the order of time.
    package var throughput: [ThroughputPoint]
    package var checks: [CheckOutcome]
    /// How many processes were killed.
    package var kills: Int
    /// How many calls were cut off by that.
    package var callsCutOff = 0
    package var quota: QuotaFigures
    /// Empty where it was not measured.
    package var scaling: [ScalingPoint]

    package init(
        plan: StressPlan,
        machine: Machine,
        startedAt: Double,
        seconds: Double,
        isInterrupted: Bool,
        operations: [OperationFigures],
        throughput: [ThroughputPoint],
        checks: [CheckOutcome],
        kills: Int,
        quota: QuotaFigures,
        scaling: [ScalingPoint] = []
    ) {
        self.plan = plan
        self.machine = machine
        self.startedAt = startedAt
        self.seconds = seconds
        self.isInterrupted = isInterrupted
        self.operations = operations
        self.throughput = throughput
        self.checks = checks
        self.kills = kills
        self.quota = quota
        self.scaling = scaling
    }

    /// Whether no check failed.
    package var isClean: Bool { checks.allSatisfy { $0.verdict != .failed } }
    package var totalOperations: Int { operations.reduce(0) { $0 + $1.latency.count } }
}

/// What the calls of one kind took.
package struct OperationFigures: Codable, Sendable {
    package var kind: CallKind
    /// How many of them threw, by what they threw.
    package var errors: [String: Int]
    /// Of all of them, those that threw included.
    package var latency: LatencySummary

    package init(kind: CallKind, errors: [String: Int], latency: LatencySummary) {
        self.kind = kind
        self.errors = errors
        self.latency = latency
    }
}

/// How much was done in one slice of time.
package struct ThroughputPoint: Codable, Sendable {
    /// Where the slice begins, in seconds of running time since the first call.
    package var second: Double
    /// Calls a second in it.
    package var rate: Double
    /// Calls in it that threw, a second.
    package var errorRate: Double
    /// How many processes were killed in it.
    package var kills: Int

    package init(second: Double, rate: Double, errorRate: Double, kills: Int) {
        self.second = second
        self.rate = rate
        self.errorRate = errorRate
        self.kills = kills
    }
}

/// The throughput of so many workers.
package struct ScalingPoint: Codable, Sendable {
    package var threads: Int
    package var processes: Int
    /// Calls a second of all of them together.
    package var rate: Double

    package init(threads: Int, processes: Int, rate: Double) {
        self.threads = threads
        self.processes = processes
        self.rate = rate
    }
}

/// The user's keys and bytes in the kernel.
package struct QuotaFigures: Codable, Sendable {
    package var keysBefore: Int
    package var bytesBefore: Int
    package var mostKeys: Int
    package var mostBytes: Int
    package var keysAfter: Int
    package var bytesAfter: Int
    package var keyLimit: Int
    package var byteLimit: Int

    package init(
        keysBefore: Int,
        bytesBefore: Int,
        mostKeys: Int,
        mostBytes: Int,
        keysAfter: Int,
        bytesAfter: Int,
        keyLimit: Int,
        byteLimit: Int
    ) {
        self.keysBefore = keysBefore
        self.bytesBefore = bytesBefore
        self.mostKeys = mostKeys
        self.mostBytes = mostBytes
        self.keysAfter = keysAfter
        self.bytesAfter = bytesAfter
        self.keyLimit = keyLimit
        self.byteLimit = byteLimit
    }
}
