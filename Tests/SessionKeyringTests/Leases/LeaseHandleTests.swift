import Foundation
import Keyutils
import SessionKeyringTesting
import TestSupport
import Testing
import Threads

@testable import SessionKeyring

@Suite("Lease handles in a store")
struct LeaseHandleTests {
    @Test("a store releases a lease when the closure throws", arguments: [true, false])
    func givenBack(isBlocking: Bool) async throws {
        struct Failure: Error {}
        let handle = Handle()
        let store = SecretStore(backend: GrantingBackend(handle: handle))
        await #expect(throws: Failure.self) {
            if isBlocking {
                try blocking { try store.withBlockingLease("job", waiting: .zero) { _ in throw Failure() } }
            } else {
                try await store.withLease("job", waiting: .zero) { _ in throw Failure() }
            }
        }
        #expect(handle.releases.withLock { $0 } == 1)
    }

    @Test("a store throws leaseLost if the lease is lost when it releases it", arguments: [true, false])
    func lost(isBlocking: Bool) async throws {
        let store = SecretStore(backend: GrantingBackend(handle: Handle(isKept: false)))
        await #expect {
            if isBlocking {
                try blocking { try store.withBlockingLease("job", waiting: .zero) { _ in } }
            } else {
                try await store.withLease("job", waiting: .zero) { _ in }
            }
        } throws: { ($0 as? SecretStoreError)?.code == .leaseLost }
    }

    @Test("a lease is held while it has time left, and is renewed only for a valid duration")
    func lease() throws {
        let held = Lease(name: "job", held: Handle())
        let over = Lease(name: "job", held: Handle(timeLeft: .zero, isKept: false))
        let (isHeld, isOver) = (held.isHeld, !over.isHeld)
        #expect(isHeld && isOver)
        let checks = try [storeError { try held.checkHeld() }?.code, storeError { try over.checkHeld() }?.code]
        #expect(checks == [nil, .leaseLost])
        let renewals = try [
            storeError { try held.renew(lasting: .milliseconds(10)) }?.code,
            storeError { try held.renew(lasting: .milliseconds(9)) }?.code,
            storeError { try held.renew(lasting: .seconds(3_601)) }?.code,
            storeError { try over.renew(lasting: .seconds(1)) }?.code,
        ]
        #expect(renewals == [nil, .invalidTimeout, .invalidTimeout, .leaseLost])
    }

    @Test("trying a held lease returns nil, and any other error is thrown", arguments: [true, false])
    func tried(isBlocking: Bool) async throws {
        let store = SecretStore(backend: InMemoryBackend())
        let held = try await store.tryLease("job", lasting: .seconds(60))
        @Sendable func isGranted(_ name: String) async throws -> Bool {
            if isBlocking { return try blocking { try store.blockingTryLease(name) != nil } }
            return try await store.tryLease(name) != nil
        }
        #expect(try await !isGranted("job"))
        #expect(try await isGranted("other"))
        await #expect { _ = try await isGranted("") } throws: { ($0 as? SecretStoreError)?.code == .invalidName }
        _ = held?.release()
    }

    @Test("a try makes one attempt; a waiter makes several")
    func attempts() throws {
        let backend = DenyingBackend()
        let store = SecretStore(backend: backend)
        let isGranted = try store.blockingTryLease("job") != nil
        #expect(!isGranted)
        #expect(backend.attempts.withLock { $0 } == 1)
        #expect { _ = try store.blockingLease("job", waiting: .milliseconds(20)) } throws: {
            ($0 as? SecretStoreError)?.code == .leaseHeld
        }
        #expect(backend.attempts.withLock { $0 } >= 3)
    }

    @Test("releaseLease releases the lease of a fetch only once")
    func ofFetch() throws {
        let handle = Handle()
        let flight = try SingleFlight(
            in: GrantingBackend(handle: handle), item: .password(service: "api"), leaseDuration: .seconds(60), .never)
        var turn = FetchTurn(of: flight)
        let outcome = try turn.attempt(Effort()) { () throws(SecretStoreError) -> Found<Int>? in nil }
        guard case .blocked = outcome else {
            Issue.record("the fetch is not blocked")
            return
        }
        turn.releaseLease()
        turn.releaseLease()
        #expect(handle.releases.withLock { $0 } == 1)
    }

    @Test("a timer fires once it is due, and only a repeating timer fires again")
    func timer() {
        let (early, once, often) = (Locked(0), Locked(0), Locked(0))
        let timers = [
            BackgroundTimer(after: .seconds(3_600)) { early.withLock { $0 += 1 } },
            BackgroundTimer(after: .milliseconds(1)) { once.withLock { $0 += 1 } },
            BackgroundTimer(after: .milliseconds(1), repeats: true) { often.withLock { $0 += 1 } },
        ]
        #expect(becomesTrue(within: 60) { once.withLock { $0 } == 1 && often.withLock { $0 } > 3 })
        usleep(20_000)
        #expect(early.withLock { $0 } == 0)
        #expect(once.withLock { $0 } == 1)
        withExtendedLifetime(timers) {}
    }

    @Test(
        "a cancellation handler that blocks delays no timer, and not the callers of its fetch",
        arguments: [true, false])
    func blockedHandler(isFetch: Bool) async throws {
        let (isBlocked, beats, gate) = (Locked(false), Locked(0), Gate())
        let mayReturn = DispatchSemaphore(value: 0)
        let work = Task {
            let body: @Sendable () async -> String = {
                await withTaskCancellationHandler {
                    await gate.wait()
                    return "late"
                } onCancel: {
                    isBlocked.withLock { $0 = true }
                    mayReturn.wait()
                }
            }
            if isFetch {
                _ = try await SecretStore(backend: InMemoryBackend()).value(
                    for: .password(service: "api"), as: String.self, options: FetchOptions(limit: .milliseconds(100)),
                    fetch: body)
            } else {
                let store = SecretStore(backend: GrantingBackend(handle: Handle(timeLeft: .zero, isKept: false)))
                _ = try await store.withCancellingLease("job", lasting: .milliseconds(80), waiting: .zero) { _ in
                    await body()
                }
            }
        }
        let isInTime = await isTrue { isBlocked.withLock { $0 } }
        let timer = BackgroundTimer(after: .milliseconds(1), repeats: true) { beats.withLock { $0 += 1 } }
        #expect(await isTrue { beats.withLock { $0 } > 9 } && isInTime)
        if isFetch { await #expect(throws: SecretStoreError.self) { try await work.value } }
        mayReturn.signal()
        gate.open()
        await #expect(throws: SecretStoreError.self) { try await work.value }
        withExtendedLifetime(timer) {}
    }

    /// Waits up to a minute, suspending the task, until the condition is true.
    private func isTrue(_ condition: () -> Bool) async -> Bool {
        for _ in 0..<60_000 where !condition() { try? await Task.sleep(for: .milliseconds(1)) }
        return condition()
    }
}

/// A lease with a fixed remaining time that is kept or lost as configured.
private final class Handle: LeaseHandle {
    let fencingNumber: UInt64 = 1
    let timeLeft: Duration
    let releases = Locked(0)
    private let isKept: Bool

    init(timeLeft: Duration = .seconds(60), isKept: Bool = true) {
        self.timeLeft = timeLeft
        self.isKept = isKept
    }

    func renew(lasting duration: Duration) throws(SecretStoreError) -> Bool { isKept }
    func name(command processID: Int32) throws(SecretStoreError) -> Bool { isKept }

    func release() -> Bool {
        releases.withLock { $0 += 1 }
        return isKept
    }
}

/// Grants this handle for every lease, and blocks every fetch.
private struct GrantingBackend: ForwardingBackend {
    let whole: any SecretBackend = InMemoryBackend()
    let handle: Handle

    func takeLease(
        _ name: String, lasting duration: Duration, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<any LeaseHandle> { .done(handle) }

    func beginFetch(
        of item: ItemIdentity, reserving size: Int?, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<(any ItemFetch)?> {
        .blocked(SecretStoreError(.blocked(.itemLease), item: item))
    }
}

/// Grants no lease, and counts the attempts.
private struct DenyingBackend: ForwardingBackend {
    let whole: any SecretBackend = InMemoryBackend()
    let attempts = Locked(0)

    func takeLease(
        _ name: String, lasting duration: Duration, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<any LeaseHandle> {
        attempts.withLock { $0 += 1 }
        return .blocked(SecretStoreError(.contended))
    }
}
