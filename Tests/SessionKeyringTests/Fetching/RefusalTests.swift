import SessionKeyring
import SessionKeyringTesting
import TestSupport
import Testing
import Threads

private let item = oauthItem

@Suite("Tokens that are refused or changed while they are refreshed", .tags(.kernel, .threads), .aheadOfOthers)
struct RefusalTests {
    private let kernel: ScratchStore
    private var store: SecretStore { kernel.store }

    init() throws { kernel = try ScratchStore() }

    @Test("a fetch reads the item again once it has the lease", arguments: [true, false])
    func readBehindTheLease(isDeleted: Bool) async throws {
        try store.set("spent", for: item, refreshAfter: .seconds(600))
        try store.delete(item.freshnessSentinel)
        // Between the first read and the lease, another caller deletes or replaces the item.
        let racing = SecretStore(
            backend: RacingBackend(whole: store.backend, at: .lease) {
                if isDeleted { _ = try? store.delete(item) } else { try? store.set("next", for: item) }
            })
        let value = try await racing.value(for: item, as: String.self) { old in Fetched("after \(old ?? "nothing")") }
        #expect(value == (isDeleted ? "after nothing" : "after next"))
    }

    enum Old: CaseIterable { case usable, unusable, missing }

    @Test("a failure while a caller waits for the lease counts unless a usable value exists", arguments: Old.allCases)
    func failedMeanwhile(old: Old) async throws {
        try store.set("old", for: item, refreshAfter: .seconds(500), usableFor: .seconds(600))
        try store.delete(old == .missing ? item : item.freshnessSentinel)
        if old == .unusable { try store.delete(item.usableSentinel) }
        let racing = SecretStore(
            backend: RacingBackend(whole: store.backend, at: .lease) {
                _ = try? store.set("", for: item.failureSentinel, timeout: .seconds(600))
            })
        @Sendable func value() async throws -> String {
            try await racing.value(for: item, as: String.self, sharingFailuresFor: .seconds(600)) { old in
                Fetched("after \(old ?? "nothing")")
            }
        }
        if old == .usable {
            #expect(try await value() == "after old")
        } else {
            await #expect { try await value() } throws: { ($0 as? SecretStoreError)?.code == .fetchFailed }
        }
    }

    @Test("sentinels of an older value are removed if the new value is replaced immediately")
    func saidOfOlder() throws {
        let store = SecretStore(backend: InMemoryBackend())
        try store.set("old", for: item, refreshAfter: .seconds(500), usableFor: .seconds(600))
        let racing = SecretStore(
            backend: RacingBackend(whole: store.backend, at: .sentinel) { try? store.set("second", for: item) })
        try racing.set("first", for: item, refreshAfter: .seconds(500), usableFor: .seconds(600))
        #expect(try store.get(item) == "second")
        for sentinel in item.sentinels { #expect(try !store.contains(sentinel)) }
    }

    @Test("a login with the refused value makes the value fresh again", arguments: Place.allCases)
    func sameLogin(place: Place) async throws {
        let store = kernel.store(in: place)
        try store.set("same", for: item, refreshAfter: .seconds(600))
        try store.invalidate("same", for: item)
        try store.set("same", for: item, refreshAfter: .seconds(600))
        #expect(try await store.value(for: item, as: String.self) { _ in Fetched("once more") } == "same")
    }

    @Test("if two logins are stored at the same time, the freshness of the remaining one is recorded")
    func twoLogins() async throws {
        let racing = SecretStore(
            backend: RacingBackend(whole: store.backend, at: .sentinel) {
                try? store.set("second", for: item, refreshAfter: .seconds(600))
            })
        try racing.set("first", for: item, refreshAfter: .seconds(600))
        let value = try await store.value(for: item, as: String.self) { _ in Fetched("once more") }
        #expect(value == "second")
    }

    @Test("a value that was refused during its refresh is not refreshed a second time")
    func refusedWhileRefreshed() async throws {
        try store.set("old", for: item, refreshAfter: .seconds(600))
        try store.delete(item.freshnessSentinel)
        let new = try await store.value(for: item, as: String.self) { old in
            try store.invalidate(#require(old), for: item)
            return Fetched("new", refreshAfter: .seconds(600))
        }
        #expect(new == "new")
        #expect(try await store.value(for: item, as: String.self) { _ in Fetched("once more") } == "new")
    }

    @Test("a task refuses only the stored value, and a fetched replacement counts even if it is equal")
    func refusedInTask() async throws {
        try store.set("token", for: item)
        #expect(try await !store.invalidate("another", for: item, waiting: .seconds(5)))
        let fetches = Locked(0)
        @Sendable func value() async throws -> String {
            try await store.value(for: item) {
                fetches.withLock { $0 += 1 }
                return "token"
            }
        }
        #expect(try await value() == "token")
        #expect(fetches.withLock { $0 } == 0)
        #expect(try await store.invalidate("token", for: item, waiting: .seconds(5)))
        for _ in 0..<3 { #expect(try await value() == "token") }
        #expect(fetches.withLock { $0 } == 1)
    }

    @Test(
        "a refused value stays refused if the timeout of its item is removed",
        arguments: [false, true])
    func refusedForGood(inTask isInTask: Bool) async throws {
        func expiries() throws -> [ItemAttributes.Expiry] {
            try item.sentinels.compactMap { try store.attributes(of: $0)?.expiry }
        }
        try store.set("spent", for: item, timeout: .seconds(600))
        try store.invalidate("spent", for: item)
        #expect(try !expiries().isEmpty && !expiries().contains(.never))
        if isInTask {
            #expect(try await store.removeTimeout(of: item, waiting: .seconds(5)))
        } else {
            #expect(try store.removeTimeout(of: item))
        }
        #expect(try expiries() == [.never])
    }

    @Test("a value stored while a timeout is removed does not stay fresh forever")
    func freshMeanwhile() throws {
        try store.set("spent", for: item, timeout: .seconds(600))
        try store.invalidate("spent", for: item)
        let racing = SecretStore(
            backend: RacingBackend(whole: store.backend, at: .sentinel) {
                _ = try? store.set("new", for: item, timeout: .seconds(600), refreshAfter: .seconds(300))
            })
        try racing.removeTimeout(of: item)
        #expect(try store.get(item) == "new")
        #expect(try store.timeLeft(of: item.freshnessSentinel) != nil)
    }

    @Test("a value that is refused before it is marked as fresh stays refused")
    func refusedAtOnce() async throws {
        let racing = SecretStore(
            backend: RacingBackend(whole: store.backend, at: .sentinel) {
                _ = try? store.invalidate("new", for: item)
            })
        _ = try await racing.value(for: item, as: String.self) { _ in Fetched("new", refreshAfter: .seconds(600)) }
        let next = try await store.value(for: item, as: String.self) { old in Fetched("after \(old ?? "nothing")") }
        #expect(next == "after new")
    }

    @Test("if a refresh fails, a value that was refused during the refresh is not returned")
    func refusedMeanwhile() async throws {
        try store.set("old", for: item, refreshAfter: .seconds(600))
        try store.delete(item.freshnessSentinel)
        await #expect(throws: Refusal.self) {
            try await store.value(for: item, as: String.self) { old in
                #expect(try store.invalidate(#require(old), for: item))
                throw Refusal()
            }
        }
    }

    @Test("a fetch that returns the refused value again overrides the refusal", arguments: Place.allCases)
    func sameAgain(place: Place) async throws {
        let store = kernel.store(in: place)
        let fetches = Locked(0)
        @Sendable func value() async throws -> String {
            try await store.value(for: item, as: String.self) { _ in
                fetches.withLock { $0 += 1 }
                return Fetched("same", refreshAfter: .seconds(600))
            }
        }
        #expect(try await value() == "same")
        try store.invalidate("same", for: item)
        #expect(try await value() == "same")
        #expect(try await value() == "same")
        #expect(fetches.withLock { $0 } == 2)
    }

    @Test(
        "a refused token is no longer returned, and one fetch replaces it for all callers", arguments: Place.allCases)
    func refused(place: Place) async throws {
        let store = kernel.store(in: place)
        let first = OAuthToken(access: "a1", refresh: "r1")
        try store.set(first, for: item, timeout: .seconds(3_600), refreshAfter: .seconds(600))
        #expect(try store.invalidate(first, for: item))
        let fetches = Locked(0)
        let tokens = try await concurrently(20) { _ -> OAuthToken in
            try await store.value(for: item, as: OAuthToken.self) { old in
                #expect(old == first)
                try await Task.sleep(for: .milliseconds(100))
                fetches.withLock { $0 += 1 }
                return Fetched(OAuthToken(access: "a2", refresh: "r2"), refreshAfter: .seconds(600))
            }
        }
        #expect(Set(tokens.map(\.access)) == ["a2"])
        #expect(fetches.withLock { $0 } == 1)
        #expect(try await !store.invalidate(first, for: item, waiting: .seconds(5)), "the refused value is the old one")
        let kept = try await store.value(for: item, as: OAuthToken.self) { _ in throw Refusal() }
        #expect(kept.access == "a2")
        #expect(try store.get(item, as: OAuthToken.self)?.access == "a2")
    }

    @Test("a refused token is not returned if a fetch fails")
    func refusedIsNoFallback() async throws {
        try store.set("refused", for: item, refreshAfter: .seconds(600))
        try store.invalidate("refused", for: item)
        await #expect(throws: Refusal.self) {
            try await store.value(for: item, as: String.self, sharingFailuresFor: nil) { _ in throw Refusal() }
        }
    }
}

/// A backend that runs a closure once, before the first lease or the first change of a sentinel.
private struct RacingBackend: ForwardingBackend {
    let whole: any SecretBackend
    enum Moment { case lease, sentinel }

    private let moment: Moment
    private let race: Locked<(@Sendable () -> Void)?>

    init(whole: any SecretBackend, at moment: Moment, race: @escaping @Sendable () -> Void) {
        (self.whole, self.moment) = (whole, moment)
        self.race = Locked(race)
    }

    private func runOnce() { race.exchange(nil)?() }

    func takeLease(
        _ name: String, lasting duration: Duration, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<any LeaseHandle> {
        if moment == .lease { runOnce() }
        return try whole.takeLease(name, lasting: duration, effort)
    }

    func beginUpdate(
        of sentinel: ItemIdentity, lasting duration: Duration, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<any ItemUpdate> {
        if moment == .sentinel { runOnce() }
        return try whole.beginUpdate(of: sentinel, lasting: duration, effort)
    }

    func expire(
        _ name: ItemIdentity, timeout: KeyTimeout?, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<Bool> {
        if moment == .sentinel, name != item, timeout == nil { runOnce() }
        return try whole.expire(name, timeout: timeout, effort)
    }
}
