import Foundation
import Keyutils
import SessionKeyring
import SessionKeyringTesting
import TestSupport
import Testing
import Threads

private let item = ItemIdentity.password(service: "token")

@Suite("Fetches that fail, hang or are no longer wanted", .tags(.kernel, .threads), .aheadOfOthers)
struct SharedFetchTests {
    private let kernel: ScratchStore
    private var store: SecretStore { kernel.store }

    init() throws { kernel = try ScratchStore() }

    @Test("200 tasks that wait for a failing fetch share its error")
    func failure() async throws {
        let serial = kernel.scratch.keyring.serial.rawValue
        // In its own process, where no other test keeps the threads of tasks busy.
        await #expect(processExitsWith: .exitCode(0)) { [serial = serial as Int32] in
            alarm(60)
            let store = try SecretStore(.keyring(KeySerial(rawValue: serial)))
            let fetches = Locked(0)
            let areRefused = try await concurrently(200) { _ -> Bool in
                do {
                    _ = try await store.value(for: item, as: String.self, options: FetchOptions(retryAfter: nil)) {
                        () async throws -> String in
                        fetches.withLock { $0 += 1 }
                        try await Task.sleep(for: .milliseconds(50))
                        throw Refusal()
                    }
                } catch is Refusal {
                    return true
                }
                return false
            }
            // A task that begins after the first fetch has failed fetches again.
            succeed(3, fetches.withLock { $0 } <= 10)
            succeed(4, areRefused == Array(repeating: true, count: 200))
            exit(0)
        }
    }

    @Test("a caller that asks while a failed fetch releases its lease begins a new fetch")
    func askedAtTheEnd() async {
        // In its own process, because the release blocks one of the threads of tasks.
        await #expect(processExitsWith: .exitCode(0)) {
            let backend = ReleaseWatcher()
            let store = SecretStore(backend: backend)
            let next = Locked<String?>(nil)
            backend.behindRelease.withLock {
                $0 = {
                    let hasAnswer = DispatchSemaphore(value: 0)
                    Task {
                        let value = try? await store.value(
                            for: item, as: String.self, options: FetchOptions(retryAfter: nil)
                        ) { "next" }
                        next.withLock { $0 = value }
                        hasAnswer.signal()
                    }
                    succeed(2, hasAnswer.wait(timeout: .now() + 60) == .success)
                }
            }
            do {
                _ = try await store.refreshedValue(
                    for: item, as: String.self, options: FetchOptions(retryAfter: nil)
                ) { _ in throw Refusal() }
                exit(3)
            } catch is Refusal {}
            // The first caller can get its error before the release has ended.
            while next.withLock({ $0 }) == nil { try await Task.sleep(for: .milliseconds(1)) }
            succeed(4, next.withLock { $0 } == "next")
            exit(0)
        }
    }

    @Test("a caller that wants a value of another type does not get the error of a fetch")
    func otherType() async throws {
        let gate = Gate()
        let text = Task {
            try await store.value(for: item, as: String.self, options: FetchOptions(retryAfter: nil)) {
                () async throws -> String in
                await gate.wait()
                throw Refusal()
            }
        }
        await gate.awaitWaiter()
        let number = Task {
            try await store.value(for: item, as: Int.self, options: FetchOptions(retryAfter: nil)) { 1 }
        }
        // Nothing reports that the second task is waiting, too.
        try await Task.sleep(for: .milliseconds(100))
        gate.open()
        await #expect(throws: Refusal.self) { _ = try await text.value }
        #expect(try await number.value == 1)
    }

    @Test("a value that the store has no room for is returned to all callers that wait for it")
    func noRoom() async throws {
        let backend = FullBackend()
        let store = SecretStore(backend: backend)
        let (callers, fetches) = (Locked(0), Locked(0))
        let values = try await concurrently(20) { _ -> String in
            callers.withLock { $0 += 1 }
            return try await store.value(for: item, as: String.self, options: FetchOptions(limit: .seconds(3_600))) {
                while callers.withLock({ $0 }) < 20 { try await Task.sleep(for: .milliseconds(10)) }
                // The last callers have begun, but may not wait yet.
                try await Task.sleep(for: .milliseconds(200))
                fetches.withLock { $0 += 1 }
                return "fetched"
            }
        }
        #expect(values == Array(repeating: "fetched", count: 20))
        #expect(fetches.withLock { $0 } <= 2)
    }

    @Test("a fetch is cancelled when all its callers are, and the next caller fetches immediately")
    func cancelled() async throws {
        let (begun, ended) = (Locked(0), Locked(false))
        let callers = (0..<3).map { _ in
            Task {
                try await store.value(for: item, as: String.self, options: FetchOptions(limit: .seconds(3_600))) {
                    begun.withLock { $0 += 1 }
                    defer { ended.withLock { $0 = true } }
                    try await Task.sleep(for: .seconds(3_000))
                    return "too late"
                }
            }
        }
        while begun.withLock({ $0 }) == 0 { try await Task.sleep(for: .milliseconds(1)) }
        // Nothing reports that all of them are waiting.
        try await Task.sleep(for: .milliseconds(50))
        for caller in callers { caller.cancel() }
        for caller in callers { await #expect(throws: CancellationError.self) { _ = try await caller.value } }
        #expect(try await fetchNext(in: store) == "next", "its lease was released")
        while !ended.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(1)) }
        #expect(begun.withLock { $0 } == 1)
    }

    @Test(
        "a cancelled caller stops waiting, and the fetch continues for the others",
        arguments: [[0], [1], [0, 2], [1, 2]])
    func left(leavers: [Int]) async throws {
        let gate = Gate()
        let asked = Locked(0)
        let fetches = Locked(0)
        @Sendable func value() async throws -> String {
            asked.withLock { $0 += 1 }
            return try await store.value(for: item, as: String.self) {
                fetches.withLock { $0 += 1 }
                await gate.wait()
                try Task.checkCancellation()
                return "fetched"
            }
        }
        var callers = [Task { try await value() }]
        await gate.awaitWaiter()
        for _ in 0..<2 { callers.append(Task { try await value() }) }
        while asked.withLock({ $0 }) < 3 { try await Task.sleep(for: .milliseconds(1)) }
        // Nothing reports that the other tasks are waiting, too.
        try await Task.sleep(for: .milliseconds(100))
        for leaver in leavers { callers[leaver].cancel() }
        for leaver in leavers.reversed() {
            let caller = callers.remove(at: leaver)
            await #expect(throws: CancellationError.self) { _ = try await caller.value }
        }
        gate.open()
        for caller in callers { #expect(try await caller.value == "fetched") }
        #expect(fetches.withLock { $0 } == 1)
        #expect(try store.get(item) == "fetched")
    }

    @Test("a value is not kept in memory once all waiting callers have it")
    func notKept() async throws {
        final class Token: Codable, Sendable {}
        let store = SecretStore(backend: FullBackend())
        weak let token = try await store.value(for: item, as: Token.self) { Token() }
        // The tasks that passed the value on may end a little later.
        for _ in 0..<1_000 where token != nil { try await Task.sleep(for: .milliseconds(10)) }
        #expect(token == nil)
    }

    @Test("a fetch that ignores its cancellation keeps nobody waiting, and stores nothing")
    func heedless() async throws {
        let gate = Gate()
        let caller = Task {
            try await store.value(for: item, as: String.self, options: FetchOptions(limit: .seconds(3_600))) {
                await gate.wait()
                return "old"
            }
        }
        await gate.awaitWaiter()
        caller.cancel()
        await #expect(throws: CancellationError.self) { _ = try await caller.value }
        #expect(try await fetchNext(in: store) == "next")
        gate.open()
        // Gives the first fetch time to store its value, which it must not do.
        try await Task.sleep(for: .milliseconds(100))
        #expect(try store.get(item) == "next")
    }

    @Test(
        "a fetch that hangs ends at its limit for all callers, even if it ignores its cancellation",
        arguments: [false, true])
    func limit(heeds: Bool) async throws {
        let gate = Gate()
        try await concurrently(5) { _ -> Void in
            await #expect {
                try await store.value(
                    for: item, as: String.self, options: FetchOptions(limit: .milliseconds(300), retryAfter: nil)
                ) {
                    if heeds { try await Task.sleep(for: .seconds(50)) } else { await gate.wait() }
                    return "too late"
                }
            } throws: {
                ($0 as? SecretStoreError)?.code == .fetchTimedOut
            }
        }
        #expect(try await fetchNext(in: store) == "next")
        gate.open()
        // Gives the first fetch time to store its value, which it must not do.
        try await Task.sleep(for: .milliseconds(100))
        #expect(try store.get(item) == "next")
    }

    @Test("a refresh that hangs returns the old value at its limit")
    func limitOfRefresh() async throws {
        #expect(try await value(in: store, "old") == "old")
        try store.makeDue(item)
        let gate = Gate()
        #expect(try await value(in: store, "too late", limit: .milliseconds(200), after: gate) == "old")
        gate.open()
        #expect(try await value(in: store, "new") == "new")
    }

    @Test(
        "a refresh in the background returns the old value to its caller immediately, even if it hangs",
        arguments: Place.allCases)
    func hungBehind(place: Place) async throws {
        let store = kernel.store(in: place)
        let limit = Duration.seconds(3_600)
        #expect(try await value(in: store, "old", isStaleGood: true, limit: limit) == "old")
        try store.makeDue(item)
        let gate = Gate()
        #expect(try await value(in: store, "new", isStaleGood: true, limit: limit, after: gate) == "old")
        gate.open()
        while try store.get(item, as: String.self) == "old" { try await Task.sleep(for: .milliseconds(1)) }
        #expect(try store.get(item) == "new")
    }

    /// Returns the item's value, which a fetch replaces after ten minutes, once `gate` is open.
    private func value(
        in store: SecretStore, _ fetched: String, isStaleGood: Bool = false, limit: Duration = .seconds(60),
        after gate: Gate? = nil
    ) async throws -> String {
        try await store.value(
            for: item, as: String.self, lasting: Lifetime(.seconds(3_600), refreshAfter: .seconds(600)),
            options: FetchOptions(staleWhileRefreshing: isStaleGood, limit: limit, retryAfter: nil)
        ) {
            await gate?.wait()
            return fetched
        }
    }
}

/// Fetches the next value, and fails if that takes more than a minute.
private func fetchNext(in store: SecretStore) async throws -> String {
    let next = Task { try await store.value(for: item, as: String.self) { "next" } }
    let limit = Task {
        try await Task.sleep(for: .seconds(60))
        next.cancel()
    }
    defer { limit.cancel() }
    return try await next.value
}

/// A backend that calls a closure once, after the first release of a lease.
private struct ReleaseWatcher: ForwardingBackend {
    let whole: any SecretBackend = InMemoryBackend()
    let behindRelease = Locked<(@Sendable () -> Void)?>(nil)

    func takeLease(
        _ name: String, lasting duration: Duration, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<any LeaseHandle> {
        .done(WatchedLease(try whole.takeLease(name, lasting: duration, effort).get(), behindRelease))
    }
}

private final class WatchedLease: LeaseHandle {
    private let whole: any LeaseHandle
    private let behindRelease: Locked<(@Sendable () -> Void)?>

    init(_ whole: any LeaseHandle, _ behindRelease: Locked<(@Sendable () -> Void)?>) {
        (self.whole, self.behindRelease) = (whole, behindRelease)
    }

    var fencingNumber: UInt64 { whole.fencingNumber }
    var timeLeft: Duration { whole.timeLeft }

    func renew(lasting duration: Duration) throws(SecretStoreError) -> Bool { try whole.renew(lasting: duration) }
    func name(command processID: Int32) throws(SecretStoreError) -> Bool { try whole.name(command: processID) }

    func release() -> Bool {
        let isReleased = whole.release()
        behindRelease.exchange(nil)?()
        return isReleased
    }
}

/// A backend whose quota is full.
private struct FullBackend: ForwardingBackend {
    let whole: any SecretBackend = InMemoryBackend()

    func set(
        _ bytes: RawSpan, for item: ItemIdentity, timeout: KeyTimeout?, _ facts: ItemFacts?, _ effort: Effort,
        after step: VisibleStep?
    ) throws(SecretStoreError) -> Outcome<Void> {
        .blocked(SecretStoreError(.quotaExceeded, item: item))
    }

    func beginFetch(
        of item: ItemIdentity, reserving size: Int?, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<(any ItemFetch)?> {
        .done(FullFetch(item: item))
    }
}

private final class FullFetch: ItemFetch {
    private let item: ItemIdentity

    init(item: ItemIdentity) { self.item = item }

    func renew() {}

    func isUntouched(_ key: Int32?) throws(SecretStoreError) -> Bool { true }

    func store(
        _ bytes: RawSpan, timeout: KeyTimeout?, _ facts: ItemFacts?, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<FetchStorage> {
        .blocked(SecretStoreError(.quotaExceeded, item: item))
    }
}
