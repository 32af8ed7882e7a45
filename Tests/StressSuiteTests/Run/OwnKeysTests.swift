import Glibc
import Keyutils
import StressSuite
import TestSupport
import Testing
import Threads

/// Runs during which something else happens: the function that reports the progress does it, in the run's own thread.
@Suite("The quota that a run leaves in use", .tags(.kernel))
struct OwnKeysTests {
    private static let check = "the run leaves no quota in use"

    @Test("keys that another program has stored meanwhile are not the run's")
    func foreignKeys() async {
        await #expect(processExitsWith: .exitCode(0)) {
            let session = try TestSession.join()
            let outcome = try Self.run(quotaLimit: .seconds(3)) {
                let ring = try session.addKeyring("skr:default")
                try ring.add(.user, "password:one:", payload: Array("secret".utf8).span.bytes)
            }
            // If other tests of this user have removed keys, no more are in use than before.
            succeed(1, outcome.verdict != .failed && outcome.evidence.isEmpty)
            exit(0)
        }
    }

    @Test("an item of the run that is still linked somewhere is a failure, with its name")
    func linkedItem() async {
        await #expect(processExitsWith: .exitCode(0)) {
            let session = try TestSession.join()
            let outcome = try Self.run(quotaLimit: .zero) {
                for ring in try session.members() {
                    for ring in try Keyring(ring).members() where try Key(ring).describe().name == "skr:stress" {
                        // Not one of the workers' items: they can be replaced before the run has seen them.
                        let item = try Keyring(ring).add(
                            .user, "password:stress:kept", payload: Array("linked".utf8).span.bytes)
                        try session.link(item)
                    }
                }
            }
            succeed(1, outcome.verdict == .failed)
            succeed(2, outcome.evidence.contains("user password:stress:kept"))
            exit(0)
        }
    }

    @Test("a key that the run's thread keeps staged is a failure")
    func stagedKey() async {
        await #expect(processExitsWith: .exitCode(0)) {
            try TestSession.join()
            let outcome = try Self.run(quotaLimit: .zero) {
                try Keyring.thread.add(.user, "password:staged:0", payload: Array("staged".utf8).span.bytes)
            }
            succeed(1, outcome.verdict == .failed && outcome.evidence.contains("user password:staged:0"))
            exit(0)
        }
    }

    /// Runs a plan until something has been done during it, and returns the outcome of the check.
    private static func run(quotaLimit: Duration, doing act: () throws -> Void) throws -> CheckOutcome {
        let isDone = Locked(false)
        var failure: (any Error)?
        let plan = StressPlan(workload: .readHeavy, threads: 2, length: .seconds(60), items: 4, seed: 1)
        let run = StressRun(plan: plan, quotaLimit: quotaLimit)
        let result = try run.run(isInterrupted: { isDone.withLock { $0 } }) { progress in
            guard progress.operations > 200, !isDone.withLock({ $0 }) else { return }
            do { try act() } catch { failure = error }
            isDone.withLock { $0 = true }
        }
        if let failure { throw failure }
        guard isDone.withLock({ $0 }), let outcome = result.checks.first(where: { $0.name == check }) else { exit(90) }
        return outcome
    }
}
