import Keyutils
import StressSuite
import TestSupport
import Testing

@Suite("Workloads in threads", .tags(.kernel, .threads))
struct ThreadWorkloadTests {
    @Test(
        "threads do what the plan specifies, and every check passes", .needsRootsQuota,
        arguments: [Workload.readHeavy, .writeHeavy, .mixed, .update, .lease, .sessions])
    func threads(workload: Workload) throws {
        let result = try cleanResult(
            of: StressPlan(workload: workload, threads: 4, length: .operations(300), items: 3, seed: planSeed))
        #expect(
            result.checks.contains { $0.name == "the history of each item is linearizable" && $0.verdict == .passed })
        let exact = result.checks.first { $0.name.contains("exactly as many calls") }
        #expect(exact?.looked == 1_200)
        // A section under a lease makes three calls.
        #expect(result.totalOperations == (workload == .lease ? 3_600 : 1_200))
        #expect(exact?.subject == (workload == .lease ? "leases" : "calls"))
        #expect(result.looked("no call throws an unexpected error") == result.totalOperations)
        // The calls for leases are checked separately.
        #expect(result.looked("the history of each item is linearizable") == (workload == .lease ? 2_400 : 1_200))
    }
}

@Suite("Workloads on the real keyring", .tags(.kernel, .long))
struct WorkloadTests {
    @Test("short leases that are released late have one holder at a time", .needsRootsQuota)
    func shortLeases() throws {
        let result = try cleanResult(
            of: StressPlan(
                workload: .shortLease, threads: 4, processes: 2, length: .seconds(5), items: 1, seed: planSeed))
        #expect((result.looked("a lease has one holder at a time") ?? 0) > 20, "\(result.checks)")
    }

    @Test(
        "a hostile neighbor in the same keyrings harms no item", .needsRootsQuota,
        arguments: [Workload.mixed, .update, .lease])
    func hostile(workload: Workload) throws {
        let result = try cleanResult(
            of: StressPlan(
                workload: workload, threads: 2, processes: 2, length: .seconds(3), items: 4, seed: planSeed,
                killEvery: 100, isHostile: true))
        #expect((result.looked("the neighbor puts odd keys into the keyrings") ?? 0) > 20, "\(result.checks)")
    }

    @Test("the classic test makes its fixed numbers of calls", .needsRootsQuota)
    func classic() throws {
        let result = try cleanResult(of: StressPlan(workload: .classic, seed: planSeed))
        let counts = Dictionary(uniqueKeysWithValues: result.operations.map { ($0.kind, $0.latency.count) })
        #expect(counts == [.get: 3 * 400 + 1_000, .delete: 2 * 400, .clear: 2 * 400, .set: 2 * 500 + 1_000])
        #expect(result.looked("the writers have written exactly 1,000 times") == 1_000)
    }

    @Test("items expire while they are read, neither too early nor too late", .enabled(if: isRoot))
    func expiry() throws {
        let result = try cleanResult(
            of: StressPlan(workload: .expiry, threads: 2, length: .seconds(4), items: 16, seed: planSeed))
        let sets = result.operations.first { $0.kind == .set }?.latency.count ?? 0
        #expect(sets > 16, "items expired and were written again: \(sets) sets")
    }

    @Test("after processes are killed during operations, every check passes", .enabled(if: isRoot))
    func kills() throws {
        for workload in [Workload.mixed, .update, .lease] {
            let result = try cleanResult(
                of: StressPlan(
                    workload: workload, threads: 2, processes: 3, length: .seconds(2), items: 3, seed: planSeed,
                    killEvery: 40))
            #expect(result.kills > 3)
            #expect(result.callsCutOff > 0, "processes were killed during calls")
        }
    }

    @Test("all checks of a run with several rounds and kills count the same workers and calls", .enabled(if: isRoot))
    func counts() throws {
        let plan = StressPlan(
            workload: .mixed, threads: 2, processes: 2, length: .seconds(6), items: 3, seed: planSeed, killEvery: 50)
        let result = try cleanResult(of: plan)
        #expect(result.kills > 10)
        #expect(result.looked("every worker ends normally") == 4)
        #expect(result.looked("no call throws an unexpected error") == result.totalOperations)
        #expect(result.looked("the history of each item is linearizable") == result.totalOperations)
    }

    @Test("an interrupted run returns the result so far")
    func interruption() throws {
        let result = try StressRun(
            plan: StressPlan(workload: .readHeavy, threads: 2, length: .seconds(3_600), items: 2, seed: planSeed),
            comparesQuota: false
        ).run(isInterrupted: { true })
        #expect(result.isInterrupted)
        #expect(result.isClean, "\(findings(result))")
        #expect(result.seconds < 3_000)
    }

    @Test("progress rises, and counts calls")
    func progress() throws {
        var reports: [StressProgress] = []
        let plan = StressPlan(workload: .readHeavy, threads: 2, length: .seconds(1), items: 2, seed: planSeed)
        let result = try StressRun(plan: plan, comparesQuota: false).run(report: { reports.append($0) })
        #expect(reports.count > 2)
        #expect(
            zip(reports, reports.dropFirst()).allSatisfy { $0.seconds <= $1.seconds && $0.operations <= $1.operations })
        #expect(reports.last.map { $0.operations > 0 && $0.seconds > 0 } == true)
        #expect(result.throughput.reduce(0) { $0 + $1.rate } > 0)
    }

    @Test("impossible plans are refused, with a hint")
    func refusals() throws {
        var plans = [
            StressPlan(workload: .mixed, threads: 0, seed: 1), StressPlan(workload: .mixed, items: 0, seed: 1),
            StressPlan(workload: .mixed, length: .operations(0), seed: 1),
            StressPlan(workload: .mixed, length: .seconds(0), seed: 1),
            StressPlan(workload: .mixed, largestValue: 10, seed: 1),
            StressPlan(workload: .mixed, largestValue: 32_768, seed: 1),
            StressPlan(workload: .mixed, seed: 1, killEvery: 0), StressPlan(workload: .classic, processes: 2, seed: 1),
        ]
        if isRoot { plans.append(StressPlan(workload: .quota, seed: 1)) }
        for plan in plans {
            let error = #expect(throws: StressError.self) { try result(of: plan) }
            #expect(error?.code == .invalidPlan)
            #expect(error?.hint != nil || error?.description.contains(" must be from ") == true)
        }
    }

    @Test("a worker's program that can't be started is reported as an error")
    func noProgram() throws {
        let plan = StressPlan(workload: .mixed, processes: 2, length: .seconds(1), seed: 1)
        for path in ["/nonexistent", "/bin/false"] {
            let error = #expect(throws: StressError.self) {
                try StressRun(plan: plan, launcher: WorkerLauncher(executable: path), comparesQuota: false).run()
            }
            #expect(error?.code == .workerFailed)
        }
    }
}
