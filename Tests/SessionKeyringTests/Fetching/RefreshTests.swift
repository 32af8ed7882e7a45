import Keyutils
import SessionKeyring
import SessionKeyringTesting
import TestSupport
import Testing
import Threads

private let item = oauthItem

@Suite("Tokens that are refreshed", .tags(.kernel, .threads), .aheadOfOthers)
struct RefreshTests {
    private let kernel: ScratchStore
    private var store: SecretStore { kernel.store }

    init() throws { kernel = try ScratchStore() }

    @Test("a fetch receives the old value, and sets the lifetime of the new one", arguments: Place.allCases)
    func oldValue(place: Place) async throws {
        let store = kernel.store(in: place)
        let log = Locked([String]())
        @Sendable func token() async throws -> OAuthToken {
            try await store.refreshedValue(for: item, as: OAuthToken.self) { old in
                log.withLock { $0.append(old?.refresh ?? "login") }
                let number = log.withLock { $0.count }
                return (
                    OAuthToken(access: "a\(number)", refresh: "r\(number)"),
                    Lifetime(.seconds(3_600), refreshAfter: .seconds(600))
                )
            }
        }
        #expect(try await token().access == "a1")
        #expect(try await token().access == "a1")
        try store.makeDue(item)
        #expect(try await token().access == "a2")
        #expect(log.withLock { $0 } == ["login", "r1"])
        let left = try #require(try store.timeLeft(of: item))
        #expect(left.atLeast > .seconds(3_500))
    }

    @Test(
        "a value stored with a refresh time is not fetched again, but one stored without it is",
        arguments: Place.allCases)
    func loginIsKept(place: Place) async throws {
        let store = kernel.store(in: place)
        let login = OAuthToken(access: "a", refresh: "r")
        try store.set(login, for: item, lasting: Lifetime(.seconds(3_600), refreshAfter: .seconds(600)))
        let kept = try await store.refreshedValue(for: item, as: OAuthToken.self) { old in
            Issue.record("fetched")
            return (old ?? login, .scope)
        }
        #expect(kept == login)
        try store.clear()
        try store.set(login, for: item)
        let fetched = try await store.refreshedValue(for: item, as: OAuthToken.self) { old in
            (OAuthToken(access: "b", refresh: old?.refresh ?? ""), .scope)
        }
        #expect(fetched == OAuthToken(access: "b", refresh: "r"))
    }

    @Test("a fetch without a refresh time stores only the item", arguments: Place.allCases)
    func statesNothing(place: Place) async throws {
        let store = kernel.store(in: place)
        _ = try await store.value(for: item, as: String.self, lasting: .seconds(600)) { "fetched" }
        #expect(try store.facts(of: item) == nil && !store.contains(item.companion))
    }

    @Test("a value stored by a plain set over a fetched one is not considered fresh", arguments: Place.allCases)
    func plainSet(place: Place) async throws {
        let store = kernel.store(in: place)
        _ = try await store.refreshedValue(for: item, as: String.self) { _ in
            ("fetched", Lifetime(refreshAfter: .seconds(600)))
        }
        try store.set("set", for: item)
        let value = try await store.refreshedValue(for: item, as: String.self) { old in
            ("after \(old ?? "nothing")", .scope)
        }
        #expect(value == "after set")
    }

    @Test("a value that is due and no longer usable is given only to the next fetch", arguments: Place.allCases)
    func unusable(place: Place) async throws {
        let store = kernel.store(in: place)
        try store.set("old", for: item, lasting: Lifetime(refreshAfter: .seconds(500), usableFor: .seconds(600)))
        @Sendable func value(_ fetch: @escaping @Sendable (String?) async throws -> String) async throws -> String {
            try await store.refreshedValue(for: item, as: String.self, options: FetchOptions(retryAfter: nil)) {
                old in
                (try await fetch(old), Lifetime(refreshAfter: .seconds(500), usableFor: .seconds(600)))
            }
        }
        #expect(try await value { _ in throw Refusal() } == "old")
        try store.makeDue(item)
        #expect(try await value { _ in throw Refusal() } == "old", "usable while it is refreshed")
        try store.makeDue(item, isUsable: false)
        await #expect(throws: Refusal.self) { try await value { _ in throw Refusal() } }
        let values = try await concurrently(10) { _ -> String in
            try await value { old in
                try await Task.sleep(for: .milliseconds(100))
                return "after \(old ?? "nothing")"
            }
        }
        #expect(values == Array(repeating: "after old", count: 10))
    }

    @Test(
        "a value without a refresh time is due when it is no longer usable, and not before",
        arguments: [nil, .seconds(600), .zero] as [Duration?], Place.allCases)
    func usableAlone(usableFor: Duration?, place: Place) async throws {
        let store = kernel.store(in: place)
        let fetches = Locked(0)
        for _ in 0..<3 {
            let value = try await store.refreshedValue(for: item, as: String.self) { old in
                #expect(old == nil || usableFor == .zero)
                fetches.withLock { $0 += 1 }
                return ("token", Lifetime(usableFor: usableFor))
            }
            #expect(value == "token")
        }
        #expect(fetches.withLock { $0 } == (usableFor == .zero ? 3 : 1))
    }

    @Test(
        "a login stored in a task is used by the next fetch, even if it created the namespace",
        arguments: [Duration.seconds(10), .zero])
    func loginInTask(limit: Duration) async throws {
        try await store.set("login", for: item, lasting: Lifetime(refreshAfter: .seconds(600)), waiting: limit)
        let kept = try await store.refreshedValue(for: item, as: String.self) { _ in ("once more", .scope) }
        #expect(kept == "login")
    }

    @Test("a deleted item leaves no facts")
    func deleted() async throws {
        _ = try await store.refreshedValue(for: item, as: String.self) { _ in ("fetched", .scope) }
        try store.invalidate("fetched", for: item)
        try store.delete(item)
        let ring = try kernel.scratch.keyring.search(keyring: "skr:default")
        // The kernel lists the keys that the fetch invalidated until it has collected them.
        #expect(try becomesTrue { try ring.members().isEmpty })
    }

    @Test("a refused value that is fetched again is usable, even if it is due immediately")
    func sameButDue() async throws {
        try store.set("same", for: item, lasting: Lifetime(refreshAfter: .seconds(500), usableFor: .seconds(600)))
        try store.invalidate("same", for: item)
        _ = try await store.refreshedValue(for: item, as: String.self) { _ in
            ("same", Lifetime(refreshAfter: .milliseconds(1), usableFor: .seconds(600)))
        }
        try await Task.sleep(for: .milliseconds(2))
        let fetches = Locked(0)
        let next = try await store.refreshedValue(
            for: item, as: String.self, options: FetchOptions(retryAfter: nil)
        ) { _ in
            fetches.withLock { $0 += 1 }
            throw Refusal()
        }
        #expect(next == "same")
        #expect(fetches.withLock { $0 } == 1)
    }

    @Test("a value due for refresh stays usable by default, but not if usableFor is zero", arguments: Place.allCases)
    func usableByDefault(place: Place) async throws {
        let store = kernel.store(in: place)
        @Sendable func refreshInVain() async throws -> String {
            try await store.refreshedValue(for: item, as: String.self, options: FetchOptions(retryAfter: nil)) {
                _ in throw Refusal()
            }
        }
        try store.set("old", for: item, lasting: Lifetime(refreshAfter: .seconds(600)))
        try store.makeDue(item)
        #expect(try await refreshInVain() == "old")
        try store.delete(item)
        _ = try await store.refreshedValue(for: item, as: String.self) { _ in ("used", Lifetime(usableFor: .zero)) }
        await #expect(throws: Refusal.self) { try await refreshInVain() }
    }

    @Test("a fetched value that has already expired is returned, but not stored")
    func overAlready() async throws {
        let value = try await store.refreshedValue(for: item, as: String.self) { _ in ("late", Lifetime(.zero)) }
        #expect(value == "late")
        #expect(try !store.contains(item))
    }

    @Test("a slot can fetch, delete, save and update in a task")
    func slots() async throws {
        let slot = store.slot(for: item, as: OAuthToken.self, lasting: .seconds(60))
        let token = OAuthToken(access: "a", refresh: "r")
        #expect(try await slot.value { token } == token)
        #expect(try await slot.value { throw Refusal() } == token)
        try await slot.delete(waiting: .seconds(5))
        try await slot.save(token, waiting: .seconds(5))
        try await slot.update(lasting: .scope) { old in
            var token = try #require(old)
            token.access = "b"
            return token
        }
        #expect(try slot.load().access == "b")
    }
}
