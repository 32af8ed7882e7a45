import Foundation

extension Table {
    /// What the benchmark tool measured, and what a single thread can show.
    static func singleRows(_ results: OrdoOne) throws -> [Row] {
        try getRows(results) + [freshnessRow()]
            + [Row("get Codable, JSON", try results[.codable], atMost: 1.05, of: "x (owned get + JSONDecoder)")]
            + Measurement.sizes.map { size in
                Row("set with timeout, \(size) B", try results[.set(size)], atMost: 1.10)
            }
            + [Row("list \(Measurement.listed) items", try results[.list], atMost: 1.15)]
            + [Row("clear \(Measurement.listed) items", try results[.clear], atMost: 1.10)]
            + [Row("lease, acquired and released", try results[.lease], atMost: nil)]
            + Measurement.crowds.map { others in
                Row(
                    "get, \(others) other namespaces", try results[.crowded(others)],
                    atMost: others == 10 ? 1.30 : nil, of: "x alone")
            }
    }

    private static func getRows(_ results: OrdoOne) throws -> [Row] {
        let kinds: [(String, (Int) -> Measurement, [Double?])] = [
            ("get, scoped", Measurement.scoped, [1.10, 1.30]),
            ("get, owned", Measurement.owned, [1.20, 1.45]),
            ("get, raw Keyutils", Measurement.raw, [nil, nil]),
        ]
        return try kinds.flatMap { name, measurement, limits in
            try zip(Measurement.sizes, limits).map { size, limit in
                Row("\(name), \(size) B", try results[measurement(size)], atMost: limit, of: "x FLOOR")
            }
        }
    }

    private static func freshnessRow() throws -> Row {
        Console.note("looking for stale reads")
        let stale = try Freshness.staleReads()
        let rounds = Freshness.rounds + Freshness.roundsOfProcesses
        return Row(
            "no get trusts a remembered serial", limit: "0 stale reads; proof: skr-stress",
            measured: "\(stale) stale, \(rounds) replacements", isReached: stale == 0)
    }

    static func threadRows() throws -> [Row] {
        try Scaling.Mix.all.flatMap { mix in
            Console.note("threads, \(mix.name)")
            return try Scaling.threadCounts.map { threads in
                let ratio = try Scaling.measure(mix, threads: threads)
                return Row(
                    "throughput, \(mix.name), \(threads) \(threads == 1 ? "thread" : "threads")", limit: ">= 0.95 x C",
                    measured: ratio.description, isReached: ratio.median >= 0.95)
            }
        }
    }

    static func witnessRows() throws -> [Row] {
        Console.note("counting calls, locks and allocations")
        let found = try Witness.find()
        // What the C library and the kernel do in pages of their own accord.
        let growth = 16
        return [
            callsRow("system calls of a get", found.get, limit: 2),
            callsRow("system calls of a clear of 100", found.clear, limit: 1),
            Row(
                "locks taken in 10,000 gets, scoped / owned", limit: "0 / 0",
                measured: "\(found.scoped.locks) / \(found.owned.locks)",
                isReached: found.scoped.locks == 0 && found.owned.locks == 0),
            Row(
                "allocations in 10,000 gets, scoped / owned", limit: "0 / 10,000",
                measured: "\(found.scoped.allocations) / \(found.owned.allocations)",
                isReached: found.scoped.allocations == 0 && found.owned.allocations <= 10_000),
            Row(
                "pages grown in 1,000,000 gets, scoped / owned", limit: "none (<= \(growth))",
                measured: "\(found.scoped.pagesGrown) / \(found.owned.pagesGrown)",
                isReached: max(found.scoped.pagesGrown, found.owned.pagesGrown) <= growth),
        ]
    }

    private static func callsRow(_ what: String, _ calls: Witness.Calls?, limit: Int) -> Row {
        guard let calls else {
            return .notMeasured(what, limit: "\(limit)", because: "this process may not be traced")
        }
        return Row(
            what, limit: "\(limit), all keyctl", measured: "\(calls.all), \(calls.ofKeyrings) of them keyctl",
            isReached: calls.all == limit && calls.ofKeyrings == limit)
    }
}
