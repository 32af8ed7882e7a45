import Keyutils
import SessionKeyring
import SessionKeyringTesting
import TestSupport
import Testing
import Threads

private let item = ItemIdentity.password(service: "api")

@Suite("The timeouts of a value's sentinels")
struct SentinelTimeoutTests {
    /// A store whose clock stands still.
    private func timelessStore() -> SecretStore {
        let now = ContinuousClock.now
        return SecretStore(backend: InMemoryBackend(now: { now }))
    }

    @Test(
        "a new timeout for an item also shortens the timeouts of its sentinels", arguments: [false, true],
        [Duration.seconds(1), .seconds(3_600)])
    func expired(inTask isInTask: Bool, timeout: Duration) async throws {
        let store = timelessStore()
        try store.set("x", for: item, refreshAfter: .seconds(36_000), usableFor: .seconds(72_000))
        if isInTask {
            try await store.expire(item, timeout: timeout, waiting: .seconds(1))
        } else {
            try store.expire(item, timeout: timeout)
        }
        for said in item.sentinels + [item] {
            let left = try #require(try store.timeLeft(of: said)).atLeast
            #expect(left <= timeout && left > timeout / 2)
        }
    }

    @Test("expire removes sentinels whose expiry is unknown, except a refusal", arguments: [false, true])
    func unknown(isRefused: Bool) throws {
        let backend = HiddenTimes()
        let store = SecretStore(backend: backend)
        try store.set("x", for: item, refreshAfter: .seconds(36_000), usableFor: .seconds(72_000))
        if isRefused { try store.invalidate("x", for: item) }
        try store.expire(item, timeout: .seconds(60))
        #expect(try store.contains(item.freshnessSentinel) == isRefused)
        #expect(try !store.contains(item.usableSentinel))
        if isRefused {
            let left = try #require(try SecretStore(backend: backend.whole).timeLeft(of: item.freshnessSentinel))
            #expect(left.atLeast <= .seconds(60))
        }
    }

    @Test("a refusal lasts at least as long as the refused value, even if its time left is rounded")
    func refusal() throws {
        let store = timelessStore()
        try store.set("x", for: item, timeout: .seconds(3_600))
        try store.invalidate("x", for: item)
        let value = try #require(try store.timeLeft(of: item))
        let refusal = try #require(try store.timeLeft(of: item.freshnessSentinel))
        #expect(refusal.atLeast >= value.atMost)
    }

    @Test("expire and removeTimeout throw if they can't change the item's sentinels")
    func unchangeable() async throws {
        let backend = StuckSentinels()
        let store = SecretStore(backend: backend)
        try store.set("x", for: item, refreshAfter: .seconds(36_000))
        try store.invalidate("x", for: item)
        backend.isStuck.withLock { $0 = true }
        let ways: [@Sendable () async throws -> Void] = [
            { try store.expire(item, timeout: .seconds(60)) },
            { try await store.expire(item, timeout: .seconds(60), waiting: .seconds(1)) },
            { try store.removeTimeout(of: item) }, { try await store.removeTimeout(of: item, waiting: .seconds(1)) },
        ]
        for way in ways {
            await #expect { try await way() } throws: { ($0 as? SecretStoreError)?.code == .forbidden }
        }
    }
}

/// A backend that does not report when an item expires.
private struct HiddenTimes: ForwardingBackend {
    let whole: any SecretBackend = InMemoryBackend()

    func attributes(of item: ItemIdentity) throws(SecretStoreError) -> ItemAttributes? {
        guard let known = try whole.attributes(of: item) else { return nil }
        return ItemAttributes(
            item: item, size: known.size, expiry: .unknown, serial: known.serial, userID: known.userID,
            groupID: known.groupID, permissions: known.permissions)
    }
}

/// A backend that refuses to change anything but `item` while `isStuck` is true.
private struct StuckSentinels: ForwardingBackend {
    let whole: any SecretBackend = InMemoryBackend()
    let isStuck = Locked(false)

    func expire(
        _ name: ItemIdentity, timeout: KeyTimeout?, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<Bool> {
        if name != item, isStuck.withLock({ $0 }) { throw SecretStoreError(.forbidden, item: name) }
        return try whole.expire(name, timeout: timeout, effort)
    }

    func beginUpdate(
        of name: ItemIdentity, lasting duration: Duration, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<any ItemUpdate> {
        if name != item, isStuck.withLock({ $0 }) { throw SecretStoreError(.forbidden, item: name) }
        return try whole.beginUpdate(of: name, lasting: duration, effort)
    }
}
