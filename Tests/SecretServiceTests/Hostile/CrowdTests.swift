import Foundation
import Glibc
import SessionKeyring
import TestSupport
import Testing

@testable import SecretService

/// Many clients at the same time.
///
/// `SKR_CROWD=1000` sets the number of calls of each.
@Suite("Many clients of the Secret Service", .tags(.kernel))
struct CrowdTests {
    private static let calls: Int? = ProcessInfo.processInfo.environment["SKR_CROWD"].flatMap { Int($0) }

    @Test(
        "nothing acknowledged is lost when clients and the service itself are killed",
        .tags(.long), .enabled(if: isRoot, "needs room for the items of 32 clients"))
    func kills() async throws {
        print("crowd seed \(testSeed)")
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            [seed = testSeed as UInt64, calls = (Self.calls ?? 40) as Int] in
            try TestSession.join()
            var service = try ServiceProgram(namespace: "crowd")
            let crowd = Crowd(32, calls: calls, at: service.path, seed: seed)
            var kills = 0
            while !crowd.wait(for: .milliseconds(400)) {
                guard kills < 100 else { continue }
                service.kill()
                kills += 1
                service = try ServiceProgram(namespace: "crowd")
                crowd.move(to: service.path)
            }
            Report.tell("\(kills) kills of the service; \(crowd.summary)")
            crowd.found.forEach(Report.tellProblem)
            if kills == 0 || crowd.summary.cutOff == 0 { Report.tellProblem("nothing was killed") }
            // The last service has no clients any more, and only its own descriptors.
            if !becomesTrue({ service.descriptors < 12 }) {
                Report.tellProblem("\(service.descriptors) descriptors are open")
            }
            Report.tell("memory of the service: \(service.memory) KB")
            service.end()
        }
        Report.check(result)
    }

    @Test(
        "an ordinary user's clients lose nothing when the quota is full", .tags(.root),
        .enabled(if: isRoot, "becomes an ordinary user"))
    func ordinaryUser() async {
        // Few calls, each of which can wait 0.8 s for quota, and a quota that they fill.
        await fillQuota(of: 60_480, ballast: 15_000, calls: 10)
    }

    @Test(
        "an ordinary user's clients lose nothing when the quota is full again and again", .tags(.root, .long),
        .enabled(if: isRoot, "becomes an ordinary user"))
    func ordinaryUserForLong() async {
        // Little more than half of the quota is left.
        await fillQuota(of: 60_482, ballast: 8_000, calls: Self.calls.map { min($0, 50) } ?? 50)
    }

    /// Lets 8 clients of a new session of this user fill what an item leaves of the quota.
    private func fillQuota(of user: UInt32, ballast: Int, calls: Int) async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            [seed = testSeed as UInt64, user = user as UInt32, ballast = ballast as Int, calls = calls as Int] in
            try OrdinaryUser.becomeInNewSession(user)
            let service = try ServiceThread(.session)
            try service.client().create(["ballast": "1"], Array(repeating: 1, count: ballast))
            let crowd = Crowd(8, calls: calls, at: service.path, seed: seed, mayBeRefused: true)
            if !crowd.wait(for: .seconds(60)) { Report.tellProblem("the clients did not end") }
            Report.tell("\(crowd.summary)")
            if crowd.summary.refusals == 0 { Report.tellProblem("the quota was never full") }
            crowd.found.forEach(Report.tellProblem)
        }
        Report.check(result)
    }
}
