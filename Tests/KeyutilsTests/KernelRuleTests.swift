import Foundation
import Keyutils
import SessionKeyringTesting
import Testing
import Threads

private let hasTwoProcessors = sysconf(CInt(_SC_NPROCESSORS_ONLN)) > 1

/// Kernel rules that decide how the store works, and that no other test of this package shows.
@Suite("Kernel rules that the store relies on")
final class KernelRuleTests: ScratchSuite {
    @Test("moving a displaced key by its serial takes its successor out of the ring")
    func moveGoesByName() throws {
        let (ring, stage) = (try keyring.addKeyring("ring"), try keyring.addKeyring("stage"))
        let target = try keyring.addKeyring("target")
        let old = try ring.add("name", [1])
        try stage.link(old)
        let new = try target.add("name", [2])
        try target.move(new, to: ring)
        #expect(try ring.links(new) && !ring.links(old))
        try ring.move(old, to: target)
        #expect(try ring.members() == [])
        #expect(try target.members() == [old.serial])
    }

    @Test("a key that was displaced after it was found can no longer be read")
    func displacedKeyIsGone() throws {
        let ring = try keyring.addKeyring("ring")
        try ring.add("name", [1])
        let found = try ring.search(.user, "name")
        try keyring.move(keyring.add("name", [2]), to: ring)
        let refused = #expect(throws: KeyringError.self) { try found.bytes() }
        let codes: Set<KeyringError.Code?> = [.notFound, .accessDenied]
        #expect(codes.contains(refused?.code))
        #expect(try ring.search(.user, "name").bytes() == [2])
    }

    @Test("an expired key keeps its name: an exclusive move is refused, a plain one displaces the key")
    func expiredNameIsTaken() throws {
        let ring = try keyring.addKeyring("ring")
        let dead = try ring.add("name", [1])
        try dead.setTimeout(KeyTimeout(.seconds(1)))
        #expect(try becomesTrue { () throws in (try? dead.payloadSize()) == nil })
        let new = try keyring.add("name", [2])
        expectFailure(.alreadyExists) { () throws(KeyringError) in try keyring.move(new, to: ring, exclusive: true) }
        try keyring.move(new, to: ring)
        #expect(try ring.members() == [new.serial])
    }

    @Test("a key in an expired ring is still found from outside, and can be read by its serial")
    func expiredRingIsNoBoundary() throws {
        let ring = try keyring.addKeyring("ring")
        let key = try ring.add("inside", [1])
        try Key(ring).setTimeout(KeyTimeout(.seconds(1)))
        #expect(try becomesTrue { () throws in (try? ring.members()) == nil })
        expectFailure(.expired) { () throws(KeyringError) in _ = try ring.search(.user, "inside") }
        #expect(try keyring.search(.user, "inside") == key)
        #expect(try key.bytes() == [1])
    }

    @Test(
        "without a session keyring, each thread that asks for one gets its own",
        .enabled(if: (try? Key(Keyring.resolve(.sessionKeyring)).describe().name.hasPrefix("_uid_ses.")) == true))
    func sessionOfEachThread() async {
        await #expect(processExitsWith: .success) {
            let rings = Locked<Set<Keyring>>([])
            try ThreadTeam.run(2) { _ in
                let ring = try Keyring.resolve(.sessionKeyring, create: true)
                rings.withLock { _ = $0.insert(ring) }
            }
            #expect(rings.withLock { $0.count } == 2)
        }
    }

    /// The store waits for ten grace periods, but other tests run at the same time as this one.
    @Test(
        "the quota of an unlinked key comes back within 20 grace periods",
        .enabled(if: geteuid() == 0), .enabled(if: hasTwoProcessors, "needs two processors"))
    func gracePeriods() async {
        await #expect(processExitsWith: .success) {
            try KernelRuleTests.expectQuotaBack(of: 60_142, times: 5, within: 20)
        }
    }

    @Test(
        "the quota of each of 50 unlinked keys comes back within ten grace periods", .tags(.long),
        .enabled(if: geteuid() == 0), .enabled(if: hasTwoProcessors, "needs two processors"))
    func manyGracePeriods() async {
        await #expect(processExitsWith: .success) {
            try KernelRuleTests.expectQuotaBack(of: 60_143, times: 50, within: 10)
        }
    }

    private static func expectQuotaBack(of user: UInt32, times: Int, within limit: Int) throws {
        let session = try OrdinaryUser.becomeInNewSession(user)
        let charged = try KeyQuota.current().keys
        for _ in 0..<times {
            try session.unlink(session.add("key", pattern(2_000)))
            var periods = 0
            repeat {
                guard GracePeriod.pass() else { throw SetupFailure(step: "membarrier") }
                periods += 1
            } while try KeyQuota.current().keys > charged && periods < 100
            #expect(periods <= limit, "\(periods) grace periods")
        }
    }
}
