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
        try store.set("spent", for: item, lasting: Lifetime(refreshAfter: .seconds(600)))
        try store.makeDue(item)
        // Between the first read and the lease, another caller deletes or replaces the item.
        let racing = SecretStore(
            backend: RacingBackend(whole: store.backend) {
                if isDeleted { _ = try? store.delete(item) } else { try? store.set("next", for: item) }
            })
        let value = try await racing.refreshedValue(for: item, as: String.self) { old in
            ("after \(old ?? "nothing")", .scope)
        }
        #expect(value == (isDeleted ? "after nothing" : "after next"))
    }

    enum Old: CaseIterable { case usable, unusable, missing }

    @Test("a failure while a caller waits for the lease counts unless a usable value exists", arguments: Old.allCases)
    func failedMeanwhile(old: Old) async throws {
        try store.set("old", for: item, lasting: Lifetime(refreshAfter: .seconds(500), usableFor: .seconds(600)))
        if old == .missing { try store.delete(item) } else { try store.makeDue(item, isUsable: old == .usable) }
        let racing = SecretStore(
            backend: RacingBackend(whole: store.backend) {
                _ = try? store.set("", for: item.failure, lasting: .seconds(600))
            })
        @Sendable func value() async throws -> String {
            try await racing.refreshedValue(
                for: item, as: String.self, options: FetchOptions(retryAfter: .seconds(600))
            ) { old in
                ("after \(old ?? "nothing")", .scope)
            }
        }
        if old == .usable {
            #expect(try await value() == "after old")
        } else {
            await #expect { try await value() } throws: { ($0 as? SecretStoreError)?.code == .fetchFailed }
        }
    }

    @Test("a login with the refused value makes the value fresh again", arguments: Place.allCases)
    func sameLogin(place: Place) async throws {
        let store = kernel.store(in: place)
        try store.set("same", for: item, lasting: Lifetime(refreshAfter: .seconds(600)))
        try store.invalidate("same", for: item)
        try store.set("same", for: item, lasting: Lifetime(refreshAfter: .seconds(600)))
        #expect(try await store.refreshedValue(for: item, as: String.self) { _ in ("once more", .scope) } == "same")
    }

    @Test("a value that was refused during its refresh is not refreshed a second time")
    func refusedWhileRefreshed() async throws {
        try store.set("old", for: item, lasting: Lifetime(refreshAfter: .seconds(600)))
        try store.makeDue(item)
        let new = try await store.refreshedValue(for: item, as: String.self) { old in
            try store.invalidate(#require(old), for: item)
            return ("new", Lifetime(refreshAfter: .seconds(600)))
        }
        #expect(new == "new")
        #expect(try await store.refreshedValue(for: item, as: String.self) { _ in ("once more", .scope) } == "new")
    }

    @Test("a task refuses only the stored value, and a fetched replacement counts even if it is equal")
    func refusedInTask() async throws {
        try store.set("token", for: item)
        let slot = store.slot(for: item, as: String.self)
        #expect(try await !slot.invalidate("another"))
        let fetches = Locked(0)
        @Sendable func value() async throws -> String {
            try await store.value(for: item, as: String.self) {
                fetches.withLock { $0 += 1 }
                return "token"
            }
        }
        #expect(try await value() == "token")
        #expect(fetches.withLock { $0 } == 0)
        #expect(try await slot.invalidate("token"))
        for _ in 0..<3 { #expect(try await value() == "token") }
        #expect(fetches.withLock { $0 } == 1)
    }

    @Test("if a refresh fails, a value that was refused during the refresh is not returned")
    func refusedMeanwhile() async throws {
        try store.set("old", for: item, lasting: Lifetime(refreshAfter: .seconds(600)))
        try store.makeDue(item)
        await #expect(throws: Refusal.self) {
            try await store.refreshedValue(for: item, as: String.self) { old in
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
            try await store.refreshedValue(for: item, as: String.self) { _ in
                fetches.withLock { $0 += 1 }
                return ("same", Lifetime(refreshAfter: .seconds(600)))
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
        try store.set(first, for: item, lasting: Lifetime(.seconds(3_600), refreshAfter: .seconds(600)))
        #expect(try store.invalidate(first, for: item))
        let fetches = Locked(0)
        let tokens = try await concurrently(20) { _ -> OAuthToken in
            try await store.refreshedValue(for: item, as: OAuthToken.self) { old in
                #expect(old == first)
                try await Task.sleep(for: .milliseconds(100))
                fetches.withLock { $0 += 1 }
                return (OAuthToken(access: "a2", refresh: "r2"), Lifetime(refreshAfter: .seconds(600)))
            }
        }
        #expect(Set(tokens.map(\.access)) == ["a2"])
        #expect(fetches.withLock { $0 } == 1)
        #expect(try !store.invalidate(first, for: item), "the refused value is the old one")
        let kept = try await store.refreshedValue(for: item, as: OAuthToken.self) { _ in throw Refusal() }
        #expect(kept.access == "a2")
        #expect(try store.get(item, as: OAuthToken.self)?.access == "a2")
    }

    @Test("a refused token is not returned if a fetch fails")
    func refusedIsNoFallback() async throws {
        try store.set("refused", for: item, lasting: Lifetime(refreshAfter: .seconds(600)))
        try store.invalidate("refused", for: item)
        await #expect(throws: Refusal.self) {
            try await store.refreshedValue(for: item, as: String.self, options: FetchOptions(retryAfter: nil)) {
                _ in throw Refusal()
            }
        }
    }
}

/// A backend that runs a closure once, before the first lease.
private struct RacingBackend: ForwardingBackend {
    let whole: any SecretBackend
    private let race: Locked<(@Sendable () -> Void)?>

    init(whole: any SecretBackend, race: @escaping @Sendable () -> Void) {
        self.whole = whole
        self.race = Locked(race)
    }

    func takeLease(
        _ name: String, lasting duration: Duration, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<any LeaseHandle> {
        race.exchange(nil)?()
        return try whole.takeLease(name, lasting: duration, effort)
    }
}
