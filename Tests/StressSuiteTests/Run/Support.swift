import Foundation
import Glibc
import StressSuite
import Testing

/// The `skr-stress` that was built next to this test bundle.
let launcher: WorkerLauncher = {
    let bundle = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    let program = URL(fileURLWithPath: bundle).deletingLastPathComponent().appendingPathComponent("skr-stress")
    return WorkerLauncher(executable: program.path, arguments: ["--worker"])
}()

/// The seed of this run's plans, which is printed; set `SKR_TEST_SEED` to replay a failure.
let planSeed: UInt64 = {
    let given = ProcessInfo.processInfo.environment["SKR_TEST_SEED"].flatMap { UInt64($0) }
    let seed = given ?? UInt64.random(in: 1...UInt64.max)
    print("stress seed \(seed)")
    return seed
}()

/// Runs a plan without comparing the quota, because other tests of the same user store keys at the same time.
func result(of plan: StressPlan) throws -> StressResult {
    try StressRun(plan: plan, launcher: launcher, comparesQuota: false).run()
}

/// Returns the findings of a run's checks, for the message of a test.
func findings(_ result: StressResult) -> String {
    (["seed \(result.plan.seed)"]
        + result.checks.filter { $0.verdict == .failed }.flatMap { [$0.name, $0.detail] + $0.evidence })
        .joined(separator: "\n")
}
