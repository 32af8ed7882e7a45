import Foundation
import Synchronization

/// Tries mutants against more and more tests until one fails.
///
/// 1. The suites of the mutant's target that run its line and little else, with this mutant alone.
/// 2. Such suites of other targets.
/// 3. All other quick suites that run its line, with several mutants active at the same time.
/// 4. The long tests and a sample of the pair search, with several mutants as well.
///
/// If a test fails while several mutants are active, each mutant that its suite runs is tried alone on that suite. A
/// failure counts if it can be repeated, and if the suite passes without a mutant afterwards. The second condition is
/// needed because killed tests and changed programs may leave something that makes later runs fail.
final class Trials: Sendable {
    private static let mostSpecific = 8
    private static let together = 12

    private let bundle: URL
    private let suites: TestSuites
    private let reach: Reach
    private let mutants: [Int: Mutant]
    private let jobs: Int
    private let known = Mutex<Set<Int>>([])
    /// Held while suites run that must not overlap.
    private let exclusion = NSLock()
    /// Suites that have begun to fail without any mutant.
    private let spoilt = Mutex<Set<TestSuite>>([])

    init(bundle: URL, suites: TestSuites, reach: Reach, mutants: [Int: Mutant], jobs: Int) {
        self.bundle = bundle
        self.suites = suites
        self.reach = reach
        self.mutants = mutants
        self.jobs = jobs
    }

    /// The mutants that a test noticed.
    var noticed: Set<Int> { known.withLock { $0 } }

    private var survivors: [Int] { Set(mutants.keys).subtracting(noticed).sorted() }

    func run(withLongTests: Bool) throws {
        say("trying \(mutants.count) changes, each alone")
        try inParallel(jobs, survivors, alone)
        try shared()
        guard withLongTests else { return }
        say("trying \(survivors.count) changes together on the long tests")
        try long()
        say("trying \(survivors.count) changes together in the pair search")
        try searchPairs(survivors)
    }

    private func shared() throws {
        let ordered = survivors.sorted { (mutants[$0]?.file ?? "", $0) < (mutants[$1]?.file ?? "", $1) }
        say("trying \(ordered.count) changes together on the other quick tests")
        try inParallel(jobs, ordered.chunks(of: Self.together)) { try shared($0) }
    }

    // MARK: - Alone

    private func alone(_ mutant: Int) throws {
        let all = reach.suites(of: [mutant])
        let own = all.filter { $0.module == "\(mutants[mutant]?.target ?? "")Tests" }
        let other = all.filter { !own.contains($0) }
        if try notices([mutant], Array(own.prefix(Self.mostSpecific))) { return }
        _ = try notices([mutant], Array(other.prefix(Self.mostSpecific)))
    }

    /// Whether these suites notice any of these mutants; these are recorded.
    private func notices(_ group: [Int], _ chosen: [TestSuite]) throws -> Bool {
        let chosen = chosen.filter { suite in !spoilt.withLock { $0.contains(suite) } }
        return try noticesTogether(group, chosen.filter { !suites.exclusive.contains($0) })
            || noticesTogether(group, chosen.filter(suites.exclusive.contains))
    }

    /// The same for suites that either all can or all can't overlap with other runs.
    private func noticesTogether(_ group: [Int], _ chosen: [TestSuite]) throws -> Bool {
        var left = chosen
        while !left.isEmpty {
            let result = try run(left, with: group)
            guard case .failed = result.outcome else { return false }
            let failed = left.filter { suite in result.failedTests.contains { isTest($0, of: suite) } }
            guard !failed.isEmpty else {
                // The bundle ended or hangs, so the test is unknown. Some mutants do that only together.
                if group.count > 1 {
                    return try noticesTogether(Array(group[..<(group.count / 2)]), left)
                        || noticesTogether(Array(group[(group.count / 2)...]), left)
                }
                return try settleBundle(group[0], left)
            }
            var isAny = false
            for suite in failed where try settle(group, suite) { isAny = true }
            if isAny { return true }
            left.removeAll(where: failed.contains)
        }
        return false
    }

    /// Tries each mutant of the group that no test has noticed yet, alone, on a suite that failed with all of them.
    private func settle(_ group: [Int], _ suite: TestSuite) throws -> Bool {
        var isAny = false
        for mutant in group where group.count == 1 || reach.mutants[suite]?.contains(mutant) == true {
            guard !noticed.contains(mutant), case .failed(let test, let why) = try run([suite], with: [mutant]).outcome
            else { continue }
            guard case .passed = try run([suite], with: []).outcome else {
                say("left out from now on, because it fails without any change: \(suite.name)")
                spoilt.withLock { _ = $0.insert(suite) }
                return isAny
            }
            record(mutant, test, why)
            isAny = true
        }
        if !isAny { say("failed with a change, but passed when run again: \(suite.name)") }
        return isAny
    }

    /// Tries a mutant a second time on suites during which the test bundle ended or hung.
    private func settleBundle(_ mutant: Int, _ chosen: [TestSuite]) throws -> Bool {
        guard case .failed(let test, let why) = try run(chosen, with: [mutant]).outcome,
            case .passed = try run(chosen, with: []).outcome
        else { return false }
        record(mutant, test, why)
        return true
    }

    private func run(_ chosen: [TestSuite], with group: [Int]) throws -> TestRun.Result {
        var run = TestRun(
            bundle: bundle, filter: pattern(chosen), skip: suites.longPattern, mutants: group,
            silence: reach.silence(of: chosen))
        // With several mutants, each failing test may be due to a different one, so a failure does not end the run.
        run.endsAtFailure = group.count == 1
        guard chosen.contains(where: suites.exclusive.contains) else { return try run.run() }
        return try exclusion.withLock {
            run.endsAtFailure = false
            return try run.run()
        }
    }

    private func isTest(_ test: String, of suite: TestSuite) -> Bool {
        test == suite.name || test.hasPrefix(suite.name + "/")
    }

    private func pattern(_ suites: [TestSuite]) -> String { suites.map(\.pattern).joined(separator: "|") }

    private func record(_ mutant: Int, _ test: String, _ why: String) {
        let isFirst = known.withLock { $0.insert(mutant).inserted }
        if isFirst, let changed = mutants[mutant] { say("noticed by \(test): \(changed.description): \(why)") }
    }

    // MARK: - Several at the same time

    private func shared(_ group: [Int]) throws {
        var left = group
        while !left.isEmpty {
            let remaining = reach.suites(of: left)
            guard try notices(left, remaining) else { return }
            left.removeAll(where: noticed.contains)
        }
    }

    private func long() throws {
        let filter = suites.longPattern + reach.slowSuites.map { "|" + $0.pattern }.joined()
        var excluded: [String] = []
        while !survivors.isEmpty {
            var run = TestRun(
                bundle: bundle, filter: filter, skip: excluded.joined(separator: "|"), mutants: survivors, silence: 150)
            run.endsAtFailure = false
            let result = try run.run()
            guard case .failed(let first, let why) = result.outcome else { return }
            guard first != "the bundle" else { return say("the long tests \(why); skipping the rest") }
            let failed = Set(([first] + result.failedTests).map(Self.withoutPlace))
            for name in failed.sorted() { try trySurvivors(on: name) }
            // After a test that hangs or ends the bundle, the other tests have not run.
            guard !result.isWhole else { return }
            excluded += failed.map { TestSuite(name: $0).pattern }
        }
    }

    /// Returns a test's name without its place in the file, which comes last.
    private static func withoutPlace(_ test: String) -> String {
        test.split(separator: "/").prefix { !$0.contains(".swift:") }.joined(separator: "/")
    }

    /// Tries the survivors that a long test reaches on that test, one by one, if the test passes without any.
    private func trySurvivors(on name: String) throws {
        @Sendable func outcome(_ mutants: [Int], reached: URL? = nil) throws -> TestRun.Outcome {
            try TestRun(
                bundle: bundle, filter: TestSuite(name: name).pattern, skip: "", mutants: mutants, reached: reached,
                silence: 150
            ).run().outcome
        }
        // While other mutants are active, the test may end before it reaches a mutant.
        let file = try ReachedFile()
        guard case .passed = try outcome([], reached: file.url) else {
            return say("left out, because it fails without any change: \(name)")
        }
        let suite = TestSuite(name: String(name.prefix { $0 != "/" }))
        let reached = try file.mutants().intersection(survivors).sorted()
        try inParallel(suites.exclusive.contains(suite) ? 1 : jobs, reached) { mutant in
            guard case .failed(let test, let why) = try outcome([mutant]) else { return }
            record(mutant, test, why)
        }
    }

    /// Halves a group for which the search finds something, until each finding belongs to one mutant.
    private func searchPairs(_ group: [Int]) throws {
        guard !group.isEmpty else { return }
        let outcome = try Program.run(
            "env",
            [
                "MUTANTS_ACTIVE=" + group.map(String.init).joined(separator: ","), "timeout", "600", "keyctl",
                "session",
                "-", bundle.deletingLastPathComponent().appendingPathComponent("pair-search").path, "--sample", "2",
                "--seed", "1",
            ])
        guard outcome.code != 0 else { return }
        guard group.count > 1 else {
            let finding = outcome.output.split(separator: "\n").last.map(String.init) ?? ""
            return record(group[0], "pair-search", String(finding.prefix(160)))
        }
        try searchPairs(Array(group[..<(group.count / 2)]))
        try searchPairs(Array(group[(group.count / 2)...]))
    }
}

extension Array {
    fileprivate func chunks(of size: Int) -> [[Element]] {
        stride(from: 0, to: count, by: size).map { Array(self[$0..<Swift.min($0 + size, count)]) }
    }
}
