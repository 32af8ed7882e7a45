import Glibc
package import Keyutils

/// Turns blocked attempts into waiting: decides whether another attempt follows, after which pause, and with which last
/// resorts.
///
/// One value serves one call of the store, whose attempts it makes one after the other. There are two drivers: ``run(_:)``
/// sleeps, ``runInTask(_:)`` suspends the task and blocks no thread.
///
/// - **Others** are waited for until the limit, with pauses that the reason chooses: 20 us to 5 ms for an item's lease,
///   1 to 50 ms for a named lease or a fetch, or until the kernel signals a change. If the kernel has to free a lease's name, or another
///   process makes the namespace's keyrings, the limit is at least 100 ms from then on. The grace time of the update flag, 20 ms, and the 50 ms before a dead leases'
///   ring is replaced are waited for in any case.
/// - **Quota** is waited for because the kernel frees it late, about 15 ms after a key was unlinked, and up to 0.65 s later on
///   a busy machine. Attempts follow each other for 150 ms; then one may use the last resorts; then the remaining time
///   passes with attempts in between; then one may use the last resorts once more. With no time at all, the only attempt
///   may use them.
package struct Wait {
    private let limit: Duration
    private let quotaLimit: Duration
    /// Whether the kernel's grace periods follow the wait for quota.
    private let hasGracePeriods: Bool
    private var start: BootTime?
    private var deadline = BootTime(nanoseconds: 0)
    /// When something was in the way for the first time that takes the kernel or others only a moment.
    private var briefStart: BootTime?
    private var itemBackoff = Backoff(from: .microseconds(20), upTo: .milliseconds(5))
    private var longBackoff = Backoff(from: .milliseconds(1), upTo: .milliseconds(50))
    private var signal: LazySignal
    private var quotaStart: BootTime?
    private var quotaPhase = QuotaPhase.beforeLastResorts

    private enum QuotaPhase { case beforeLastResorts, lastResorts, afterLastResorts, gracePeriods, ended }

    /// How it learns of a change; asked for only when it has to wait.
    private enum LazySignal {
        case unasked(any SecretBackend)
        case asked(ChangeSignal)
        case none
    }

    /// - Parameters:
    ///   - limit: how long to wait for others.
    ///   - quotaLimit: how long to wait for quota; `nil` for 600 ms and then the kernel's grace periods.
    ///   - backend: where a change is expected, for those who wait for a named lease or a fetch.
    package init(
        upTo limit: Duration = usualLimit, quota quotaLimit: Duration? = nil, at backend: (any SecretBackend)? = nil
    ) {
        self.limit = limit
        self.quotaLimit = quotaLimit ?? Self.fullQuota
        hasGracePeriods = quotaLimit == nil
        signal = backend.map(LazySignal.unasked) ?? .none
    }

    /// For operations that free quota themselves, or can do without: they wait 150 ms for it at most.
    static func freeingQuota(upTo limit: Duration = usualLimit) -> Wait {
        Wait(upTo: limit, quota: min(limit, briefQuota))
    }

    /// For updates, which wait for quota for about a second at most.
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

/// The drivers.
extension Wait {
    /// A first attempt.
    package var firstAttempt: BackendAttempt {
        BackendAttempt(mayUseLastResorts: quotaLimit <= .zero || quotaPhase != .beforeLastResorts)
    }

    /// Makes attempts until one is through, sleeping in between.
    ///
    /// - Throws: the error of the last attempt.
    @inline(__always)
    package mutating func run<Result: ~Copyable>(
        _ body: (inout BackendAttempt) throws(SecretStoreError) -> Result
    ) throws(SecretStoreError) -> Result {
        var attempt = firstAttempt
        do throws(SecretStoreError) {
            return try body(&attempt)
        } catch {
            return try run(body, &attempt, after: error)
        }
    }

    @inline(never)
    private mutating func run<Result: ~Copyable>(
        _ body: (inout BackendAttempt) throws(SecretStoreError) -> Result, _ attempt: inout BackendAttempt,
        after error: SecretStoreError
    ) throws(SecretStoreError) -> Result {
        var error = error
        while sleep(after: error, &attempt) {
            do throws(SecretStoreError) {
                return try body(&attempt)
            } catch let next {
                error = next
            }
        }
        throw error
    }

    /// Makes attempts until one is through; the task is suspended in between.
    ///
    /// - Parameter isCancellable: false for an operation of which others can see a step already.
    /// - Throws: `CancellationError`, unless an attempt has done something that others can see; the error of the last attempt.
    package nonisolated(nonsending) mutating func runInTask<Result: ~Copyable>(
        isCancellable: Bool = true, _ body: (inout BackendAttempt) throws(SecretStoreError) -> Result
    ) async throws -> Result {
        if isCancellable { try Task.checkCancellation() }
        var attempt = firstAttempt
        while true {
            do throws(SecretStoreError) {
                return try body(&attempt)
            } catch {
                let isCancellable = isCancellable && attempt.progress?.isVisible != true
                guard try await suspend(after: error, &attempt, isCancellable: isCancellable) else { throw error }
            }
        }
    }

    /// Sleeps before the next attempt; false, without sleeping, if there is not to be one.
    package mutating func sleep(after error: SecretStoreError, _ attempt: inout BackendAttempt) -> Bool {
        switch step(after: error, &attempt) {
        case .end: return false
        case .now: return true
        case .pause(let duration): Pause.sleep(duration)
        case .signal(let signal, let left): signal.wait(upTo: left)
        case .gracePeriods: GracePeriods.pass()
        }
        return true
    }

    nonisolated(nonsending) private mutating func suspend(
        after error: SecretStoreError, _ attempt: inout BackendAttempt, isCancellable: Bool
    ) async throws -> Bool {
        let step = step(after: error, &attempt)
        attempt.prepareForSuspension()
        switch step {
        case .end: return false
        case .now: break
        case .pause(let duration): try await Pause.suspend(duration, isCancellable: isCancellable)
        case .signal(let signal, let left) where isCancellable: await signal.waitInTask(upTo: left)
        case .signal(_, let left): try await Pause.suspend(min(left, .milliseconds(50)), isCancellable: false)
        case .gracePeriods: await GracePeriods.passInTask()
        }
        if isCancellable { try Task.checkCancellation() }
        return true
    }

    /// Makes attempts of a call of the kernel until the quota has room for it, sleeping in between.
    package static func forQuota<Result: ~Copyable>(
        _ body: () throws(KeyringError) -> Result
    ) throws(KeyringError) -> Result {
        var wait = Wait()
        var attempt = wait.firstAttempt
        while true {
            do throws(KeyringError) {
                return try body()
            } catch {
                guard error.code == .quotaExceeded, wait.sleep(after: SecretStoreError(.quotaExceeded), &attempt) else {
                    throw error
                }
            }
        }
    }
}

/// The policy.
extension Wait {
    private enum NextStep {
        case end
        case now
        case pause(Duration)
        case signal(ChangeSignal, upTo: Duration)
        case gracePeriods
    }

    private mutating func step(after error: SecretStoreError, _ attempt: inout BackendAttempt) -> NextStep {
        let now = BootTime.now()
        if start == nil {
            start = now
            deadline = now + BootTime(limit)
        }
        // An operation that others can see already is completed, whatever the caller's limit.
        if attempt.progress?.isVisible == true {
            deadline = max(deadline, (start ?? now) + BootTime(Self.usualLimit))
        }
        attempt.blockage = nil
        switch error.code {
        case .contended:
            forgetQuota(unlessInUse: error.blockage, &attempt)
            return stepForOthers(error.blockage, now)
        case .quotaExceeded: return stepForQuota(now, &attempt)
        default: return .end
        }
    }

    /// Quota that is missing after others were waited for has to be waited for again.
    private mutating func forgetQuota(unlessInUse reason: Blockage?, _ attempt: inout BackendAttempt) {
        switch reason {
        case .namedLease, nil: break
        case .itemLease where quotaPhase == .beforeLastResorts: break
        // The last resorts themselves take leases, and wait for the flag.
        default: return
        }
        (quotaStart, quotaPhase) = (nil, .beforeLastResorts)
        attempt.mayUseLastResorts = quotaLimit <= .zero
    }

    private mutating func stepForOthers(_ reason: Blockage?, _ now: BootTime) -> NextStep {
        switch reason {
        case .until(let time):
            // A time that moves on again and again is somebody's mischief.
            guard now < max(deadline, (start ?? now) + BootTime(.seconds(1))) else { return .end }
            return time > now ? .pause(time.since(now)) : .now
        case .leaseCollection, .ringMaker:
            briefStart = briefStart ?? now
            deadline = max(deadline, (briefStart ?? now) + BootTime(Self.collectionOfLease))
            return pause(&itemBackoff, now)
        case .itemLease: return pause(&itemBackoff, now)
        case .namedLease, nil: break
        }
        guard now < deadline else { return .end }
        switch signal {
        case .unasked(let backend):
            // Made before the attempt that follows, so that it misses no change.
            signal = backend.changeSignal().map(LazySignal.asked) ?? .none
            return .now
        case .asked(let signal): return .signal(signal, upTo: deadline.since(now))
        case .none: return pause(&longBackoff, now)
        }
    }

    private func pause(_ backoff: inout Backoff, _ now: BootTime) -> NextStep {
        now < deadline ? .pause(min(backoff.next(), deadline.since(now))) : .end
    }

    private mutating func stepForQuota(_ now: BootTime, _ attempt: inout BackendAttempt) -> NextStep {
        let waited = now.since(quotaStart ?? now)
        quotaStart = quotaStart ?? now
        // Most pauses at the beginning are rewarded.
        let pause = NextStep.pause(waited < .milliseconds(7) ? max(.microseconds(500), waited) : .milliseconds(5))
        switch quotaPhase {
        case .beforeLastResorts:
            if waited < min(quotaLimit, Self.briefQuota) { return pause }
            quotaPhase = .lastResorts
            // With no time at all, the first attempt has used them.
            guard !attempt.mayUseLastResorts else { return .end }
            attempt.mayUseLastResorts = true
            return .now
        case .lastResorts:
            guard waited < quotaLimit else { return .end }
            quotaPhase = .afterLastResorts
            attempt.mayUseLastResorts = false
            return pause
        case .afterLastResorts:
            if waited < quotaLimit { return pause }
            quotaPhase = .gracePeriods
            return hasGracePeriods ? .gracePeriods : .now
        case .gracePeriods:
            quotaPhase = .ended
            attempt.mayUseLastResorts = true
            return .now
        case .ended: return .end
        }
    }
}

/// The steps of an operation after the first one that others can see.
extension Wait {
    struct Step {
        let attempt: (inout BackendAttempt) throws(SecretStoreError) -> Void

        init(_ attempt: @escaping (inout BackendAttempt) throws(SecretStoreError) -> Void) {
            self.attempt = attempt
        }
    }

    /// Takes one step after the other, sleeping if something is in its way.
    static func run(_ steps: [Step]) throws(SecretStoreError) {
        for step in steps {
            var wait = Wait()
            try wait.run(step.attempt)
        }
    }

    /// The same in a task, which is suspended; a cancelled task takes them too.
    nonisolated(nonsending) static func runInTask(_ steps: [Step]) async throws {
        for step in steps {
            var wait = Wait()
            try await wait.runInTask(isCancellable: false, step.attempt)
        }
    }
}

extension SecretStoreError {
    /// Whether somebody holds the lease that was asked for, or its name is not free yet.
    package var isLeaseHeld: Bool {
        switch blockage {
        case .namedLease, .leaseCollection, nil: code == .contended
        default: false
        }
    }

    /// The reason why an attempt was blocked; `nil` if a backend other than the kernel's does not tell.
    var blockage: Blockage? {
        if case .blocked(let reason) = detail { reason } else { nil }
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

    /// The next pause.
    ///
    /// Up to a quarter of it is left to chance, so that processes which began to wait together don't return together.
    mutating func next() -> Duration {
        defer { pause = min(pause * 2, limit) }
        return pause - pause * Int.random(in: 0...255) / 1_024
    }
}
