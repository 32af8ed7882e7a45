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
            try await store.value(for: item) { (old: OAuthToken?) in
                log.withLock { $0.append(old?.refresh ?? "login") }
                let number = log.withLock { $0.count }
                return Fetched(
                    OAuthToken(access: "a\(number)", refresh: "r\(number)"), timeout: .seconds(3_600),
                    refreshAfter: .seconds(600))
            }
        }
        #expect(try await token().access == "a1")
        #expect(try await token().access == "a1")
        try store.delete(item.freshnessSentinel)
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
        try store.set(login, for: item, timeout: .seconds(3_600), refreshAfter: .seconds(600))
        let kept = try await store.value(for: item, as: OAuthToken.self) { old in
            Issue.record("fetched")
            return Fetched(old ?? login)
        }
        #expect(kept == login)
        try store.clear()
        try store.set(login, for: item)
        let fetched = try await store.value(for: item, as: OAuthToken.self) { old in
            Fetched(OAuthToken(access: "b", refresh: old?.refresh ?? ""))
        }
        #expect(fetched == OAuthToken(access: "b", refresh: "r"))
    }

    private static let logins: [String: @Sendable (SecretStore) async throws -> Void] = [
        "set": { try $0.set("login", for: item, refreshAfter: .seconds(600)) },
        "set, waiting": { try await $0.set("login", for: item, refreshAfter: .seconds(600), waiting: .seconds(1)) },
        "add": { try $0.add("login", for: item, refreshAfter: .seconds(600)) },
        "add, waiting": { try await $0.add("login", for: item, refreshAfter: .seconds(600), waiting: .seconds(1)) },
    ]

    @Test("storing a value fails if its freshness can't be recorded", arguments: logins.keys.sorted())
    func notStated(call: String) async throws {
        let login = try #require(Self.logins[call])
        let store = SecretStore(backend: NoUpdates())
        await #expect { try await login(store) } throws: { ($0 as? SecretStoreError)?.code == .forbidden }
    }

    @Test(
        "a login is stored even if losing a lease prevents storing its freshness",
        arguments: ["set", "set, waiting"])
    func keptFromStating(call: String) async throws {
        let login = try #require(Self.logins[call])
        let store = SecretStore(backend: NoUpdates(code: .leaseLost))
        try await login(store)
        #expect(try store.get(item) == "login")
    }

    @Test("removing a timeout needs no update if no value was refused", arguments: [false, true])
    func timeoutAlone(inTask isInTask: Bool) async throws {
        let store = SecretStore(backend: NoUpdates())
        try store.set("login", for: item, timeout: .seconds(600))
        if isInTask {
            #expect(try await store.removeTimeout(of: item, waiting: .seconds(1)))
        } else {
            #expect(try store.removeTimeout(of: item))
        }
        #expect(try store.attributes(of: item)?.expiry == .never)
    }

    @Test("fetching a value fails if its freshness can't be recorded")
    func notStatedOfFetched() async throws {
        let store = SecretStore(backend: NoUpdates())
        await #expect {
            _ = try await store.value(for: item) { (_: String?) in Fetched("new", refreshAfter: .seconds(600)) }
        } throws: { ($0 as? SecretStoreError)?.code == .forbidden }
    }

    @Test("a fetch without a refresh time stores only the item", arguments: Place.allCases)
    func statesNothing(place: Place) async throws {
        let store = kernel.store(in: place)
        _ = try await store.value(for: item, timeout: .seconds(600)) { "fetched" }
        for sentinel in item.sentinels { #expect(try !store.contains(sentinel)) }
    }

    @Test("a value stored by a plain set over a fetched one is not considered fresh", arguments: Place.allCases)
    func plainSet(place: Place) async throws {
        let store = kernel.store(in: place)
        _ = try await store.value(for: item, as: String.self) { _ in Fetched("fetched", refreshAfter: .seconds(600)) }
        try store.set("set", for: item)
        let value = try await store.value(for: item, as: String.self) { old in Fetched("after \(old ?? "nothing")") }
        #expect(value == "after set")
    }

    @Test("a value that is due and no longer usable is given only to the next fetch", arguments: Place.allCases)
    func unusable(place: Place) async throws {
        let store = kernel.store(in: place)
        try store.set("old", for: item, refreshAfter: .seconds(500), usableFor: .seconds(600))
        @Sendable func value(_ fetch: @escaping @Sendable (String?) async throws -> String) async throws -> String {
            try await store.value(for: item, as: String.self, sharingFailuresFor: nil) { old in
                Fetched(try await fetch(old), refreshAfter: .seconds(500), usableFor: .seconds(600))
            }
        }
        #expect(try await value { _ in throw Refusal() } == "old")
        try store.delete(item.freshnessSentinel)
        #expect(try await value { _ in throw Refusal() } == "old", "usable while it is refreshed")
        try store.delete(item.usableSentinel)
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
            let value = try await store.value(for: item, as: String.self) { old in
                #expect(old == nil || usableFor == .zero)
                fetches.withLock { $0 += 1 }
                return Fetched("token", usableFor: usableFor)
            }
            #expect(value == "token")
        }
        #expect(fetches.withLock { $0 } == (usableFor == .zero ? 3 : 1))
    }

    @Test(
        "a login stored in a task is used by the next fetch, even if it created the namespace",
        arguments: [Duration.seconds(10), .zero])
    func loginInTask(limit: Duration) async throws {
        try await store.set("login", for: item, refreshAfter: .seconds(600), waiting: limit)
        let kept = try await store.value(for: item, as: String.self) { _ in Fetched("once more") }
        #expect(kept == "login")
    }

    @Test("a deleted item leaves no sentinels")
    func deleted() async throws {
        _ = try await store.value(for: item, as: String.self) { _ in Fetched("fetched") }
        try store.invalidate("fetched", for: item)
        try store.delete(item)
        let ring = try kernel.scratch.keyring.search(keyring: "skr:default")
        // The kernel lists the keys that the fetch invalidated until it has collected them.
        #expect(try becomesTrue { try ring.members().isEmpty })
    }

    @Test("sentinels expire no later than their item, and are never prolonged", arguments: Place.allCases)
    func expired(place: Place) throws {
        let store = kernel.store(in: place)
        try store.set("long", for: item, refreshAfter: .seconds(600), usableFor: .seconds(900))
        for timeout in [60, 3_000] {
            try store.expire(item, timeout: .seconds(timeout))
            for sentinel in item.sentinels {
                let left = try #require(try store.timeLeft(of: sentinel))
                #expect(left.atLeast <= .seconds(60), "\(timeout)")
            }
        }
    }

    @Test("sentinels do not outlive their secret even if the kernel shows the time left in hours")
    func expiredWithinHours() throws {
        try store.set("long", for: item, refreshAfter: .seconds(10_000), usableFor: .seconds(10_500))
        try store.expire(item, timeout: .seconds(5_000))
        for sentinel in item.sentinels {
            let left = try #require(try store.timeLeft(of: sentinel))
            #expect(left.atMost <= .seconds(7_200))
        }
    }

    @Test("sentinels that would expire before their item keep their timeouts")
    func notProlonged() async throws {
        // The kernel reports both times as one minute until less is left.
        try store.set("long", for: item, refreshAfter: .seconds(61), usableFor: .seconds(62))
        try store.expire(item, timeout: .seconds(100))
        #expect(try becomesTrue { try store.timeLeft(of: item.usableSentinel)?.precision == .seconds(1) })
        for sentinel in item.sentinels {
            guard try store.contains(sentinel) else { continue }
            let left = try #require(try store.timeLeft(of: sentinel))
            #expect(left.atLeast < .seconds(60) && left.precision == .seconds(1))
        }
    }

    @Test("a refused value stays refused as long as its item exists, even with a longer timeout")
    func refusedAndProlonged() throws {
        try store.set("refused", for: item, timeout: .seconds(60))
        try store.invalidate("refused", for: item)
        try store.expire(item, timeout: .seconds(7_200))
        let left = try #require(try store.timeLeft(of: item.freshnessSentinel))
        #expect(left.atMost >= .seconds(7_200))
    }

    @Test("an item gets its new timeout once, even if another caller is updating its sentinel")
    func expiresOnce() async throws {
        let counting = CountingBackend(whole: kernel.store.backend)
        let store = SecretStore(backend: counting)
        try store.set("value", for: item, refreshAfter: .seconds(600))
        let other = try kernel.scratch.store().backend
        let update = try other.beginUpdate(of: item.freshnessSentinel, lasting: .milliseconds(300))
        #expect(try await store.expire(item, timeout: .seconds(60), waiting: .seconds(600)))
        withExtendedLifetime(update) {}
        #expect(counting.count.withLock { $0 } == 1)
    }

    @Test("a refused value that is fetched again is usable, even if it is due immediately")
    func sameButDue() async throws {
        try store.set("same", for: item, refreshAfter: .seconds(500), usableFor: .seconds(600))
        try store.invalidate("same", for: item)
        _ = try await store.value(for: item, as: String.self) { _ in
            Fetched("same", refreshAfter: .zero, usableFor: .seconds(600))
        }
        let fetches = Locked(0)
        let next = try await store.value(for: item, as: String.self, sharingFailuresFor: nil) {
            (_: String?) async throws -> Fetched<String> in
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
            try await store.value(for: item, as: String.self, sharingFailuresFor: nil) { _ in throw Refusal() }
        }
        try store.set("old", for: item, refreshAfter: .seconds(600))
        try store.delete(item.freshnessSentinel)
        #expect(try await refreshInVain() == "old")
        try store.delete(item)
        _ = try await store.value(for: item, as: String.self) { _ in Fetched("used", usableFor: .zero) }
        await #expect(throws: Refusal.self) { try await refreshInVain() }
    }

    @Test("a fetched value that has already expired is returned, but not stored")
    func overAlready() async throws {
        let value = try await store.value(for: item, as: String.self) { _ in Fetched("late", timeout: .zero) }
        #expect(value == "late")
        #expect(try !store.contains(item))
    }

    @Test("a fetched value never prints its contents")
    func redacted() {
        let fetched = Fetched("s3cret", timeout: .seconds(1))
        var dumped = ""
        dump(fetched, to: &dumped)
        #expect(!"\(fetched) \(String(reflecting: fetched)) \(dumped)".contains("s3cret"))
    }

    @Test("a slot can fetch, delete, add and update in a task")
    func slots() async throws {
        let slot = store.slot(for: item, as: OAuthToken.self, timeout: .seconds(60))
        let token = OAuthToken(access: "a", refresh: "r")
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

/// Counts how often the item gets a new timeout.
private struct CountingBackend: ForwardingBackend {
    let whole: any SecretBackend
    let count = Locked(0)

    func expire(
        _ expired: ItemIdentity, timeout: KeyTimeout?, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<Bool> {
        if expired == item { count.withLock { $0 += 1 } }
        return try whole.expire(expired, timeout: timeout, effort)
    }
}

/// A backend that refuses updates, which sentinels need.
private struct NoUpdates: ForwardingBackend {
    let whole: any SecretBackend = InMemoryBackend()
    var code = SecretStoreError.Code.forbidden

    func beginUpdate(
        of item: ItemIdentity, lasting duration: Duration, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<any ItemUpdate> {
        throw SecretStoreError(code, item: item)
    }
}
