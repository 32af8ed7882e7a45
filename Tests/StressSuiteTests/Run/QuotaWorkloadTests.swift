import Glibc
import StressSuite
import TestSupport
import Testing

/// Tests as an ordinary user without other keys, so that the quota can be compared as well.
@Suite("Workloads of an ordinary user", .tags(.kernel, .long))
struct QuotaWorkloadTests {
    @Test("at the limit of the quota, calls fail and nothing is lost", .becomesUser)
    func quota() async throws {
        await #expect(processExitsWith: .exitCode(0)) { [seed = planSeed as UInt64] in
            try OrdinaryUser.begin()
            try pass(
                StressPlan(
                    workload: .quota, threads: 3, length: .seconds(2), items: 12, largestValue: 3_000, seed: seed))
        }
    }

    @Test("in a process without keys, a run leaves no quota in use", .becomesUser)
    func freshProcess() async throws {
        await #expect(processExitsWith: .exitCode(0)) { [seed = planSeed as UInt64] in
            try OrdinaryUser.begin()
            // Permanently, because the kernel charges the real user for the keyrings of threads.
            guard setreuid(geteuid(), geteuid()) == 0 else { exit(99) }
            try pass(StressPlan(workload: .mixed, threads: 2, length: .operations(50), items: 2, seed: seed))
        }
    }

    @Test("after kills, a run leaves no quota in use", .becomesUser)
    func kills() async throws {
        await #expect(processExitsWith: .exitCode(0)) {
            [seed = planSeed as UInt64, path = launcher.executable as String] in
            try OrdinaryUser.begin()
            for workload in [Workload.mixed, .update, .lease, .quota] {
                let plan = StressPlan(
                    workload: workload, threads: 2, processes: 2, length: .seconds(2), items: 4, seed: seed,
                    killEvery: 60)
                try pass(plan, launcher: WorkerLauncher(executable: path, arguments: ["--worker"]))
            }
        }
    }
}

/// Runs a plan, and ends the process with the findings if there are any.
private func pass(_ plan: StressPlan, launcher: WorkerLauncher? = nil) throws {
    let result = try StressRun(plan: plan, launcher: launcher).run()
    let hasCompared = result.checks.contains { $0.name == "the run leaves no quota in use" && $0.verdict == .passed }
    guard result.isClean, hasCompared else {
        print("\(plan.workload): \(findings(result))")
        fflush(nil)
        exit(1)
    }
}
