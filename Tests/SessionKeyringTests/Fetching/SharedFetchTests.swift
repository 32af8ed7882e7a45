import Foundation
import Keyutils
import SessionKeyring
import SessionKeyringTesting
import TestSupport
import Testing
import Threads

private let item = ItemIdentity.password(service: "token")

@Suite("Fetches that fail, hang or are no longer wanted", .tags(.kernel), .aheadOfOthers)
struct SharedFetchTests {
    @Test("200 tasks that wait for a failing fetch share its error")
    func failure() async throws {
        let scratch = try ScratchKeyring()
        let serial = scratch.keyring.serial.rawValue
        // In its own process, where no other test keeps the threads of tasks busy.
        await #expect(processExitsWith: .exitCode(0)) { [serial = serial as Int32] in
            alarm(60)
            let (fetches, refusals) = try await fetchInVain(200, in: SecretStore(.keyring(KeySerial(rawValue: serial))))
            // A task that begins after the first fetch has failed fetches again.
            succeed(3, fetches <= 10)
            succeed(4, refusals == 200)
            exit(0)
        }
    }

    @Test("if a fetch fails, its callers get a value that was stored meanwhile")
    func storedMeanwhile() async throws {
        let backend = CountingReads()
        let store = SecretStore(backend: backend)
        let gate = Gate()
        let fetches = Locked(0)
        @Sendable func value() async throws -> String {
            try await store.value(
                for: item, timeout: .seconds(3_600), refreshAfter: .seconds(600), sharingFailuresFor: nil
            ) { () async throws -> String in
                fetches.withLock { $0 += 1 }
                await gate.wait()
                throw Refusal()
            }
        }
        let first = Task { try await value() }
        await gate.awaitWaiter()
        let reads = backend.reads.withLock { $0 }
        let second = Task { try await value() }
        // The second caller reads the item twice, the second time while it waits.
        while backend.reads.withLock({ $0 }) < reads + 2 { try await Task.sleep(for: .milliseconds(1)) }
        try store.set("meanwhile", for: item)
        gate.open()
        #expect(try await first.value == "meanwhile")
        #expect(try await second.value == "meanwhile")
        #expect(fetches.withLock { $0 } == 1)
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
                        let value = try? await store.value(for: item, sharingFailuresFor: nil) { "next" }
                        next.withLock { $0 = value }
                        hasAnswer.signal()
                    }
                    succeed(2, hasAnswer.wait(timeout: .now() + 60) == .success)
                }
            }
            do {
                _ = try await store.value(for: item, as: String.self, sharingFailuresFor: nil) { _ in throw Refusal() }
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
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        let gate = Gate()
        let text = Task {
            try await store.value(for: item, sharingFailuresFor: nil) { () async throws -> String in
                await gate.wait()
                throw Refusal()
            }
        }
        await gate.awaitWaiter()
        let number = Task { try await store.value(for: item, sharingFailuresFor: nil) { 1 } }
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
        let fetches = Locked(0)
        let values = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    try await store.value(for: item, fetchLasting: .seconds(3_600)) {
                        try await Task.sleep(for: .seconds(1))
                        fetches.withLock { $0 += 1 }
                        return "fetched"
                    }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(values == Array(repeating: "fetched", count: 20))
        #expect(fetches.withLock { $0 } <= 2)
    }

    @Test("a fetch is cancelled when all its callers are, and the next caller fetches immediately")
    func cancelled() async throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        let (begun, ended) = (Locked(0), Locked(false))
        let callers = (0..<3).map { _ in
            Task {
                try await store.value(for: item, fetchLasting: .seconds(3_600)) {
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

    @Test("a cancelled caller stops waiting, and the fetch continues for the others", arguments: [0, 1])
    func left(leaver: Int) async throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        let gate = Gate()
        let fetches = Locked(0)
        @Sendable func value() async throws -> String {
            try await store.value(for: item) {
                fetches.withLock { $0 += 1 }
                await gate.wait()
                return "fetched"
            }
        }
        var callers = [Task { try await value() }]
        await gate.awaitWaiter()
        callers.append(Task { try await value() })
        // Nothing reports that the second task is waiting, too.
        try await Task.sleep(for: .milliseconds(100))
        callers[leaver].cancel()
        await #expect(throws: CancellationError.self) { _ = try await callers[leaver].value }
        gate.open()
        #expect(try await callers[1 - leaver].value == "fetched")
        #expect(fetches.withLock { $0 } == 1)
        #expect(try store.get(item) == "fetched")
    }

    @Test("a value is not kept in memory once all waiting callers have it")
    func notKept() async throws {
        final class Token: Codable, Sendable {}
        let store = SecretStore(backend: FullBackend())
        weak let token = try await store.value(for: item) { Token() }
        // The tasks that passed the value on may end a little later.
        for _ in 0..<1_000 where token != nil { try await Task.sleep(for: .milliseconds(10)) }
        #expect(token == nil)
    }

    @Test("a fetch that ignores its cancellation keeps nobody waiting, and stores nothing")
    func heedless() async throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        let gate = Gate()
        let caller = Task {
            try await store.value(for: item, fetchLasting: .seconds(3_600)) {
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
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        let gate = Gate()
        let codes = await withTaskGroup(of: SecretStoreError.Code?.self) { group in
            for _ in 0..<5 {
                group.addTask {
                    do {
                        _ = try await store.value(
                            for: item, fetchLasting: .milliseconds(300), sharingFailuresFor: nil
                        ) {
                            if heeds { try await Task.sleep(for: .seconds(50)) } else { await gate.wait() }
                            return "too late"
                        }
                        return nil
                    } catch {
                        return (error as? SecretStoreError)?.code
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(codes == Array(repeating: .fetchTimedOut, count: 5))
        #expect(try await fetchNext(in: store) == "next")
        gate.open()
        // Gives the first fetch time to store its value, which it must not do.
        try await Task.sleep(for: .milliseconds(100))
        #expect(try store.get(item) == "next")
    }

    @Test("a refresh that hangs returns the old value at its limit")
    func limitOfRefresh() async throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        @Sendable func value(
            _ fetched: String, limit: Duration = .seconds(60), after wait: @escaping @Sendable () async -> Void = {}
        ) async throws -> String {
            try await store.value(
                for: item, timeout: .seconds(3_600), refreshAfter: .seconds(600), fetchLasting: limit,
                sharingFailuresFor: nil
            ) {
                await wait()
                return fetched
            }
        }
        #expect(try await value("old") == "old")
        try store.delete(item.freshnessSentinel)
        let gate = Gate()
        #expect(try await value("too late", limit: .milliseconds(200), after: { await gate.wait() }) == "old")
        gate.open()
        #expect(try await value("new") == "new")
    }

    @Test("a background refresh that hangs does not block the caller")
    func hungBehind() async throws {
        let store = SecretStore(backend: InMemoryBackend())
        try store.set("old", for: item)
        let gate = Gate()
        let value = try await store.value(
            for: item, timeout: .seconds(3_600), refreshAfter: .seconds(600), staleWhileRefreshing: true
        ) {
            await gate.wait()
            return "new"
        }
        #expect(value == "old")
        gate.open()
        while try store.get(item, as: String.self) == "old" { try await Task.sleep(for: .milliseconds(1)) }
        #expect(try store.get(item) == "new")
    }
}

/// Lets `count` tasks fetch a value, without success.
///
/// - Returns: the number of fetches, and the number of tasks that got the error.
private func fetchInVain(_ count: Int, in store: SecretStore) async throws -> (fetches: Int, refusals: Int) {
    let (fetches, refusals) = (Locked(0), Locked(0))
    await withTaskGroup(of: Void.self) { group in
        for _ in 0..<count {
            group.addTask {
                do {
                    _ = try await store.value(for: item, sharingFailuresFor: nil) { () async throws -> String in
                        fetches.withLock { $0 += 1 }
                        try await Task.sleep(for: .milliseconds(50))
                        throw Refusal()
                    }
                } catch {
                    if error is Refusal { refusals.withLock { $0 += 1 } }
                }
            }
        }
    }
    return (fetches.withLock { $0 }, refusals.withLock { $0 })
}

/// Fetches the next value, and fails if that takes more than a minute.
private func fetchNext(in store: SecretStore) async throws -> String {
    let next = Task { try await store.value(for: item) { "next" } }
    let limit = Task {
        try await Task.sleep(for: .seconds(60))
        next.cancel()
    }
    defer { limit.cancel() }
    return try await next.value
}

/// A backend that counts the reads of the item.
private struct CountingReads: ForwardingBackend {
    let whole: any SecretBackend = InMemoryBackend()
    let reads = Locked(0)

    func read(_ wanted: ItemIdentity, _ body: (RawSpan) -> Void) throws(SecretStoreError) -> Bool {
        defer { if wanted == item { reads.withLock { $0 += 1 } } }
        return try whole.read(wanted, body)
    }
}

/// A backend that calls a closure once, after the first release of a lease.
private struct ReleaseWatcher: ForwardingBackend {
    let whole: any SecretBackend = InMemoryBackend()
    let behindRelease = Locked<(@Sendable () -> Void)?>(nil)

    func takeLease(
        _ name: String, lasting duration: Duration, _ attempt: inout BackendAttempt
    ) throws(SecretStoreError) -> any LeaseHandle {
        WatchedLease(try whole.takeLease(name, lasting: duration, &attempt), behindRelease)
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

    func release() -> Bool {
        let isReleased = whole.release()
        let once = behindRelease.withLock { behindRelease in
            defer { behindRelease = nil }
            return behindRelease
        }
        once?()
        return isReleased
    }
}

/// A backend whose quota is full.
private struct FullBackend: ForwardingBackend {
    let whole: any SecretBackend = InMemoryBackend()

    func set(
        _ bytes: RawSpan, for item: ItemIdentity, timeout: KeyTimeout?, _ attempt: inout BackendAttempt
    ) throws(SecretStoreError) {
        throw SecretStoreError(.quotaExceeded, item: item)
    }

    func beginFetch(
        of item: ItemIdentity, _ attempt: inout BackendAttempt
    ) throws(SecretStoreError) -> (any ItemFetch)? {
        FullFetch(item: item)
    }
}

private final class FullFetch: ItemFetch {
    private let item: ItemIdentity

    init(item: ItemIdentity) { self.item = item }

    func store(
        _ bytes: RawSpan, timeout: KeyTimeout?, _ attempt: inout BackendAttempt
    ) throws(SecretStoreError) -> Bool {
        throw SecretStoreError(.quotaExceeded, item: item)
    }
}
