import Benchmark
import Keyutils
import SessionKeyring

let benchmarks: @Sendable () -> Void = {
    // The number of iterations ends a run, not the clock: a slow machine is to do the same work as a fast one.
    Benchmark.defaultConfiguration = .init(
        metrics: [.wallClock, .throughput],
        timeUnits: .nanoseconds,
        warmupIterations: 20,
        scalingFactor: .kilo,
        maxDuration: .seconds(60),
        maxIterations: 500
    )
    for size in [200, 2_000] {
        gets(of: size)
        sets(of: size)
    }
    leases()
}

private func leases() {
    let floor: Comparison.Work = { bench in try bench.floorLease() }

    Comparison.alone("C floor lease", size: 1, settling: true, floor)
    Comparison.beside(floor, "store lease, acquired and released", size: 1, settling: true) { bench in
        guard let lease = try bench.store.tryLease("store", lasting: .seconds(60)) else { throw Missing() }
        guard lease.release() else { throw Missing() }
    }
}

private func gets(of size: Int) {
    let floor: Comparison.Work = { bench in try bench.floorGet() }

    Comparison.alone("C floor get, \(size) B", size: size, floor)
    Comparison.beside(floor, "Keyutils get, \(size) B", size: size) { bench in
        let key = try bench.items.search(.user, bench.item.keyDescription)
        blackHole(try key.withPayload { bytes in bytes.byteCount })
    }
    Comparison.beside(floor, "store get, borrowed, \(size) B", size: size) { bench in
        let count = try bench.store.withBytes(of: bench.item) { bytes in bytes.byteCount }
        guard count == size else { throw Missing() }
        blackHole(count)
    }
    Comparison.beside(floor, "store get, owned, \(size) B", size: size) { bench in
        guard let secret = try bench.store.get(bench.item) else { throw Missing() }
        blackHole(secret.count)
    }
}

private func sets(of size: Int) {
    let floor: Comparison.Work = { bench in try bench.floorSet() }

    Comparison.alone("C floor set, \(size) B", size: size, settling: true, floor)
    Comparison.beside(floor, "store set with timeout, \(size) B", size: size, settling: true) { bench in
        try bench.store.set(bench.secret, for: bench.item, timeout: Workbench.timeout)
    }
}

/// The item was not there: a miss is not what is measured.
private struct Missing: Error {}
