import Foundation
import Synchronization

/// Which mutants the tests of a suite run, and how long the suite takes.
struct Reach: Sendable {
    private(set) var mutants: [TestSuite: Set<Int>] = [:]
    private(set) var seconds: [TestSuite: Double] = [:]
    /// Suites that fail without any mutant, and why.
    private(set) var broken: [(suite: TestSuite, why: String)] = []

    /// The mutants that the quick tests run.
    var all: Set<Int> { mutants.values.reduce(into: []) { $0.formUnion($1) } }

    /// Runs each suite once, without an active mutant.
    init(_ suites: TestSuites, bundle: URL, jobs: Int) throws {
        let state = Mutex(
            (
                mutants: [TestSuite: Set<Int>](), seconds: [TestSuite: Double](),
                broken: [(suite: TestSuite, why: String)]()
            ))
        try inParallel(jobs, suites.quick) { suite in
            let file = try ReachedFile()
            let run = TestRun(
                bundle: bundle, filter: suite.pattern, skip: suites.longPattern, mutants: [], reached: file.url,
                silence: 150)
            let result = try run.run()
            let reached = try file.mutants()
            state.withLock {
                $0.mutants[suite] = reached
                $0.seconds[suite] = result.seconds
                if case .failed(let test, let why) = result.outcome { $0.broken.append((suite, "\(test): \(why)")) }
            }
        }
        (mutants, seconds, broken) = state.withLock { ($0.mutants, $0.seconds, $0.broken) }
        for (suite, _) in broken { mutants[suite] = nil }
    }

    /// How long these suites may be silent, on a machine that others use too.
    func silence(of suites: [TestSuite]) -> Double { 20 + 3 * (suites.compactMap { seconds[$0] }.max() ?? 0) }

    /// The suites that run any of these mutants, those first that run few others and are quick.
    func suites(of wanted: some Collection<Int>) -> [TestSuite] {
        mutants.filter { pair in wanted.contains { pair.value.contains($0) } }.keys.sorted { rank($0) < rank($1) }
    }

    private func rank(_ suite: TestSuite) -> Double {
        Double(mutants[suite]?.count ?? 0) * (1 + (seconds[suite] ?? 0))
    }
}

/// A file in which processes of any user record which mutants they have run.
final class ReachedFile {
    private static let size = 8192
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("mutation-reached-\(UUID().uuidString)")

    init() throws {
        try Data(count: Self.size).write(to: url)
        try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: url.path)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func mutants() throws -> Set<Int> {
        Set(try Data(contentsOf: url).enumerated().filter { $0.element != 0 }.map(\.offset))
    }
}

/// Does this for each item, so many at the same time; throws the first error when all have ended.
func inParallel<Item: Sendable>(
    _ jobs: Int, _ items: [Item], _ body: @Sendable (Item) throws -> Void
) throws {
    let state = Mutex((next: 0, error: nil as (any Error)?))
    DispatchQueue.concurrentPerform(iterations: jobs) { _ in
        while let item = state.withLock({ state -> Item? in
            guard state.error == nil, state.next < items.count else { return nil }
            defer { state.next += 1 }
            return items[state.next]
        }) {
            do {
                try body(item)
            } catch {
                state.withLock { $0.error = $0.error ?? error }
            }
        }
    }
    if let error = state.withLock({ $0.error }) { throw error }
}
