import Foundation
import TestSupport
import Testing

/// Tests that no asynchronous verb blocks a thread of the pool while it waits.
///
/// In each case, 20 tasks call a verb in a process that does nothing else. ``StallMeter`` measures how long they block
/// the pool: more than 20 ms is a failure. Machines are shared, so a case fails only if two of three attempts fail.
/// With `SKR_STALL_LOG` in the environment, the tests print each attempt.
@Suite("A verb that waits blocks no thread of the pool", .tags(.kernel, .anyUser), .aheadOfOthers)
struct StallTests {
    @Test("a verb that waits for a held item or lease blocks no thread")
    func heldItem() async throws { try await expectNoStall(.heldItem, of: StallVerb.allCases) }

    @Test("a fetch that waits for a held item before it stores its value blocks no thread")
    func heldAtStore() async throws { try await expectNoStall(.heldAtStore, of: [.value]) }

    @Test("a verb that waits because the update flag is new blocks no thread")
    func updateFlag() async throws { try await expectNoStall(.updateFlag, of: StallVerb.flagRaisers) }

    @Test("a verb that waits for a new leases' ring blocks no thread")
    func deadLeasesRing() async throws { try await expectNoStall(.deadLeasesRing, of: StallVerb.allCases) }

    @Test("a verb cancelled while it waits for an item or lease blocks no thread")
    func heldItemCancelled() async throws {
        try await expectNoStall(.heldItem, of: StallVerb.allCases, cancelledAfter: 20)
    }

    /// After 60 ms, all tasks have fetched.
    @Test("a fetch cancelled while it waits to store its value blocks no thread")
    func heldAtStoreCancelled() async throws {
        try await expectNoStall(.heldAtStore, of: [.value], cancelledAfter: 60)
    }

    @Test(
        "a verb that waits because the quota is full blocks no thread",
        .tags(.root), .enabled(if: isRoot, "needs root to become other users"))
    func fullQuota() async throws { try await expectNoStall(.fullQuota, of: StallVerb.quotaSample) }

    @Test(
        "no other verb that waits because the quota is full blocks a thread",
        .tags(.root, .long), .enabled(if: isRoot, "needs root to become other users"))
    func fullQuotaOfOthers() async throws {
        try await expectNoStall(.fullQuota, of: StallVerb.allCases.filter { !StallVerb.quotaSample.contains($0) })
    }

    @Test(
        "a verb cancelled while it waits for quota blocks no thread", .tags(.root),
        .enabled(if: isRoot, "needs root to become other users"))
    func fullQuotaCancelled() async throws {
        try await expectNoStall(.fullQuota, of: StallVerb.quotaSample, cancelledAfter: 20)
    }
}

/// Measures the verbs one after the other in one process, or at the same time if each needs a user's quota.
private func expectNoStall(
    _ obstacle: StallCase.Obstacle, of verbs: [StallVerb], cancelledAfter cancellation: Int? = nil
) async throws {
    let stalls = verbs.map { StallCase(verb: $0, obstacle: obstacle, cancellation: cancellation) }
    let groups = obstacle == .fullQuota ? stalls.map { [$0] } : [stalls]
    try await concurrently(groups.count) { number -> Void in
        let reports = try await measure(groups[number])
        #expect(reports.count == groups[number].count)
        for (stall, report) in zip(groups[number], reports) { try await expectNoStall(stall, after: report) }
    }
}

/// Checks the first measurement of a case, and measures twice more if that failed, in case the machine was the cause.
private func expectNoStall(_ stall: StallCase, after first: StallReport) async throws {
    var stall = stall
    var report: StallReport? = first
    var failures: [String] = []
    while let measured = report {
        let problems = stall.problems(of: measured).joined(separator: ", ")
        if !problems.isEmpty { failures.append("\(problems): \(measured)") }
        if ProcessInfo.processInfo.environment["SKR_STALL_LOG"] != nil {
            let cancelled = stall.cancellation == nil ? "" : " cancelled"
            print("stall \(stall.obstacle)\(cancelled) | \(stall.verb.rawValue) | \(problems) | \(measured)")
        }
        stall.attempt += 1
        report = try await failures.count == 1 && stall.attempt < 3 ? measure([stall]).first : nil
    }
    #expect(failures.count < 2, "\(stall.verb.rawValue): \(failures.joined(separator: "\n"))")
}

/// Measures the cases in a process that runs nothing else.
private func measure(_ stalls: [StallCase]) async throws -> [StallReport] {
    let end = try await #require(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) {
        [stalls = stalls as [StallCase]] in
        // If a task never ends, the alarm ends the process.
        alarm(60)
        var reports: [StallReport] = []
        for stall in stalls {
            do {
                reports.append(try await StallScene(stall).run())
            } catch {
                reports.append(StallReport(failure: "\(error)"))
            }
        }
        FileHandle.standardOutput.write(try JSONEncoder().encode(reports))
    }
    return try JSONDecoder().decode([StallReport].self, from: Data(end.standardOutputContent))
}
