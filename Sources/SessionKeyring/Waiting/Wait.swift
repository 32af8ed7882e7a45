package import Keyutils

/// Decides after each blocked attempt whether to try again, after which pause, and with which last resorts.
///
/// One value serves one call of the store, and makes its attempts one after the other. There are three drivers:
/// ``run(_:)`` sleeps, ``runInTask(isCancellable:_:)`` suspends the task and blocks no thread, and
/// ``pause(after:_:at:)`` is for a program that has its own loop.
///
/// **Waiting for others** ends at the limit. The pauses depend on the ``Blockage``:
///
/// - For an item's lease, they last 20 us to 5 ms.
/// - For a named lease or a fetch, they last 1 to 50 ms.
/// - If the kernel has not freed a lease's name yet, or if another process is creating the namespace's keyrings, a call
///   waits up to 100 ms, even if its limit is shorter: both take only a moment.
/// - Two waits are always completed, whatever the limit: 20 ms after the update flag was set
///   (``NamespaceRings/raiseUpdateFlag(in:)``), and 50 ms before a dead keyring of leases is replaced
///   (``RingMaking/dueTime``).
///
/// **Waiting for quota** is necessary because the kernel frees it late: about 15 ms after a key was unlinked, and up
/// to 0.65 s on a busy machine. ``Effort/mayUseLastResorts`` lists the last resorts. If the quota stays full, a
/// call makes these attempts:
///
/// 1. For 150 ms, or until a shorter limit, attempts follow each other after short pauses.
/// 2. One attempt can use the last resorts. If the limit for quota has passed by then, it is the last attempt.
/// 3. Until the limit, attempts follow each other again. Without a limit, they do so for 600 ms; the call then waits
///    for the kernel's ``GracePeriods``.
/// 4. One more attempt can use the last resorts.
///
/// If the limit is zero, the only attempt can use them.
package struct Wait {
    private let limit: Duration
    private let quotaLimit: Duration
    /// Whether to wait for the kernel's grace periods at the end of the wait for quota.
    private let hasGracePeriods: Bool
    private var isFirst = true
    private var mayUseLastResorts: Bool
    private var start: BootTime?
    private var deadline = BootTime(nanoseconds: 0)
    /// When the call was first blocked by something that takes the kernel or others only a moment.
    private var briefStart: BootTime?
    private var itemBackoff = Backoff(from: .microseconds(20), upTo: .milliseconds(5))
    private var longBackoff = Backoff(from: .milliseconds(1), upTo: .milliseconds(50))
    private var quotaStart: BootTime?
    private var quotaPhase = QuotaPhase.beforeLastResorts

    private enum QuotaPhase { case beforeLastResorts, lastResorts, afterLastResorts, gracePeriods, ended }

    /// Creates the waiting policy of one call.
    ///
    /// - Parameters:
    ///   - limit: how long to wait for others.
    ///   - quotaLimit: how long to wait for quota; `nil` for 600 ms and then the kernel's grace periods.
    package init(upTo limit: Duration = usualLimit, quota quotaLimit: Duration? = nil) {
        self.limit = limit
        self.quotaLimit = quotaLimit ?? Self.fullQuota
        hasGracePeriods = quotaLimit == nil
        mayUseLastResorts = self.quotaLimit <= .zero
    }

    /// Returns the policy of operations that free quota or can do without it: they wait 150 ms for it at most.
    static func freeingQuota(upTo limit: Duration = usualLimit) -> Wait {
        Wait(upTo: limit, quota: min(limit, briefQuota))
    }

    /// Returns the policy of updates, which wait about a second for quota at most.
    static func updating(upTo limit: Duration) -> Wait {
        Wait(upTo: limit, quota: limit < fullQuota ? limit : nil)
    }

    /// How long an operation waits for others unless the caller gives a limit.
    package static let usualLimit = Duration.seconds(10)
    private static let fullQuota = Duration.milliseconds(600)
    /// How long an operation waits for quota before it uses the last resorts.
    private static let briefQuota = Duration.milliseconds(150)
    private static let collectionOfLease = Duration.milliseconds(100)
}

/// The drivers, which make the attempts and wait in between.
extension Wait {
    /// How much the next attempt may do.
    package var effort: Effort { Effort(mayUseLastResorts: mayUseLastResorts, isFirst: isFirst) }

    /// Makes attempts until one succeeds, sleeping in between.
    ///
    /// - Throws: the error of the last attempt.
    @inline(__always)
    package mutating func run<Output>(
        _ attempt: (Effort) throws(SecretStoreError) -> Outcome<Output>
    ) throws(SecretStoreError) -> Output {
        beginOperation()
        switch try attempt(effort) {
        case .done(let output): return output
        case .blocked(let error, let step): return try run(attempt, after: error, step)
        }
    }

    @inline(never)
    private mutating func run<Output>(
        _ attempt: (Effort) throws(SecretStoreError) -> Outcome<Output>, after error: SecretStoreError,
        _ step: VisibleStep?
    ) throws(SecretStoreError) -> Output {
        var (error, step) = (error, step)
        while sleep(after: error, step) {
            switch try attempt(effort) {
            case .done(let output): return output
            case .blocked(let next, let nextStep): (error, step) = (next, nextStep)
            }
        }
        throw error
    }

    /// Makes attempts until one succeeds, suspending the task in between.
    ///
    /// - Parameter isCancellable: false for an operation of which others can already see a step.
    /// - Throws: `CancellationError`, unless others can already see a step of the operation; the error of
    ///   the last attempt.
    package nonisolated(nonsending) mutating func runInTask<Output>(
        isCancellable: Bool = true, _ attempt: (Effort) throws(SecretStoreError) -> Outcome<Output>
    ) async throws -> Output {
        if isCancellable { try Task.checkCancellation() }
        beginOperation()
        while true {
            switch try attempt(effort) {
            case .done(let output): return output
            case .blocked(let error, let step):
                guard try await suspend(after: error, step, isCancellable: isCancellable && step == nil) else {
                    throw error
                }
            }
        }
    }

    /// Sleeps after a blocked attempt; returns false, without sleeping, if there should not be another one.
    package mutating func sleep(after error: SecretStoreError, _ step: VisibleStep? = nil) -> Bool {
        switch next(after: error, step) {
        case .end: return false
        case .now: return true
        case .pause(let duration): Pause.sleep(duration)
        case .gracePeriods: GracePeriods.pass()
        }
        return true
    }

    /// Returns how long to wait after a blocked attempt, for a program that does other work meanwhile.
    ///
    /// The result is `nil` if there should not be another attempt. It never includes the kernel's grace periods.
    package mutating func pause(
        after error: SecretStoreError, _ step: VisibleStep? = nil, at now: BootTime = .now()
    ) -> Duration? {
        switch next(after: error, step, at: now) {
        case .end: nil
        case .now: .zero
        case .pause(let duration): duration
        case .gracePeriods: .milliseconds(50)
        }
    }

    nonisolated(nonsending) private mutating func suspend(
        after error: SecretStoreError, _ step: VisibleStep?, isCancellable: Bool
    ) async throws -> Bool {
        switch next(after: error, step) {
        case .end: return false
        case .now: break
        case .pause(let duration): try await Pause.suspend(duration, isCancellable: isCancellable)
        case .gracePeriods: await GracePeriods.passInTask()
        }
        if isCancellable { try Task.checkCancellation() }
        return true
    }

    /// Repeats a call of the kernel until the quota has room for it, sleeping in between.
    package static func forQuota<Result>(
        _ body: () throws(KeyringError) -> Result
    ) throws(KeyringError) -> Result {
        var wait = Wait()
        while true {
            do throws(KeyringError) {
                return try body()
            } catch {
                guard error.code == .quotaExceeded, wait.sleep(after: SecretStoreError(.quotaExceeded)) else {
                    throw error
                }
            }
        }
    }
}

/// The policy, which chooses the next step after a failed attempt.
extension Wait {
    private enum NextStep {
        case end
        case now
        case pause(Duration)
        case gracePeriods
    }

    /// Prepares the first attempt of an operation; earlier waits of the same call count.
    private mutating func beginOperation() {
        isFirst = true
        mayUseLastResorts = quotaLimit <= .zero || quotaPhase != .beforeLastResorts
    }

    private mutating func next(
        after error: SecretStoreError, _ step: VisibleStep?, at now: BootTime = .now()
    ) -> NextStep {
        guard error.isBlockage else { return .end }
        isFirst = false
        if start == nil {
            start = now
            deadline = now + BootTime(limit)
        }
        // If others can already see a step of the operation, it gets ten seconds to complete, whatever the limit.
        if step != nil {
            deadline = max(deadline, (start ?? now) + BootTime(Self.usualLimit))
        }
        if error.code == .quotaExceeded { return stepForQuota(now) }
        forgetQuota(unlessInUse: error.blockage)
        return stepForOthers(error.blockage, now)
    }

    /// Forgets an earlier wait for quota after a wait for others, so that a full quota begins a new wait.
    private mutating func forgetQuota(unlessInUse reason: Blockage?) {
        switch reason {
        case .namedLease, nil: break
        case .itemLease where quotaPhase == .beforeLastResorts: break
        // The last resorts themselves wait for leases and for the update flag. Such a wait does not change the phase.
        default: return
        }
        (quotaStart, quotaPhase) = (nil, .beforeLastResorts)
        mayUseLastResorts = quotaLimit <= .zero
    }

    private mutating func stepForOthers(_ reason: Blockage?, _ now: BootTime) -> NextStep {
        switch reason {
        case .until(let time):
            // A malicious process could postpone the time again and again, so this wait is limited too.
            guard now < max(deadline, (start ?? now) + BootTime(.seconds(1))) else { return .end }
            return time > now ? .pause(time.since(now)) : .now
        case .leaseCollection, .ringMaker:
            briefStart = briefStart ?? now
            deadline = max(deadline, (briefStart ?? now) + BootTime(Self.collectionOfLease))
            return pause(&itemBackoff, now)
        case .itemLease: return pause(&itemBackoff, now)
        case .namedLease, nil: return pause(&longBackoff, now)
        }
    }

    private func pause(_ backoff: inout Backoff, _ now: BootTime) -> NextStep {
        now < deadline ? .pause(min(backoff.next(), deadline.since(now))) : .end
    }

    private mutating func stepForQuota(_ now: BootTime) -> NextStep {
        let waited = now.since(quotaStart ?? now)
        quotaStart = quotaStart ?? now
        // The first pauses are short, because most of them are followed by a success.
        let pause = NextStep.pause(waited < .milliseconds(7) ? max(.microseconds(500), waited) : .milliseconds(5))
        switch quotaPhase {
        case .beforeLastResorts:
            if waited < min(quotaLimit, Self.briefQuota) { return pause }
            quotaPhase = .lastResorts
            // With a limit of zero, the first attempt has already used the last resorts.
            guard !mayUseLastResorts else { return .end }
            mayUseLastResorts = true
            return .now
        case .lastResorts:
            guard waited < quotaLimit else { return .end }
            quotaPhase = .afterLastResorts
            mayUseLastResorts = false
            return pause
        case .afterLastResorts:
            if waited < quotaLimit { return pause }
            quotaPhase = .gracePeriods
            return hasGracePeriods ? .gracePeriods : .now
        case .gracePeriods:
            quotaPhase = .ended
            mayUseLastResorts = true
            return .now
        case .ended: return .end
        }
    }
}

/// Pauses between attempts: longer each time, up to a limit.
struct Backoff {
    private var pause: Duration
    private let limit: Duration

    init(from first: Duration, upTo limit: Duration) {
        self.pause = first
        self.limit = limit
    }

    /// Returns the next pause.
    ///
    /// Up to a quarter of it is random, so that processes that began to wait together don't return together.
    mutating func next() -> Duration {
        defer { pause = min(pause * 2, limit) }
        return pause - pause * Int.random(in: 0...255) / 1_024
    }
}

/// How much one attempt of an operation may do.
///
/// An operation of the store is a value with a function that makes one attempt. No attempt waits: if something blocks
/// it, it ends, and ``Wait`` decides when to make the next one. The operation's value keeps the results of earlier
/// attempts, so that no attempt repeats a step that others can see.
package struct Effort: Sendable {
    /// Whether to use last resorts if the quota is full.
    ///
    /// The last resorts are: removing expired items and empty keyrings, changing an item without its lease, storing a
    /// value without the facts about it, and fetching a value that is then not stored. The store allows them only after
    /// it has waited for the kernel to free quota.
    package let mayUseLastResorts: Bool
    /// Whether no attempt of the operation has been blocked, so that a lease that it needs is probably free.
    package let isFirst: Bool

    package init(mayUseLastResorts: Bool = true, isFirst: Bool = true) {
        self.mayUseLastResorts = mayUseLastResorts
        self.isFirst = isFirst
    }
}

/// The result of one attempt.
package enum Outcome<Output> {
    case done(Output)
    /// Another attempt can succeed: the error says what blocks this one. The step is the one that others already see.
    case blocked(SecretStoreError, after: VisibleStep? = nil)

    package var isBlocked: Bool { if case .blocked = self { true } else { false } }

    /// The step that others already see, if the attempt is blocked.
    package var step: VisibleStep? {
        if case .blocked(_, let step) = self { step } else { nil }
    }

    /// Returns the output of an attempt that can't be followed by another one.
    ///
    /// - Throws: the error that says what blocks the attempt.
    package func get() throws(SecretStoreError) -> Output {
        switch self {
        case .done(let output): return output
        case .blocked(let error, _): throw error
        }
    }

    /// Makes an attempt; an error that others or a full quota cause becomes the result.
    @inline(__always)
    package static func of(
        after step: @autoclosure () -> VisibleStep? = nil, _ attempt: () throws(SecretStoreError) -> Output
    ) throws(SecretStoreError) -> Outcome {
        do throws(SecretStoreError) {
            return .done(try attempt())
        } catch {
            guard error.isBlockage else { throw error }
            return .blocked(error, after: step())
        }
    }
}

/// A step of a blocked operation that others can already see.
///
/// The operation can't be cancelled any more: its next attempts complete it.
package enum VisibleStep: Sendable {
    /// The operation stored this key, though perhaps too late, after an update had read the item or after a `clear`.
    case placed(Key)
    /// The operation deleted the item, though perhaps too late; false if there wasn't one.
    case removed(Bool)
}

/// The result of a part of an attempt, inside a backend.
package enum Step<Output: ~Copyable>: ~Copyable {
    case done(Output)
    case blocked(Blockage)
}

extension Step: Copyable where Output: Copyable {}
