import Glibc
import StressSuite
import TestSupport
import Testing

/// Tests that the stress suite finds failures: a suite that can't fail proves nothing.
@Suite("A store that is broken on purpose is caught", .tags(.kernel, .long), .enabled(if: geteuid() == 0))
struct InjectedFaultTests {
    private static let linearizable = "the history of each item is linearizable"

    @Test(
        "the check for an injected fault fails",
        arguments: [
            (InjectedFault.dropWrite, Workload.mixed, linearizable),
            (.tearValue, .readHeavy, "no value is torn"),
            (.staleRead, .writeHeavy, linearizable),
            (.keepDeleted, .mixed, linearizable),
            (.shortList, .mixed, linearizable),
            (.loseUpdate, .update, "no update is lost"),
            (.loseUpdate, .update, "every update counts once"),
            (.shareLease, .lease, "a lease has one holder at a time"),
            (.shareLease, .shortLease, "a lease has one holder at a time"),
            (.outlive, .expiry, "no value outlives its timeout"),
            (.outlive, .expiry, "every item has its timeout"),
        ])
    func caught(fault: InjectedFault, workload: Workload, check: String) throws {
        let plan = StressPlan(
            workload: workload, threads: 4, length: .seconds(workload == .expiry ? 5 : 2),
            items: Self.items(of: workload), largestValue: 48, seed: planSeed, fault: fault)
        var run = try result(of: plan)
        func outcome() -> CheckOutcome? { run.checks.first { $0.name == check } }
        // On a machine that is busy with other tests, workers may do too little in that time.
        for _ in 0..<2 where outcome()?.verdict != .failed { run = try result(of: plan) }
        #expect(!run.isClean)
        let found = outcome()
        #expect(found?.verdict == .failed, "\(check) in \(run.checks)")
        #expect(found?.evidence.contains { $0.contains("\(planSeed)") } == true, "the seed is there to replay it")
    }

    private static func items(of workload: Workload) -> Int {
        switch workload {
        case .lease, .shortLease: 1
        // Some of the calls replace a live item. A fast machine would replace each of only four items
        // before it expires.
        case .expiry: 24
        default: 4
        }
    }

    @Test("a fault in separate processes is found, too")
    func processes() throws {
        let result = try result(
            of: StressPlan(
                workload: .mixed, threads: 2, processes: 2, length: .seconds(2), items: 2, seed: planSeed,
                fault: .dropWrite))
        #expect(result.checks.contains { $0.name == Self.linearizable && $0.verdict == .failed })
    }
}
