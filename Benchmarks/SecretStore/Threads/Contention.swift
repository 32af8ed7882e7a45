import Foundation
import Keyutils
import SessionKeyring

/// The cost of an update if threads of several processes all update one item: time, system calls and quota.
enum Contention {
    static let item = ItemIdentity.password(service: "benchmark", account: "counter")
    private static let processes = 4

    /// Measures the updates.
    ///
    /// - Parameter options: `[UPDATES]`, how often each thread updates the item.
    static func rows(_ options: [String]) throws -> [Row] {
        let updates = options.isEmpty ? 100 : Int(options[0]) ?? 0
        guard options.count <= 1, updates > 0 else { Console.fail("usage: benchmarks contention [UPDATES]", code: 64) }
        // The kernel collects the keys of an earlier run late.
        usleep(500_000)
        let before = try KeyQuota.current()
        let store = try SecretStore()
        try store.set(0, for: item, lasting: Lifetime(Workbench.timeout))
        let running = try (0..<processes).map { _ in try RunningUpdates(updates) }
        let sampler = QuotaSampler()
        let start = ContinuousClock.now
        for process in running { try process.begin() }
        let outcomes = try running.map { try $0.outcome() }
        let time = start.elapsed
        let samples = sampler.stop()
        let value = try store.get(item, as: Int.self)
        return updateRows(outcomes, in: time) + [
            quotaRow("keys", samples.map { $0.keys - before.keys }),
            quotaRow("key bytes", samples.map { $0.bytes - before.bytes }),
            counterRow(outcomes, value),
        ]
    }

    private static func updateRows(_ outcomes: [UpdatingProcess.Outcome], in time: Duration) -> [Row] {
        let times = outcomes.flatMap(\.nanoseconds)
        let (half, most) = (times.quantile(0.5) / 1e6, times.quantile(0.99) / 1e6)
        let failures = outcomes.flatMap(\.failures)
        let codes = Set(failures).sorted().map { code in "\(failures.count { $0 == code }) \(code)" }
        let seconds = time / .seconds(1)
        return [
            Row(
                "update by \(processes) processes of \(UpdatingProcess.threads) threads, p50 / p99", limit: "",
                measured: "\(half.fixed(2)) ms / \(most.fixed(1)) ms; \(times.count) in \(seconds.fixed(2)) s",
                .information),
            callsRow(outcomes),
            Row(
                "updates that failed", limit: "0", measured: ([String(failures.count)] + codes).joined(separator: "; "),
                isReached: failures.isEmpty),
        ]
    }

    private static func callsRow(_ outcomes: [UpdatingProcess.Outcome]) -> Row {
        let what = "system calls of an update"
        let counts = outcomes.compactMap(\.systemCalls)
        guard counts.count == outcomes.count else {
            return .notMeasured(what, limit: "", because: "needs CAP_PERFMON and a mounted tracefs")
        }
        let updates = outcomes.reduce(0) { $0 + $1.nanoseconds.count + $1.failures.count }
        return Row(
            what, limit: "", measured: (Double(counts.reduce(0, +)) / Double(updates)).fixed(1), .information)
    }

    private static func quotaRow(_ what: String, _ samples: [Int]) -> Row {
        let mean = Double(samples.reduce(0, +)) / Double(samples.count)
        return Row(
            "\(what) more than at the start, max / mean", limit: "",
            measured: "\(samples.max() ?? 0) / \(mean.fixed(0)); \(samples.count) samples", .information)
    }

    private static func counterRow(_ outcomes: [UpdatingProcess.Outcome], _ value: Int?) -> Row {
        let updates = outcomes.reduce(0) { $0 + $1.nanoseconds.count }
        return Row(
            "final value of the counter", limit: "= \(updates) updates", measured: value.map(String.init) ?? "none",
            isReached: value == updates)
    }
}

/// One of the processes, as its parent sees it.
private struct RunningUpdates {
    private let process = Process()
    private let requests = Pipe()
    private let answers = Pipe()

    /// Starts the process and waits until its threads are ready.
    init(_ updates: Int) throws {
        process.executableURL = URL(filePath: Program.path)
        process.arguments = [UpdatingProcess.word, String(updates)]
        (process.standardInput, process.standardOutput) = (requests, answers)
        try process.run()
        guard try answers.fileHandleForReading.read(upToCount: 1)?.count == 1 else {
            throw Failure("an updating process failed")
        }
    }

    func begin() throws {
        try requests.fileHandleForWriting.write(contentsOf: Data([1]))
    }

    /// Waits for the end of the process, and returns its outcome.
    func outcome() throws -> UpdatingProcess.Outcome {
        let data = try answers.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure("an updating process failed") }
        return try JSONDecoder().decode(UpdatingProcess.Outcome.self, from: data)
    }
}
