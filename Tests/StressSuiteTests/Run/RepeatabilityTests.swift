import SessionKeyring
import SessionKeyringTesting
import Testing

@testable import StressSuite

@Suite("The seed of a plan")
struct RepeatabilityTests {
    /// A call as a worker chose it: everything except its time.
    private struct Choice: Equatable {
        let kind: CallKind
        let item: UInt32
        let written: UInt64
        let timeout: UInt32
    }

    /// Returns the choices of a worker that runs alone and in memory, so that only the seed makes a difference.
    private static func choices(_ plan: StressPlan, slot: Int, incarnation: Int = 0) throws -> [Choice] {
        let sharedLog = try SharedLog(slots: plan.workers + 1, capacity: 1_000, plan: [])
        let log = sharedLog.log(slot)
        log.limit = 300
        sharedLog.phase = .running
        let place = WorkerPlace(slot: slot, incarnation: incarnation, plan: plan)
        Worker(plan: plan, place: place, store: SecretStore(backend: InMemoryBackend()), log: log).run(on: sharedLog)
        return (0..<log.count).map { index in
            let call = log[index]
            return Choice(kind: call.kind, item: call.item, written: call.written, timeout: call.timeout)
        }
    }

    @Test(
        "the same seed makes every worker choose the same calls",
        arguments: [Workload.mixed, .readHeavy, .writeHeavy, .update])
    func same(workload: Workload) throws {
        let plan = StressPlan(workload: workload, threads: 2, seed: 7)
        let first = try Self.choices(plan, slot: 1)
        #expect(first.count == 300)
        #expect(try Self.choices(plan, slot: 1) == first)
    }

    @Test("another seed, worker or incarnation makes other choices")
    func other() throws {
        let plan = StressPlan(workload: .mixed, threads: 2, seed: 7)
        let first = try Self.choices(plan, slot: 0).map(\.kind)
        #expect(try Self.choices(plan, slot: 1).map(\.kind) != first)
        #expect(try Self.choices(plan, slot: 0, incarnation: 1).map(\.kind) != first)
        #expect(try Self.choices(StressPlan(workload: .mixed, threads: 2, seed: 8), slot: 0).map(\.kind) != first)
    }

    @Test("no two values get the same stamp")
    func stamps() throws {
        let plan = StressPlan(workload: .writeHeavy, threads: 2, seed: 7)
        var stamps: [UInt64] = []
        for slot in 0..<2 {
            for incarnation in 0..<3 {
                stamps += try Self.choices(plan, slot: slot, incarnation: incarnation).map(\.written).filter { $0 != 0 }
            }
        }
        #expect(stamps.count > 600)
        #expect(Set(stamps).count == stamps.count)
    }
}
