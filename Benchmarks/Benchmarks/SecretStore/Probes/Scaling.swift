import CStoreFloor
import Foundation
import Keyutils
import SessionKeyring
import SessionKeyringTesting
import Synchronization

/// Many threads on one store, against as many of a C program that makes the same calls on the same keys.
///
/// They take turns, a slice of time each, so that both see the same machine.
struct Scaling {
    /// What the threads do, in operations of 1,000; the rest are gets.
    struct Mix {
        let name: String
        var sets = 0
        var deletes = 0
        var lists = 0
        var clears = 0

        static let all = [
            Mix(name: "get"),
            Mix(name: "95/5", sets: 50),
            Mix(name: "50/50", sets: 500),
            Mix(name: "mixed", sets: 200, deletes: 100, lists: 10, clears: 2),
        ]
    }

    static let threadCounts = [1, 2, 4, 8]
    private static let slice = Duration.milliseconds(150)
    private static let rounds = 9

    private let bench: Workbench

    static func measure(_ mix: Mix, threads: Int) throws -> Spread {
        let scaling = try Scaling()
        var ratios: [Double] = []
        for round in 0..<rounds {
            let seed = UInt64(round) << 32
            var floor = 0.0
            var work = 0.0
            for isFloor in round.isMultiple(of: 2) ? [true, false] : [false, true] {
                try scaling.bench.fill()
                try scaling.bench.settle()
                if isFloor {
                    floor = try scaling.floorThroughput(mix, threads: threads, seed: seed)
                } else {
                    work = try scaling.throughput(mix, threads: threads, seed: seed)
                }
            }
            ratios.append(work / floor)
        }
        return Spread(ratios)
    }

    private init() throws {
        bench = try Workbench(size: 200, itemCount: 64)
    }

    private func floorThroughput(_ mix: Mix, threads: Int, seed: UInt64) throws -> Double {
        let throughput = bench.payload.withUnsafeBytes { bytes in
            var load = floor_load(
                place: bench.floor.place, items: bench.floor.items, item_count: bench.items.count,
                payload: bytes.baseAddress, size: bytes.count, timeout: UInt32(Workbench.timeout.components.seconds),
                threads: UInt32(threads), sets: UInt32(mix.sets), deletes: UInt32(mix.deletes),
                lists: UInt32(mix.lists), clears: UInt32(mix.clears), seed: seed
            )
            return floor_throughput(&load, UInt64(Self.slice / .nanoseconds(1)))
        }
        guard throughput > 0 else { throw FloorFailure("of many threads") }
        return throughput
    }

    private func throughput(_ mix: Mix, threads: Int, seed: UInt64) throws -> Double {
        let run = Run()
        let (store, items, payload) = (bench.store, bench.items, bench.payload)
        try ThreadTeam.run(threads + 1) { index in
            guard index < threads else { return run.time(Self.slice) }
            let worker = Worker(store: store, items: items, secret: SecretBytes(copying: payload), mix: mix)
            try worker.work(seed: seed + UInt64(index), in: run)
        }
        return run.throughput
    }
}

/// A slice of time, and what was done in it.
private final class Run: Sendable {
    private let isOver = Atomic(false)
    private let done = Atomic(0)
    private let nanoseconds = Atomic(0)

    var isGoingOn: Bool { !isOver.load(ordering: .relaxed) }
    var throughput: Double {
        Double(done.load(ordering: .relaxed)) * 1e9 / Double(nanoseconds.load(ordering: .relaxed))
    }

    func time(_ slice: Duration) {
        let elapsed = ContinuousClock().measure {
            usleep(UInt32(slice / .microseconds(1)))
            isOver.store(true, ordering: .relaxed)
        }
        nanoseconds.store(Int(elapsed / .nanoseconds(1)), ordering: .relaxed)
    }

    func add(_ count: Int) {
        done.wrappingAdd(count, ordering: .relaxed)
    }
}

/// One thread's work, chosen by the same generator as in C.
private struct Worker: ~Copyable {
    let store: SecretStore
    let items: [ItemIdentity]
    let secret: SecretBytes
    let mix: Scaling.Mix

    func work(seed: UInt64, in run: Run) throws {
        var random = SplitMix64(state: seed)
        var done = 0
        while run.isGoingOn {
            try step(random.next())
            done += 1
        }
        run.add(done)
    }

    private func step(_ random: UInt64) throws {
        let item = items[Int(random >> 32) % items.count]
        var share = Int(random & 0xFFFF_FFFF) % 1_000
        func isNext(_ part: Int) -> Bool {
            defer { share -= part }
            return (0..<part).contains(share)
        }
        if isNext(mix.sets) {
            try store.set(secret, for: item, timeout: Workbench.timeout)
        } else if isNext(mix.deletes) {
            try store.delete(item)
        } else if isNext(mix.lists) {
            _ = try store.identities()
        } else if isNext(mix.clears) {
            try store.clear()
        } else {
            _ = try store.withBytes(of: item) { $0.byteCount }
        }
    }
}

private struct SplitMix64: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
