import Keyutils

/// The parameters of a run.
///
/// With the same build on the same machine, each worker chooses the same calls in the same order. The kernel decides
/// how the calls of different workers interleave.
package struct StressPlan: Codable, Sendable, Equatable {
    /// The length of a run.
    package enum Length: Codable, Sendable, Equatable {
        /// This many calls by each thread.
        case operations(Int)
        /// This many seconds.
        case seconds(Double)
    }

    package var workload: Workload
    /// The number of threads in each process.
    package var threads: Int
    /// The number of processes.
    ///
    /// If it is 1 and nothing is killed, the threads run in the process of the run itself.
    package var processes: Int
    package var length: Length
    /// How many items the workers share.
    package var items: Int
    /// The largest size of a value, in bytes.
    package var largestValue: Int
    /// The seed of all random choices of all workers.
    package var seed: UInt64
    /// The average time between two kills of a process, in milliseconds; `nil` for no kills.
    package var killEvery: Int?
    /// The fault to inject into the store under test, to show that the checks notice it.
    package var fault: InjectedFault?
    /// Whether a hostile neighbor constantly puts odd keys into the shared keyrings.
    package var isHostile: Bool

    /// Creates a plan.
    ///
    /// Items and sizes that are left out get values that suit the workload.
    package init(
        workload: Workload, threads: Int = 4, processes: Int = 1, length: Length = .seconds(10), items: Int? = nil,
        largestValue: Int? = nil, seed: UInt64, killEvery: Int? = nil, fault: InjectedFault? = nil,
        isHostile: Bool = false
    ) {
        self.workload = workload
        self.threads = threads
        self.processes = processes
        self.length = length
        self.items = items ?? workload.usualItems
        self.largestValue = largestValue ?? workload.usualSizes.upperBound
        self.seed = seed
        self.killEvery = killEvery
        self.fault = fault
        self.isHostile = isHostile
    }

    /// Whether the workers run in separate processes.
    package var needsProcesses: Bool { processes > 1 || killEvery != nil }
}

extension StressPlan {
    /// The smallest size of a value, in bytes.
    var smallestValue: Int { min(workload.usualSizes.lowerBound, largestValue) }

    /// The number of items for which a list is compared with the written items.
    static let mostListedItems = 64

    /// The timeout of items that are not meant to expire, in seconds.
    ///
    /// It is longer than any round.
    var usualTimeout: UInt32 { 900 }

    /// The duration of a lease or an update.
    ///
    /// It is short if holders are killed.
    var leaseDuration: Duration { killEvery == nil ? .seconds(30) : .milliseconds(500) }

    /// How long a worker waits for others.
    var waitLimit: Duration { .seconds(10) }
}

extension StressPlan {
    /// How many steps all workers make together; 0 if time ends the run.
    var steps: Int {
        workload == .classic ? ClassicRole.workers.reduce(0) { $0 + $1.calls } : stepsOfEach * workers
    }

    /// How many steps each worker makes; 0 if time or the worker's role ends it.
    var stepsOfEach: Int {
        guard workload != .classic, case .operations(let count) = length else { return 0 }
        return count
    }
}

extension StressPlan {
    /// An upper bound for the duration of the run, in seconds.
    var longest: Double {
        guard case .seconds(let seconds) = length else { return 3_600 }
        return seconds * 4
    }
}

extension Workload {
    /// Few items if workers are to meet, more if items must be left alone long enough to expire.
    fileprivate var usualItems: Int {
        switch self {
        case .classic: 1
        case .lease, .shortLease: 2
        case .quota: 12
        case .expiry: 32
        case .readHeavy, .writeHeavy, .mixed, .update, .sessions: 8
        }
    }

    /// The sizes of values if none are given, in bytes.
    fileprivate var usualSizes: ClosedRange<Int> {
        self == .quota ? 1_000...3_000 : StampedValue.smallestSize...200
    }
}
