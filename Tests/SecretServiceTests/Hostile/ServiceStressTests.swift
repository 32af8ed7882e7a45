import Keyutils
import SessionKeyring
import StressSuite
import TestSupport
import Testing
import Threads

@testable import SecretService

/// The stress suite, whose checker finds lost, torn and stale values, over a Secret Service.
@Suite("The stress suite over the Secret Service", .tags(.kernel, .long), .enabled(if: isRoot, "needs root's quota"))
struct ServiceStressTests {
    private func result(of plan: StressPlan) throws -> StressResult {
        let service = Locked<ServiceThread?>(nil)
        let openBackends: BackendOpener = { ring, namespace in
            // The checker expects this timeout.
            let new = try ServiceThread(
                .keyring(ring), namespace: namespace, timeouts: TimeoutRules(usual: .seconds(900)))
            service.withLock { $0 = new }
            return { try ServiceBackend(path: new.path) }
        }
        return try StressRun(plan: plan, comparesQuota: false, openBackends: openBackends).run()
    }

    private func findings(_ result: StressResult) -> String {
        (["seed \(result.plan.seed)"]
            + result.checks.filter { $0.verdict == .failed }.flatMap { [$0.name, $0.detail] + $0.evidence })
            .joined(separator: "\n")
    }

    @Test("threads read, write, delete and clear one item, and every check passes")
    func classic() throws {
        let result = try result(of: StressPlan(workload: .classic, seed: testSeed))
        #expect(result.isClean, "\(findings(result))")
        let counts = Dictionary(uniqueKeysWithValues: result.operations.map { ($0.kind, $0.latency.count) })
        #expect(counts == [.get: 3 * 400 + 1_000, .delete: 2 * 400, .clear: 2 * 400, .set: 2 * 500 + 1_000])
        print("classic, seed \(testSeed): \(result.totalOperations) calls in \(result.seconds) s")
    }

    @Test("threads get and set some items, and every check passes", arguments: [Workload.readHeavy, .writeHeavy])
    func getsAndSets(workload: Workload) throws {
        let plan = StressPlan(workload: workload, threads: 8, length: .operations(150), items: 3, seed: testSeed)
        let result = try result(of: plan)
        #expect(result.isClean, "\(findings(result))")
        #expect(
            result.checks.contains { $0.name == "the history of each item is linearizable" && $0.verdict == .passed })
        print("\(workload), seed \(testSeed): \(result.totalOperations) calls in \(result.seconds) s")
    }
}
