import StressSuite
import TestSupport
import Testing

/// The `skr-stress` that was built next to this test bundle.
let launcher = WorkerLauncher(executable: builtProgram("skr-stress"), arguments: ["--worker"])

/// The seed of this run's plans, which is printed; set `SKR_TEST_SEED` to replay a failure.
let planSeed: UInt64 = {
    print("stress seed \(testSeed)")
    return testSeed
}()

/// Runs a plan without comparing the quota, because other tests of the same user store keys at the same time.
func result(of plan: StressPlan) throws -> StressResult {
    try StressRun(plan: plan, launcher: launcher, comparesQuota: false).run()
}

/// Runs a plan without comparing the quota, and expects that every check passes.
func cleanResult(of plan: StressPlan, at location: SourceLocation = #_sourceLocation) throws -> StressResult {
    let result = try result(of: plan)
    #expect(result.isClean, "\(plan.workload): \(findings(result))", sourceLocation: location)
    return result
}

extension StressResult {
    /// The number of things that a check has looked at; `nil` if that check does not exist.
    func looked(_ check: String) -> Int? { checks.first { $0.name == check }?.looked }
}

extension Trait where Self == ConditionTrait {
    /// Skips a test that becomes another user, unless it runs as root.
    static var becomesUser: Self { .enabled(if: isRoot, "needs root to become another user") }

    /// Skips a test whose fast writes need more quota than an ordinary user has, unless it runs as root.
    static var needsRootsQuota: Self {
        .enabled(if: isRoot, "needs root, because its fast writes fill a small quota")
    }
}

/// Returns the findings of a run's checks, for the message of a test.
func findings(_ result: StressResult) -> String {
    (["seed \(result.plan.seed)"]
        + result.checks.filter { $0.verdict == .failed }.flatMap { [$0.name, $0.detail] + $0.evidence })
        .joined(separator: "\n")
}
