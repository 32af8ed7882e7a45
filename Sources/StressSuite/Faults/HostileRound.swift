import Foundation
import Keyutils
import SessionKeyring
import Threads

/// The hostile neighbor of a round, and calls on the names that it takes, in threads of this process.
final class HostileRound: Sendable {
    /// How the threads ended.
    private struct Outcome: Sendable {
        var planted: Int?
        var calls: SquattedCalls?
        var hasCrowdLeft = true
        var failure: String?
    }

    private let outcome = Locked(Outcome())

    /// Starts the threads, which run until the shared log says that the round ends.
    ///
    /// Before that, it makes the namespace's first update, while no worker writes. A write that is stopped during the
    /// first update can take effect twice, which the history's check counts as a violation.
    init(plan: StressPlan, anchor: Keyring, store: SecretStore, sharedLog: SharedLog, round: Int) {
        do {
            try SquattedCalls.update(HostileNeighbor.squat(0), in: store)
        } catch {
            outcome.withLock { $0.failure = "the first update: \(error)" }
        }
        Thread.detachNewThread { [outcome] in
            var neighbor = HostileNeighbor(plan: plan, anchor: anchor, round: round)
            while sharedLog.phase != .stopping {
                neighbor.step()
                usleep(500)
            }
            let count = neighbor.leave()
            outcome.withLock { $0.planted = count }
        }
        Thread.detachNewThread { [outcome] in
            var calls = SquattedCalls(store: store, seed: plan.seed, round: round)
            while sharedLog.phase != .stopping {
                calls.step()
                usleep(500)
            }
            outcome.withLock { $0.calls = calls }
        }
        // Only this workload tests leases that are released late.
        guard plan.workload == .shortLease else { return }
        outcome.withLock { $0.hasCrowdLeft = false }
        Thread.detachNewThread { [outcome] in
            do throws(KeyringError) {
                try Self.crowd(in: anchor, sharedLog)
            } catch {
                outcome.withLock { $0.failure = "\(error)" }
            }
            outcome.withLock { $0.hasCrowdLeft = true }
        }
    }

    /// Fills the leases' ring with thousands of keys, and lists them all the time.
    ///
    /// The kernel lets nobody change a keyring while it is read. So a lease that is released in time might only be
    /// gone late.
    private static func crowd(in anchor: Keyring, _ sharedLog: SharedLog) throws(KeyringError) {
        // The first lease creates the ring.
        var leases: Keyring?
        while leases == nil, sharedLog.phase != .stopping {
            leases = try HostileNeighbor.rings(in: anchor).leases
            usleep(1_000)
        }
        let size = 8_000
        // Does nothing if the user's quota has no room for the crowd.
        guard let leases, let quota = try? KeyQuota.current(), quota.keys + 2 * size < quota.maximumKeys else { return }
        let nothing: [UInt8] = [0]
        var crowd: [Key] = []
        for number in 0..<size {
            let name = "\(HostileNeighbor.name) crowd \(number)"
            crowd.append(try unsafe leases.add(.user, name, payload: nothing.span.bytes))
        }
        // A second reader, so that there is hardly a moment without a reader.
        Thread.detachNewThread { while sharedLog.phase != .stopping { _ = try? leases.members() } }
        while sharedLog.phase != .stopping { _ = try leases.members() }
        for key in crowd { try leases.unlink(key) }
    }

    /// Waits for all threads, and adds what they have found.
    func end(in results: inout CheckResults) {
        let deadline = MonotonicTime.now + 3 * SquattedCalls.bound
        while outcome.withLock({ $0.planted == nil || $0.calls == nil || !$0.hasCrowdLeft }),
            MonotonicTime.now < deadline
        { usleep(1_000) }
        let outcome = outcome.withLock { $0 }
        results.add(
            "the neighbor puts odd keys into the keyrings", looked: outcome.planted ?? 0, "odd keys",
            failure: outcome.planted == nil ? "the neighbor does not end in time" : outcome.failure)
        guard let calls = outcome.calls else {
            return results.add(
                "a call on a name taken by the neighbor ends in time", looked: 0, "calls", failure: "one never ended")
        }
        let isLate = calls.longest > SquattedCalls.bound
        results.add(
            "a call on a name taken by the neighbor ends in time", looked: calls.count, "calls",
            failure: isLate ? "\(calls.slowest) took \(calls.longest / 1_000_000) ms" : nil)
        results.add(
            "a call on a name taken by the neighbor fails only with a clear error", looked: calls.count, "calls",
            failure: calls.unexpected)
    }
}
