/// What a run is asked to do.
///
/// With the same build on the same machine, each worker chooses the same calls in the same order; how they interleave
/// is up to the kernel.
package struct StressPlan: Codable, Sendable, Equatable {
    /// How long a run is.
    package enum Length: Codable, Sendable, Equatable {
        /// So many calls by each thread.
        case operations(Int)
        /// So many seconds.
        case seconds(Double)
    }

    package var workload: Workload
    /// Threads in each process.
    package var threads: Int
    /// Processes; with one that is never killed, the threads run in the process of the run itself.
    package var processes: Int
    package var length: Length
    /// How many items the workers share.
    package var items: Int
    /// The least and the greatest size of a value in bytes.
    package var smallestValue: Int
    package var largestValue: Int
    /// The seed of all choices of all workers.
    package var seed: UInt64
    /// How often a process is killed, in milliseconds on average; `nil` for never.
    package var killEvery: Int?
    /// What the store under test is made to do wrong, to show that the checks notice it.
    package var fault: InjectedFault?
    /// Whether a hostile neighbor puts odd keys into the shared keyrings all the time.
    package var isHostile: Bool

    /// Without items or sizes, as many and as large as let the workload do what it is for.
    package init(
        workload: Workload, threads: Int = 4, processes: Int = 1, length: Length = .seconds(10), items: Int? = nil,
        smallestValue: Int? = nil, largestValue: Int? = nil, seed: UInt64, killEvery: Int? = nil,
        fault: InjectedFault? = nil, isHostile: Bool = false
    ) {
        self.workload = workload
        self.threads = threads
        self.processes = processes
        self.length = length
        self.items = items ?? workload.usualItems
        self.smallestValue = smallestValue ?? min(workload.usualSizes.lowerBound, largestValue ?? .max)
        self.largestValue = largestValue ?? max(workload.usualSizes.upperBound, smallestValue ?? 0)
        self.seed = seed
        self.killEvery = killEvery
        self.fault = fault
        self.isHostile = isHostile
    }

    /// Whether workers run in processes of their own.
    package var needsProcesses: Bool { processes > 1 || killEvery != nil }
}

extension StressPlan {
    /// A list is compared with what was written for this many items.
    static let mostListedItems = 64

    /// The timeout of items that are not meant to expire, in seconds: longer than any round.
    var usualTimeout: UInt32 { 900 }

    /// How long a lease or an update lasts: short where holders are killed.
    var leaseDuration: Duration { killEvery == nil ? .seconds(30) : .milliseconds(500) }

    /// How long a worker waits for others.
    var waitLimit: Duration { .seconds(10) }
}

extension StressPlan {
    /// How many steps all workers together are to make; 0 where time ends the run.
    var steps: Int {
        if workload == .classic { return ClassicRole.workers.reduce(0) { $0 + $1.calls } }
        guard case .operations(let count) = length else { return 0 }
        return count * workers
    }

    /// How many steps a worker is to make; 0 where time or its role ends it.
    var stepsOfEach: Int {
        guard workload != .classic, case .operations(let count) = length else { return 0 }
        return count
    }
}

extension StressPlan {
    /// An upper bound of how long it takes, in seconds.
    var longest: Double {
        guard case .seconds(let seconds) = length else { return 3_600 }
        return seconds * 4
    }
}

extension Workload {
    /// Few where workers are to meet, more where items must be left alone for long enough to expire.
    fileprivate var usualItems: Int {
        switch self {
        case .classic: 1
        case .lease, .shortLease: 2
        case .quota: 12
        case .expiry: 32
        case .readHeavy, .writeHeavy, .mixed, .update, .sessions: 8
        }
    }

    /// In bytes.
    fileprivate var usualSizes: ClosedRange<Int> {
        self == .quota ? 1_000...3_000 : StampedValue.smallestSize...200
    }
}
