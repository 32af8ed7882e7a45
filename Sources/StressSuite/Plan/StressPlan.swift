/// What a run is asked to do.
///
/// Together with the same build and the same machine it makes each worker choose the same calls in the same order; how they
/// interleave is the kernel's choice.
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
    /// Processes; with one, and nobody to kill, the threads run in the process of the run itself.
    package var processes: Int
    package var length: Length
    /// How many items the workers share.
    package var items: Int
    /// The least and the greatest size of a value in bytes.
    package var smallestValue: Int
    package var largestValue: Int
    /// What all choices of all workers come from.
    package var seed: UInt64
    /// How often a process is killed, in milliseconds on average; `nil` for never.
    package var killEvery: Int?
    /// What the store under test is made to do wrong, to see that it is noticed.
    package var fault: InjectedFault?
    /// Whether a neighbor puts odd keys into the shared keyrings all the time.
    package var isHostile: Bool

    /// Without items or sizes, as many and as large as let the workload do what it is for.
    package init(
        workload: Workload,
        threads: Int = 4,
        processes: Int = 1,
        length: Length = .seconds(10),
        items: Int? = nil,
        smallestValue: Int? = nil,
        largestValue: Int? = nil,
        seed: UInt64,
        killEvery: Int? = nil,
        fault: InjectedFault? = nil,
        isHostile: Bool = false
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
    /// Of more items than these, lists are not compared with what was written.
    static let mostListedItems = 64

    /// The timeout of what is written, in seconds, but where items are meant to die: longer than any round.
    var usualTimeout: UInt32 { 900 }

    /// How long a lease or an update lasts: soon over where holders are killed.
    var leaseDuration: Duration { killEvery == nil ? .seconds(30) : .milliseconds(500) }

    /// How long a worker waits for others.
    var waitLimit: Duration { .seconds(10) }
}

extension StressPlan {
    /// How many steps all workers together shall make; 0 where the clock ends the run.
    var steps: Int {
        if workload == .classic { return ClassicRole.workers.reduce(0) { $0 + $1.calls } }
        guard case .operations(let count) = length else { return 0 }
        return count * workers
    }

    /// How many steps a worker shall make; 0 where the clock or its role ends it.
    var stepsOfEach: Int {
        guard workload != .classic, case .operations(let count) = length else { return 0 }
        return count
    }
}

extension StressPlan {
    /// How long it may take, in seconds, as far as that is known.
    var longest: Double {
        guard case .seconds(let seconds) = length else { return 3_600 }
        return seconds * 4
    }
}

extension Workload {
    /// Few where workers shall meet, more where items are left alone for long enough to die.
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
