import Foundation
import TestSupport
import Testing

/// Tests that no asynchronous verb blocks a thread of the pool while it waits.
///
/// In each case, 20 tasks call a verb in a process that does nothing else. ``StallMeter`` measures how long they block
/// the pool: more than 20 ms is a failure. Machines are shared, so a case fails only if two of three attempts fail.
/// With `SKR_STALL_LOG` in the environment, the tests print each attempt.
@Suite("A verb that waits blocks no thread of the pool", .tags(.kernel, .anyUser), .serialized, .aheadOfOthers)
struct StallTests {
    @Test("a verb that waits for a held item or lease blocks no thread", arguments: StallVerb.allCases)
    func heldItem(verb: StallVerb) async throws {
        try await expectNoStall(StallCase(verb: verb, obstacle: .heldItem))
    }

    @Test("a verb that waits for a held sentinel of its item blocks no thread", arguments: StallVerb.twoSteps)
    func heldSentinel(verb: StallVerb) async throws {
        try await expectNoStall(StallCase(verb: verb, obstacle: .heldSentinel))
    }

    @Test("a verb that waits because the update flag is new blocks no thread", arguments: StallVerb.flagRaisers)
    func updateFlag(verb: StallVerb) async throws {
        try await expectNoStall(StallCase(verb: verb, obstacle: .updateFlag))
    }

    @Test("a verb that waits for a new leases' ring blocks no thread", arguments: StallVerb.allCases)
    func deadLeasesRing(verb: StallVerb) async throws {
        try await expectNoStall(StallCase(verb: verb, obstacle: .deadLeasesRing))
    }

    @Test("a verb cancelled while it waits for an item or lease blocks no thread", arguments: StallVerb.allCases)
    func heldItemCancelled(verb: StallVerb) async throws {
        try await expectNoStall(StallCase(verb: verb, obstacle: .heldItem, cancellation: 20))
    }

    /// After 60 ms, all tasks have begun their second step.
    @Test("a verb cancelled while it waits for a sentinel blocks no thread", arguments: StallVerb.twoSteps)
    func heldSentinelCancelled(verb: StallVerb) async throws {
        try await expectNoStall(StallCase(verb: verb, obstacle: .heldSentinel, cancellation: 60))
    }

    @Test(
        "a verb that waits because the quota is full blocks no thread",
        .tags(.ordinaryUser), .enabled(if: isRoot, "needs root to become other users"),
        arguments: StallVerb.allCases)
    func fullQuota(verb: StallVerb) async throws {
        try await expectNoStall(StallCase(verb: verb, obstacle: .fullQuota))
    }

    @Test(
        "a verb cancelled while it waits for quota blocks no thread", .tags(.ordinaryUser),
        .enabled(if: isRoot, "needs root to become other users"),
        arguments: [StallVerb.set, .delete, .update, .value, .lease])
    func fullQuotaCancelled(verb: StallVerb) async throws {
        try await expectNoStall(StallCase(verb: verb, obstacle: .fullQuota, cancellation: 20))
    }
}

/// Measures once, and twice more if that fails, in case the machine caused the failure.
private func expectNoStall(_ stall: StallCase) async throws {
    var failures: [String] = []
    var stall = stall
    repeat {
        let report = try await measure(stall)
        let problems = stall.problems(of: report).joined(separator: ", ")
        if !problems.isEmpty { failures.append("\(problems): \(report)") }
        if ProcessInfo.processInfo.environment["SKR_STALL_LOG"] != nil {
            let cancelled = stall.cancellation == nil ? "" : " cancelled"
            print("stall \(stall.obstacle)\(cancelled) | \(stall.verb.rawValue) | \(problems) | \(report)")
        }
        stall.attempt += 1
    } while failures.count == 1 && stall.attempt < 3
    #expect(failures.count < 2, "\(failures.joined(separator: "\n"))")
}

/// Measures in a process that runs nothing else.
private func measure(_ stall: StallCase) async throws -> StallReport {
    let end = try await #require(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) {
        [stall = stall as StallCase] in
        // If a task never ends, the alarm ends the process.
        alarm(20)
        let report: StallReport
        do {
            report = try await StallScene(stall).run()
        } catch {
            report = StallReport(failure: "\(error)")
        }
        FileHandle.standardOutput.write(try JSONEncoder().encode(report))
    }
    return try JSONDecoder().decode(StallReport.self, from: Data(end.standardOutputContent))
}
