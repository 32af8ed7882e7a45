import Baseline
import Dispatch
import Foundation
import SessionKeyring
import Synchronization

/// Compares many threads on one store with the same threads on the C baseline, on the same keys.
///
/// Both sides take turns, one slice of time each, so that both see the same machine.
enum Throughput {
    private enum Operation {
        case get, set, delete, list, clear
    }

    /// A mix of 1,000 operations, from which the threads choose at random.
    private struct Mix {
        let name: String
        let operations: [Operation]

        /// Creates a mix; the remaining operations are gets.
        init(_ name: String, sets: Int = 0, deletes: Int = 0, lists: Int = 0, clears: Int = 0) {
            let shares: [(Operation, Int)] = [
                (.set, sets), (.delete, deletes), (.list, lists), (.clear, clears),
                (.get, 1_000 - sets - deletes - lists - clears),
            ]
            self.name = name
            operations = shares.flatMap { repeatElement($0, count: $1) }
        }
    }

    private static let mixes = [
        Mix("get"), Mix("95/5", sets: 50), Mix("50/50", sets: 500),
        Mix("mixed", sets: 200, deletes: 100, lists: 10, clears: 2),
    ]
    private static let limit = 0.93
    private static let slice = Duration.milliseconds(150)

    static func rows() throws -> [Row] {
        try mixes.flatMap { mix in
            Console.note("threads, \(mix.name)")
            return try [1, 2, 4, 8].map { threads in
                let ratio = try measure(mix, threads: threads)
                return Row(
                    "throughput, \(mix.name), \(threads) \(threads == 1 ? "thread" : "threads")",
                    limit: ">= \(limit) x C", measured: ratio.description, isReached: ratio.median >= limit)
            }
        }
    }

    private static func measure(_ mix: Mix, threads: Int) throws -> Spread {
        nonisolated(unsafe) let bench = try Workbench(size: 200, count: 64)
        let ratios = try (0..<9).map { round in
            var figures = [true: 0.0, false: 0.0]
            for isBaseline in round.isMultiple(of: 2) ? [true, false] : [false, true] {
                try bench.fill()
                bench.settle()
                figures[isBaseline] = run(mix, threads: threads, seed: UInt64(round) << 32) {
                    isBaseline ? workInC(bench) : workInSwift(bench)
                }
            }
            return figures[false, default: 0] / figures[true, default: 0]
        }
        try bench.remove()
        return Spread(ratios)
    }

    /// Runs the threads, and returns how many operations a second they did together.
    private static func run(
        _ mix: Mix, threads: Int, seed: UInt64, _ prepare: @escaping @Sendable () -> Work
    ) -> Double {
        let run = Run()
        let finished = DispatchGroup()
        for index in 0..<threads {
            finished.enter()
            Thread.detachNewThread {
                let perform = prepare()
                var random = Random(state: seed + UInt64(index))
                do {
                    try run.work { try perform(mix.operations[random.next(below: 1_000)], random.next(below: 64)) }
                } catch {
                    Console.fail("\(mix.name): \(error)")
                }
                finished.leave()
            }
        }
        // Waits until all threads are ready.
        usleep(5_000)
        let time = run.count(for: slice)
        finished.wait()
        return Double(run.done.load(ordering: .relaxed)) / (time / .seconds(1))
    }

    /// The work of a thread: the operation, on the item with that number.
    private typealias Work = (Operation, Int) throws -> Void

    /// Each thread has its own identities: threads would wait for the reference counts of shared ones.
    private static func workInSwift(_ bench: Workbench) -> Work {
        let (store, items) = (bench.store, (0..<bench.count).map(Workbench.item))
        return { operation, number in
            switch operation {
            case .get: _ = try store.withBytes(of: items[number]) { $0.byteCount }
            case .set: try store.set(bench.secret, for: items[number], lasting: Lifetime(Workbench.timeout))
            case .delete: _ = try store.delete(items[number])
            case .list: _ = try store.identities()
            case .clear: try store.clear()
            }
        }
    }

    private static func workInC(_ bench: Workbench) -> Work {
        let baseline = bench.baseline
        return { operation, number in
            let outcome =
                switch operation {
                case .get: baseline_get(baseline, number)
                case .set: Int(baseline_set(baseline, number))
                case .delete: Int(baseline_delete(baseline, number))
                case .list: baseline_list(baseline)
                case .clear: Int(baseline_clear(baseline))
                }
            guard outcome >= 0 else { throw Failure.ofCall("\(operation) in C") }
        }
    }
}

/// Work that several threads do at the same time.
///
/// Nothing counts before all of them are ready.
private final class Run: Sendable {
    private enum Phase: Int, AtomicRepresentable {
        case starting, counting, over
    }

    private let phase = Atomic(Phase.starting)
    let done = Atomic(0)

    func work(_ step: () throws -> Void) throws {
        var count = 0
        while case let phase = phase.load(ordering: .relaxed), phase != .over {
            try step()
            if phase == .counting { count += 1 }
        }
        done.wrappingAdd(count, ordering: .relaxed)
    }

    func count(for slice: Duration) -> Duration {
        ContinuousClock().measure {
            phase.store(.counting, ordering: .relaxed)
            usleep(UInt32(slice / .microseconds(1)))
            phase.store(.over, ordering: .relaxed)
        }
    }
}

/// A linear congruential generator.
///
/// Its high bits are random enough.
private struct Random {
    var state: UInt64

    mutating func next(below limit: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) % limit
    }
}
