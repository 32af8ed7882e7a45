import Keyutils
import SessionKeyringTesting
import TestSupport
import Testing
import Threads

@testable import SessionKeyring

/// Tests of the policy alone, with attempts that fail on purpose; the tests of waiting for others use the kernel.
@Suite("How long an operation waits, and for what")
struct WaitPolicyTests {
    private struct Attempt {
        let time: Duration
        let mayUseLastResorts: Bool
    }

    /// Makes attempts until the policy gives up, on a clock that only the pauses advance.
    ///
    /// - Parameter failure: returns the error of an attempt at this time.
    private func attempts(_ wait: consuming Wait, failing failure: (BootTime) -> SecretStoreError) -> [Attempt] {
        let begun = BootTime(.seconds(1_000))
        var (now, attempts): (BootTime, [Attempt]) = (begun, [])
        while attempts.count < 10_000 {
            attempts.append(Attempt(time: now.since(begun), mayUseLastResorts: wait.effort.mayUseLastResorts))
            guard let pause = wait.pause(after: failure(now), at: now) else { return attempts }
            now = now + BootTime(pause)
        }
        Issue.record("the policy does not give up")
        return attempts
    }

    private func attempts(_ wait: consuming Wait, failing error: SecretStoreError) -> [Attempt] {
        attempts(wait) { _ in error }
    }

    private func quotaAttempts(_ wait: consuming Wait) -> [Attempt] {
        attempts(wait, failing: SecretStoreError(.quotaExceeded))
    }

    @Test("an operation pauses between its attempts, and throws the error of the last one", arguments: [false, true])
    func drivers(inTask isInTask: Bool) async throws {
        let begun = ContinuousClock.now
        var (wait, count, error): (Wait, Int, SecretStoreError?) = (Wait(upTo: .milliseconds(20)), 0, nil)
        let attempt = { (_: Effort) throws(SecretStoreError) -> Outcome<Void> in
            count += 1
            return .blocked(SecretStoreError(.blocked(.itemLease)))
        }
        do {
            if isInTask { try await wait.runInTask(attempt) } else { try wait.run(attempt) }
        } catch let last as SecretStoreError {
            error = last
        }
        #expect(error == SecretStoreError(.blocked(.itemLease)))
        #expect(count > 1 && ContinuousClock.now - begun >= .milliseconds(20))
    }

    @Test("on a full quota, an operation waits, uses the last resorts once, and again at the end")
    func fullQuota() throws {
        let attempts = quotaAttempts(Wait())
        let resorts = attempts.indices.filter { attempts[$0].mayUseLastResorts }
        let first = try #require(resorts.first)
        #expect(resorts == [first, attempts.count - 1])
        #expect(attempts[first].time >= .milliseconds(150) && attempts[first - 2].time < .milliseconds(150))
        let last = try #require(attempts.last)
        #expect(last.time >= .milliseconds(600))
        #expect(attempts.count > 20 && attempts.count < 300, "it looks often, but not constantly")
    }

    @Test("an operation that frees quota itself waits 150 ms for it, or as long as its caller allows")
    func freeingQuota() throws {
        let usual = quotaAttempts(.freeingQuota())
        let brief = quotaAttempts(.freeingQuota(upTo: .milliseconds(40)))
        for (attempts, limit) in [(usual, 150), (brief, 40)] {
            let last = try #require(attempts.last)
            #expect(last.time >= .milliseconds(limit) && last.time < .milliseconds(limit + 10))
            #expect(attempts.map(\.mayUseLastResorts) == attempts.dropLast().map { _ in false } + [true])
        }
        #expect(brief.count < usual.count)
    }

    @Test("pauses are doubled up to a limit, and up to a quarter of each is random")
    func backoff() {
        var backoff = Backoff(from: .microseconds(100), upTo: .microseconds(350))
        for longest in [100, 200, 350, 350, 350] {
            let pause = backoff.next() / .microseconds(1)
            #expect(pause <= Double(longest) && pause >= Double(longest) * 3 / 4)
        }
    }

    @Test("without any time, there is one attempt, which may use the last resorts")
    func noTime() {
        for wait in [Wait.freeingQuota(upTo: .zero), .updating(upTo: .zero), Wait(upTo: .zero, quota: .zero)] {
            #expect(quotaAttempts(wait).map(\.mayUseLastResorts) == [true])
        }
        #expect(attempts(Wait(upTo: .zero), failing: SecretStoreError(.blocked(.itemLease))).count == 1)
    }

    @Test(
        "with a zero wait, each store operation makes one attempt and throws its error",
        arguments: [SecretStoreError(.quotaExceeded), SecretStoreError(.blocked(.itemLease))])
    func oneAttempt(error: SecretStoreError) async throws {
        let item = ItemIdentity.password(service: "api")
        let backend = RefusingBackend(error: error)
        try SecretStore(backend: backend.whole).set("there", for: item)
        let store = SecretStore(backend: backend)
        let forms: [@Sendable () async throws -> Void] = [
            { try await store.set("x", for: item, waiting: .zero) },
            { try await store.add("x", for: item, waiting: .zero) },
            { try await store.expire(item, timeout: .seconds(60), waiting: .zero) },
            { try await store.expire(item, timeout: nil, waiting: .zero) },
            { try await store.delete(item, waiting: .zero) },
        ]
        for (number, form) in forms.enumerated() {
            backend.attempts.withLock { $0 = [] }
            await #expect(throws: error, "\(number)") { try await form() }
            #expect(backend.attempts.withLock { $0 } == [true], "\(number)")
        }
    }

    @Test("contention, a named lease or lease collection means that the lease is held")
    func isLeaseHeld() {
        for reason in [Blockage.namedLease, .leaseCollection] {
            #expect(SecretStoreError(.blocked(reason)).isLeaseHeld)
        }
        for reason in [Blockage.itemLease, .ringMaker] { #expect(!SecretStoreError(.blocked(reason)).isLeaseHeld) }
        #expect(SecretStoreError(.contended).isLeaseHeld)
        #expect(!SecretStoreError(.leaseLost).isLeaseHeld)
    }

    @Test("an update waits for quota as long as other operations, but no longer than its limit")
    func updating() throws {
        let brief = quotaAttempts(.updating(upTo: .milliseconds(50)))
        #expect(try #require(brief.last).time >= .milliseconds(50))
        let long = quotaAttempts(.updating(upTo: .seconds(1)))
        #expect(try #require(long.last).time >= .milliseconds(600))
        #expect(brief.count < long.count)
    }

    @Test("an operation waits for others until its limit, and fails immediately on other errors")
    func others() async throws {
        let attempts = attempts(Wait(upTo: .milliseconds(60)), failing: SecretStoreError(.blocked(.itemLease)))
        #expect(attempts.count > 2)
        #expect(try #require(attempts.last).time >= .milliseconds(60))
        for code in [SecretStoreError.Code.notFound, .unavailable, .leaseLost] {
            var (wait, count) = (Wait(), 0)
            let attempt = { (_: Effort) throws(SecretStoreError) -> Outcome<Void> in
                count += 1
                throw SecretStoreError(code)
            }
            #expect(throws: SecretStoreError(code)) { try wait.run(attempt) }
            await #expect(throws: SecretStoreError(code)) { try await wait.runInTask(attempt) }
            #expect(count == 2)
        }
    }

    @Test(
        "a zero wait still retries for 100 ms if the block is expected to be brief",
        arguments: [Blockage.leaseCollection, .ringMaker])
    func moment(reason: Blockage) throws {
        let made = attempts(Wait(upTo: .zero), failing: SecretStoreError(.blocked(reason)))
        #expect(made.count > 2)
        #expect(try #require(made.last).time == .milliseconds(100))
    }

    @Test(
        "after a block, the wait for quota starts again unless last resorts are already in use",
        arguments: [
            (.milliseconds(20), .namedLease, false), (.milliseconds(20), .itemLease, true),
            (.milliseconds(20), .leaseCollection, true), (.zero, .namedLease, true), (.milliseconds(20), nil, false),
        ] as [(Duration, Blockage?, Bool)])
    func quotaAgain(quotaLimit: Duration, reason: Blockage?, mayUseLastResorts: Bool) throws {
        var wait = Wait(upTo: .seconds(60), quota: quotaLimit)
        var (isBlocked, isAllowed) = (false, false)
        try wait.run { effort throws(SecretStoreError) -> Outcome<Void> in
            isAllowed = effort.mayUseLastResorts
            if isBlocked { return .done(()) }
            guard isAllowed else { return .blocked(SecretStoreError(.quotaExceeded)) }
            isBlocked = true
            return .blocked(reason.map { SecretStoreError(.blocked($0)) } ?? SecretStoreError(.contended))
        }
        #expect(isAllowed == mayUseLastResorts)
    }

    @Test("a time to wait for is waited for, but not for much longer than a second if it moves on again and again")
    func movingTime() throws {
        var awaited: BootTime?
        let made = attempts(Wait(upTo: .zero)) { now in
            if let awaited { #expect(now >= awaited) }
            let next = now + BootTime(.milliseconds(100))
            awaited = next
            return SecretStoreError(.blocked(.until(next)))
        }
        #expect(try #require(made.last).time == .seconds(1))
        #expect(made.count == 11)
    }

    @Test("an operation with a step that others can already see continues beyond its limit")
    func visible() throws {
        var wait = Wait(upTo: .zero)
        var count = 0
        try wait.run { _ throws(SecretStoreError) -> Outcome<Void> in
            count += 1
            return count < 3 ? .blocked(SecretStoreError(.blocked(.itemLease)), after: .removed(true)) : .done(())
        }
        #expect(count == 3)
    }

    enum Cancellation { case first, beforePause, withoutPause }

    @Test(
        "a cancelled task makes no further attempt, unless it can't be cancelled or others can already see a step",
        arguments: [
            (.first, true, false, 0), (.first, false, false, 2), (.beforePause, true, false, 1),
            (.beforePause, true, true, 2), (.withoutPause, true, false, 1), (.withoutPause, false, false, 2),
        ] as [(Cancellation, Bool, Bool, Int)])
    func cancelled(cancellation: Cancellation, isCancellable: Bool, isVisible: Bool, attempts: Int) async {
        let task = Task {
            var (wait, count) = (Wait(), 0)
            do {
                if cancellation == .first { withUnsafeCurrentTask { $0?.cancel() } }
                try await wait.runInTask(isCancellable: isCancellable) { _ throws(SecretStoreError) -> Outcome<Void> in
                    count += 1
                    if cancellation != .first { withUnsafeCurrentTask { $0?.cancel() } }
                    let blockage = cancellation == .withoutPause ? Blockage.until(.now()) : .itemLease
                    guard count < 2 else { return .done(()) }
                    return .blocked(SecretStoreError(.blocked(blockage)), after: isVisible ? .removed(true) : nil)
                }
                return (count, false)
            } catch {
                return (count, error is CancellationError)
            }
        }
        let (count, isCancelled) = await task.value
        #expect(count == attempts)
        #expect(isCancelled == (attempts < 2))
    }

    @Test("the wait for quota starts again after a wait for an item's lease")
    func quotaAfterLease() throws {
        var wait = Wait(upTo: .seconds(60), quota: .milliseconds(20))
        var (count, mayUseLastResorts) = (0, true)
        try wait.run { effort throws(SecretStoreError) -> Outcome<Void> in
            count += 1
            switch count {
            case 1, 3: return .blocked(SecretStoreError(.quotaExceeded))
            case 2:
                Pause.sleep(.milliseconds(30))
                return .blocked(SecretStoreError(.blocked(.itemLease)))
            default:
                mayUseLastResorts = effort.mayUseLastResorts
                return .done(())
            }
        }
        #expect(!mayUseLastResorts)
    }

    @Test("each second look waits for its pause")
    func secondLooks() {
        let looks: [(look: () -> Void, pause: Duration)] = [
            ({ SecondLooks.keepApart(SecondLooks.quickRounds + 1) }, .microseconds(50)),
            ({ SecondLooks.afterRefusedWrite() }, .microseconds(200)),
            ({ SecondLooks.afterHiddenRecord() }, .milliseconds(1)),
            ({ SecondLooks.afterRestrictedRing() }, .milliseconds(1)),
            ({ SecondLooks.afterUnreadableKeys() }, .milliseconds(50)),
        ]
        for (look, pause) in looks {
            let begun = ContinuousClock.now
            look()
            #expect(ContinuousClock.now - begun >= pause)
        }
    }

    @Test("a pause ends when its task is cancelled, unless it is not cancellable", arguments: [false, true])
    func pause(isCancellable: Bool) async {
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await Pause.suspend(.milliseconds(20), isCancellable: isCancellable)
        }
        let result = await task.result
        #expect(((try? result.get()) == nil) == isCancellable)
    }

    @Test("an operation is not repeated if it can't start a thread")
    func noThread() throws {
        let backend = RefusingBackend(error: SecretStoreError(.noThread))
        let item = ItemIdentity.password(service: "api")
        #expect(throws: backend.error) { try SecretStore(backend: backend).set("x", for: item) }
        #expect(backend.attempts.withLock { $0.count } == 1)
    }

    @Test("a kernel call that exceeds the quota is repeated until there is room or another error")
    func forQuota() throws {
        var count = 0
        let begun = ContinuousClock.now
        let result = try Wait.forQuota { () throws(KeyringError) in
            count += 1
            if count < 3 { throw KeyringError(.quotaExceeded, in: .add) }
            return count
        }
        #expect(result == 3)
        #expect(ContinuousClock.now - begun >= .milliseconds(1))
        #expect(throws: KeyringError.self) {
            try Wait.forQuota { () throws(KeyringError) -> Void in
                count += 1
                throw KeyringError(.accessDenied, in: .add)
            }
        }
        #expect(count == 4)
    }
}

/// A backend that refuses to change an item, and records for each attempt whether it may use the last resorts.
private struct RefusingBackend: ForwardingBackend {
    let whole: any SecretBackend = InMemoryBackend()
    let error: SecretStoreError
    let attempts = Locked<[Bool]>([])

    private func refuse<Output>(_ effort: Effort) throws(SecretStoreError) -> Outcome<Output> {
        attempts.withLock { $0.append(effort.mayUseLastResorts) }
        return try .of { () throws(SecretStoreError) in throw error }
    }

    func set(
        _ bytes: RawSpan, for item: ItemIdentity, timeout: KeyTimeout?, _ facts: ItemFacts?, _ effort: Effort,
        after step: VisibleStep?
    ) throws(SecretStoreError) -> Outcome<Void> { try refuse(effort) }

    func add(
        _ bytes: RawSpan, for item: ItemIdentity, timeout: KeyTimeout?, _ facts: ItemFacts?, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<Void> { try refuse(effort) }

    func expire(
        _ item: ItemIdentity, timeout: KeyTimeout?, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<Bool> { try refuse(effort) }

    func delete(
        _ item: ItemIdentity, _ effort: Effort, after step: VisibleStep?
    ) throws(SecretStoreError) -> Outcome<Bool> {
        try refuse(effort)
    }
}
