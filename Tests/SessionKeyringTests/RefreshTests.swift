import Foundation
import Keyutils
import SessionKeyring
import SessionKeyringTesting
import TestSupport
import Testing
import Threads

private let item = ItemIdentity.password(service: "oauth")

/// A token as an OAuth server gives it.
private struct Token: Codable, Equatable, Sendable {
    var access: String
    var refresh: String
}

private struct Refusal: Error {}

@Suite("Tokens that are refreshed", .tags(.kernel), .aheadOfOthers)
struct RefreshTests {
    enum Place: CaseIterable { case kernel, memory }

    private func store(_ place: Place, _ scratch: borrowing ScratchKeyring) throws -> SecretStore {
        place == .memory ? SecretStore(backend: InMemoryBackend()) : try scratch.store()
    }

    @Test("a fetch gets the old value, and gives the new one its lifetime", arguments: Place.allCases)
    func oldValue(place: Place) async throws {
        let scratch = try ScratchKeyring()
        let store = try store(place, scratch)
        let log = Locked([String]())
        @Sendable func token() async throws -> Token {
            try await store.value(for: item) { (old: Token?) in
                log.withLock { $0.append(old?.refresh ?? "login") }
                let number = log.withLock { $0.count }
                return Fetched(
                    Token(access: "a\(number)", refresh: "r\(number)"), timeout: .seconds(3_600),
                    refreshAfter: .seconds(600))
            }
        }
        #expect(try await token().access == "a1")
        #expect(try await token().access == "a1")
        try store.delete(item.freshnessSentinel)
        #expect(try await token().access == "a2")
        #expect(log.withLock { $0 } == ["login", "r1"])
        let attributes = try #require(try store.items().first)
        guard case .after(let left) = attributes.expiry else {
            Issue.record("no timeout")
            return
        }
        #expect(left.atLeast > .seconds(3_500))
    }

    @Test(
        "a login that says when to refresh is not fetched again at once; one that does not is",
        arguments: Place.allCases)
    func loginIsKept(place: Place) async throws {
        let scratch = try ScratchKeyring()
        let store = try store(place, scratch)
        let login = Token(access: "a", refresh: "r")
        try store.set(login, for: item, timeout: .seconds(3_600), refreshAfter: .seconds(600))
        let kept = try await store.value(for: item, as: Token.self) { old in
            Issue.record("fetched")
            return Fetched(old ?? login)
        }
        #expect(kept == login)
        try store.clear()
        try store.set(login, for: item)
        let fetched = try await store.value(for: item, as: Token.self) { old in
            Fetched(Token(access: "b", refresh: old?.refresh ?? ""))
        }
        #expect(fetched == Token(access: "b", refresh: "r"))
    }

    @Test("what was fetched without a time to refresh stays until it is gone", arguments: Place.allCases)
    func staysFresh(place: Place) async throws {
        let scratch = try ScratchKeyring()
        let store = try store(place, scratch)
        for _ in 0..<3 {
            let value = try await store.value(for: item, as: String.self) { old in
                #expect(old == nil)
                return Fetched("once")
            }
            #expect(value == "once")
        }
    }

    @Test(
        "a token that was refused is given to nobody any more, and refreshed once by itself", arguments: Place.allCases)
    func refused(place: Place) async throws {
        let scratch = try ScratchKeyring()
        let store = try store(place, scratch)
        let first = Token(access: "a1", refresh: "r1")
        try store.set(first, for: item, timeout: .seconds(3_600), refreshAfter: .seconds(600))
        #expect(try store.invalidate(first, for: item))
        let fetches = Locked(0)
        let tokens = try await withThrowingTaskGroup(of: Token.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    try await store.value(for: item, as: Token.self) { old in
                        #expect(old == first)
                        try await Task.sleep(for: .milliseconds(100))
                        fetches.withLock { $0 += 1 }
                        return Fetched(Token(access: "a2", refresh: "r2"), refreshAfter: .seconds(600))
                    }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(tokens.map(\.access)) == ["a2"])
        #expect(fetches.withLock { $0 } == 1)
        #expect(try await !store.invalidate(first, for: item, waiting: .seconds(5)), "a late refusal is of the old one")
        let kept = try await store.value(for: item, as: Token.self) { _ in throw Refusal() }
        #expect(kept.access == "a2")
        #expect(try store.get(item, as: Token.self)?.access == "a2")
    }

    @Test("a token that was refused is no old value to fall back on")
    func refusedIsNoFallback() async throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        try store.set("refused", for: item, refreshAfter: .seconds(600))
        try store.invalidate("refused", for: item)
        await #expect(throws: Refusal.self) {
            try await store.value(for: item, as: String.self) { _ in throw Refusal() }
        }
        #expect(throws: Refusal.self) { try store.blockingValue(for: item, as: String.self) { throw Refusal() } }
    }

    @Test("a failure is shared for as long as the caller chose, also with other stores", arguments: Place.allCases)
    func sharedFailure(place: Place) async throws {
        let scratch = try ScratchKeyring()
        let store = try store(place, scratch)
        let other = SecretStore(backend: store.backend)
        let tries = Locked(0)
        @Sendable func value(_ store: SecretStore) async throws -> String {
            try await store.value(for: item, sharingFailuresFor: .seconds(600)) { () async throws -> String in
                tries.withLock { $0 += 1 }
                throw Refusal()
            }
        }
        await #expect(throws: Refusal.self) { try await value(store) }
        for store in [store, other] {
            await #expect { try await value(store) } throws: { ($0 as? SecretStoreError)?.code == .fetchFailed }
        }
        #expect(tries.withLock { $0 } == 1)
        // One who did not choose that tries by himself.
        #expect(try await store.value(for: item) { "fetched" } == "fetched")
        #expect(try await value(other) == "fetched")
    }

    @Test("a value whose time is over already is returned, and not kept")
    func overAlready() async throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        let value = try await store.value(for: item, as: String.self) { _ in Fetched("late", timeout: .zero) }
        #expect(value == "late")
        #expect(try !store.contains(item))
    }

    @Test("what a fetch brings shows itself nowhere")
    func redacted() {
        let fetched = Fetched("s3cret", timeout: .seconds(1))
        var dumped = ""
        dump(fetched, to: &dumped)
        #expect(!"\(fetched) \(String(reflecting: fetched)) \(dumped)".contains("s3cret"))
    }

    @Test("slots fetch too, also through a mirror")
    func slots() async throws {
        let scratch = try ScratchKeyring()
        let slot = try scratch.store().slot(for: item, as: Token.self, timeout: .seconds(60))
        let token = Token(access: "a", refresh: "r")
        #expect(try await slot.value { token } == token)
        #expect(try await slot.value { throw Refusal() } == token)
        try await slot.delete(waiting: .seconds(5))
        try await slot.add(token, waiting: .seconds(5))
        try await slot.update(timeout: nil) { old in
            var token = try #require(old)
            token.access = "b"
            return token
        }
        #expect(try slot.load().access == "b")
    }
}
