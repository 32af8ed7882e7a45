import Foundation
import Keyutils
import SessionKeyring
import SessionKeyringTesting
import TestSupport
import Threads

/// A verb that many tasks call at the same time, and the obstacle that makes them wait.
struct StallCase: Codable {
    enum Obstacle: String, Codable {
        /// Another process holds the item, or the lease.
        case heldItem
        /// Another process holds the item that the verb stores after its fetch.
        case heldAtStore
        case fullQuota
        /// The verb raises the namespace's update flag.
        case updateFlag
        /// The leases' ring has been revoked.
        case deadLeasesRing
    }

    let verb: StallVerb
    let obstacle: Obstacle
    /// When the tasks are cancelled, in milliseconds after they began; `nil` for never.
    var cancellation: Int?
    /// The number of the attempt.
    ///
    /// An attempt that needs a quota becomes a different user each time.
    var attempt = 0

    /// More tasks than the pool has threads, and enough to reveal a pause of a few milliseconds in each of them.
    static let taskCount = 20
    /// How long another process holds the item, in milliseconds.
    static let holdTime = 150
    /// How long a task may wait for other processes, in milliseconds.
    static let longestWait = 3_000

    /// The shortest wait, in milliseconds; a task that waits less didn't meet the obstacle.
    private var leastWait: Double {
        if cancellation != nil { return 0 }
        return switch obstacle {
        case .heldItem: verb == .tryLease ? 0 : 100
        case .heldAtStore, .fullQuota: 100
        case .updateFlag: 15
        case .deadLeasesRing: StallVerb.ringless.contains(verb) ? 0 : 40
        }
    }

    /// The time by which all tasks must have ended, in milliseconds; cancelled tasks must end soon after that.
    private var latestEnd: Double {
        // A store waits for quota as long as for other processes, and then makes a last attempt.
        guard let cancellation else { return Double(Self.longestWait) + 2_500 }
        return 1_000 + Double(cancellation)
    }

    /// The reasons why this measurement is a failure; empty if the case passes.
    func problems(of report: StallReport) -> [String] {
        if let failure = report.failure { return ["the case could not be set up: \(failure)"] }
        var problems: [String] = []
        if let delay = report.worst, delay.blocked > 20 { problems.append("the pool was blocked") }
        if report.firstEnd < leastWait { problems.append("a task did not wait") }
        if report.lastEnd > latestEnd { problems.append("a task ended too late") }
        var expected: Set = ["done"]
        if verb == .add { expected.insert("duplicate") }
        // The kernel may collect the old lease late.
        if verb == .tryLease, obstacle == .heldItem { expected.insert("nil") }
        if obstacle == .fullQuota { expected.insert("quotaExceeded") }
        if cancellation != nil { expected.insert("cancelled") }
        for outcome in report.outcomes.keys.sorted() where !expected.contains(outcome) {
            problems.append("a task ended with \(outcome)")
        }
        return problems
    }
}

/// The result of one measurement, in milliseconds after the tasks began.
struct StallReport: Codable, CustomStringConvertible {
    /// The error that prevented the measurement.
    var failure: String?
    var worst: StallMeter.Delay?
    var firstEnd = 0.0
    var lastEnd = 0.0
    var outcomes: [String: Int] = [:]

    var description: String {
        func text(_ number: Double) -> String { String(format: "%.1f", number) }
        let ends = outcomes.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
        var description = "tasks ended after \(text(firstEnd)) to \(text(lastEnd)) ms: \(ends)"
        if let worst {
            let (blocked, due, length) = (text(worst.blocked), text(worst.due), text(worst.length))
            description += "; blocked for \(blocked) ms while the \(worst.beat) due at \(due) was \(length) late"
        }
        return description
    }
}

/// A case that has been set up, in a process without other tests.
final class StallScene: Sendable {
    private let stall: StallCase
    private let places: [StallPlace]
    /// The items and leases that the tasks wait for, until they are released.
    private let held = Locked<[AnyObject]>([])
    /// The scratch keyrings, which are removed at the end.
    private let scratches: [Scratch]
    private static let priority = TaskPriority.medium

    private final class Scratch: Sendable {
        let ring: ScratchKeyring
        init() throws { ring = try ScratchKeyring(timeout: .seconds(60)) }
    }

    /// Sets up the case, and blocks the thread while it does.
    init(_ stall: StallCase) throws {
        self.stall = stall
        let numbers = 0..<StallCase.taskCount
        let itemNumbers = numbers.map { stall.verb.hasManyItems ? $0 : 0 }
        if stall.obstacle == .fullQuota {
            scratches = []
            let ring = try Self.becomeUser(of: stall)
            places = try itemNumbers.map { try StallPlace(anchor: ring, number: $0, isOpenToOwner: true) }
        } else {
            let scratches = try (0..<(stall.obstacle == .deadLeasesRing ? numbers.count : 1)).map { _ in try Scratch() }
            self.scratches = scratches
            let rings = scratches.map { $0.ring.keyring }
            places = try numbers.map { number in
                switch stall.obstacle {
                // Each task has its own namespace or ring, because it would take long to wait for one after the other.
                case .updateFlag: try StallPlace(anchor: rings[0], namespace: "n\(number)", number: 0)
                case .deadLeasesRing: try StallPlace(anchor: rings[number], number: 0)
                default: try StallPlace(anchor: rings[0], number: itemNumbers[number])
                }
            }
        }
        let isShared = Set(itemNumbers).count == 1 && ![.updateFlag, .deadLeasesRing].contains(stall.obstacle)
        let distinct = isShared ? Array(places.prefix(1)) : places
        for place in distinct { try stall.verb.prepare(place, for: stall.obstacle) }
        try obstruct(distinct)
    }

    private func obstruct(_ places: [StallPlace]) throws {
        switch stall.obstacle {
        case .heldItem, .heldAtStore:
            let held = try places.map { place in
                guard let held = try stall.verb.hold(place, for: stall.obstacle) else {
                    throw SecretStoreError(.contended)
                }
                return held
            }
            self.held.withLock { $0 = held }
        case .fullQuota:
            // Without an update flag, a delete or an expire would need no lease, and so no quota.
            try places[0].store.blockingUpdate(.password(service: "other"), lasting: .scope) { (_: String?) in "flagged"
            }
            try Self.fillQuotaBytes(with: places[0].anchor)
        case .updateFlag: break
        case .deadLeasesRing:
            for place in places { try Key(place.anchor.search(keyring: NamespaceRings.leasesName)).revoke() }
        }
    }

    /// Becomes a user that no other case uses, and creates a keyring that all threads can use, whatever their session.
    private static func becomeUser(of stall: StallCase) throws -> Keyring {
        let number = StallVerb.allCases.firstIndex(of: stall.verb) ?? 0
        try OrdinaryUser.becomeInNewSession(
            UInt32(62_000 + number + (stall.cancellation == nil ? 0 : 50) + 100 * stall.attempt))
        // An earlier run may just have used up the user's quota.
        let session = try Keyring.resolve(.sessionKeyring)
        let ring = try Wait.forQuota { () throws(KeyringError) in try session.addKeyring("stall") }
        try Key(ring).setPermissions([.possessorAll, .userAll])
        return ring
    }

    /// Uses up the bytes of the user's quota, but not its number of keys.
    ///
    /// This includes bytes that the preparation has freed and the kernel returns late.
    private static func fillQuotaBytes(with ring: Keyring) throws {
        var number = 0
        var full = -1
        while full < number {
            full = number
            for _ in 0..<2 { _ = GracePeriod.pass() }
            for size in [4_000, 1_000, 200, 50, 10, 1] {
                let payload = [UInt8](repeating: 1, count: size)
                while (try? ring.add(.user, "filler\(number)", payload: payload.span.bytes)) != nil { number += 1 }
            }
        }
    }

    /// Runs the tasks, and measures how long they take and block the pool.
    func run() async -> StallReport {
        let meter = StallMeter(priority: Self.priority)
        // By then, the pool has started its threads, and the beats come regularly.
        try? await Task.sleep(for: .milliseconds(20))
        let start = Now.milliseconds
        let ends = Locked<[(time: Double, outcome: String)]>([])
        let tasks = places.map { place in
            Task(priority: Self.priority) {
                let outcome = await outcome(of: place)
                ends.withLock { $0.append((Now.milliseconds - start, outcome)) }
            }
        }
        let areOver = DispatchSemaphore(value: 0)
        let helpers = DispatchGroup()
        ThreadTeam.start(in: helpers) { [self] in release(whenOver: areOver) }
        // Tasks that wait without a limit are cancelled, so that they end, too.
        let cancellation = DispatchTimeInterval.milliseconds(stall.cancellation ?? StallCase.longestWait + 3_000)
        ThreadTeam.start(in: helpers) {
            if areOver.wait(timeout: .now() + cancellation) == .timedOut { tasks.forEach { $0.cancel() } }
        }
        for task in tasks { await task.value }
        // One signal for each of the two helpers.
        for _ in 0..<2 { areOver.signal() }
        // A fetch may continue after its callers have ended.
        try? await Task.sleep(for: .milliseconds(20))
        let worst = await meter.stop()
        await withCheckedContinuation { ended in helpers.notify(queue: .global()) { ended.resume() } }
        let all = ends.withLock { $0 }
        return StallReport(
            worst: worst, firstEnd: all.first?.time ?? 0, lastEnd: all.last?.time ?? 0,
            outcomes: Dictionary(grouping: all, by: \.outcome).mapValues(\.count))
    }

    /// Releases the held items after their time.
    ///
    /// Cancelled tasks must not wait for a held item, so in that case this waits until all tasks have ended.
    private func release(whenOver areOver: DispatchSemaphore) {
        if stall.cancellation != nil, stall.obstacle == .heldItem {
            _ = areOver.wait(timeout: .now() + 3)
        } else {
            usleep(UInt32(StallCase.holdTime) * 1_000)
        }
        held.withLock { $0 = [] }
    }

    private func outcome(of place: StallPlace) async -> String {
        do {
            return try await stall.verb.call(place)
        } catch is CancellationError {
            return "cancelled"
        } catch let error as SecretStoreError {
            return "\(error.code)"
        } catch {
            return "\(error)"
        }
    }
}
