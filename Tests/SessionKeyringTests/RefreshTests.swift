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

    @Test("a value that is plainly set over a fetched one is not taken for fresh", arguments: Place.allCases)
    func plainSet(place: Place) async throws {
        let scratch = try ScratchKeyring()
        let store = try store(place, scratch)
        _ = try await store.value(for: item, as: String.self) { _ in Fetched("fetched", refreshAfter: .seconds(600)) }
        try store.set("set", for: item)
        let value = try await store.value(for: item, as: String.self) { old in Fetched("after \(old ?? "nothing")") }
        #expect(value == "after set")
    }

    @Test("what is due and not usable any more is for the next fetch alone", arguments: Place.allCases)
    func unusable(place: Place) async throws {
        let scratch = try ScratchKeyring()
        let store = try store(place, scratch)
        try store.set("old", for: item, refreshAfter: .seconds(500), usableFor: .seconds(600))
        @Sendable func value(_ fetch: @escaping @Sendable (String?) async throws -> String) async throws -> String {
            try await store.value(for: item, as: String.self) { old in
                Fetched(try await fetch(old), refreshAfter: .seconds(500), usableFor: .seconds(600))
            }
        }
        #expect(try await value { _ in throw Refusal() } == "old")
        try store.delete(item.freshnessSentinel)
        #expect(try await value { _ in throw Refusal() } == "old", "usable while it is refreshed")
        try store.delete(item.usableSentinel)
        await #expect(throws: Refusal.self) { try await value { _ in throw Refusal() } }
        let values = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<10 {
                group.addTask {
                    try await value { old in
                        try await Task.sleep(for: .milliseconds(100))
                        return "after \(old ?? "nothing")"
                    }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(values == Array(repeating: "after old", count: 10))
    }

    @Test("behind the lease it counts what is there then, not what was read before", arguments: [true, false])
    func readBehindTheLease(isDeleted: Bool) async throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        try store.set("spent", for: item, refreshAfter: .seconds(600))
        try store.delete(item.freshnessSentinel)
        // Between the first read and the lease, another one deletes or refreshes it.
        let racing = SecretStore(
            backend: RacingBackend(whole: store.backend, at: .lease) {
                if isDeleted { _ = try? store.delete(item) } else { try? store.set("next", for: item) }
            })
        let value = try await racing.value(for: item, as: String.self) { old in Fetched("after \(old ?? "nothing")") }
        #expect(value == (isDeleted ? "after nothing" : "after next"))
    }

    @Test("what is refused before it is said to be fresh stays refused")
    func refusedAtOnce() async throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        let racing = SecretStore(
            backend: RacingBackend(whole: store.backend, at: .sentinel) {
                _ = try? store.invalidate("new", for: item)
            })
        _ = try await racing.value(for: item, as: String.self) { _ in Fetched("new", refreshAfter: .seconds(600)) }
        let next = try await store.value(for: item, as: String.self) { old in Fetched("after \(old ?? "nothing")") }
        #expect(next == "after new")
    }

    @Test("a new value that can't be stored is no failed fetch, and the old one is not given in its place")
    func unstorable() async throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        try store.set("old", for: item, refreshAfter: .seconds(600))
        try store.delete(item.freshnessSentinel)
        let long = String(repeating: "x", count: 2_000_000)
        await #expect { try await store.value(for: item, as: String.self) { _ in Fetched(long) } } throws: {
            if case .tooLarge? = ($0 as? SecretStoreError)?.code { true } else { false }
        }
    }

    @Test("a fetch that is cancelled is not remembered as a failure, and one that hangs is")
    func rememberedFailures() async throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        let (begun, ended) = (Locked(false), Locked(false))
        let cancelled = Task {
            try await store.value(for: item, as: String.self, sharingFailuresFor: .seconds(600)) {
                begun.withLock { $0 = true }
                try? await Task.sleep(for: .seconds(60))
                ended.withLock { $0 = true }
                throw Refusal()
            }
        }
        while !begun.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(1)) }
        cancelled.cancel()
        _ = try? await cancelled.value
        while !ended.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(1)) }
        // What the fetch does behind that takes microseconds.
        try await Task.sleep(for: .milliseconds(20))
        #expect(try !store.contains(item.failureSentinel))
        await #expect { try await hang() } throws: { ($0 as? SecretStoreError)?.code == .fetchTimedOut }
        await #expect { try await hang() } throws: { ($0 as? SecretStoreError)?.code == .fetchFailed }

        @Sendable func hang() async throws -> String {
            try await store.value(
                for: item, fetchLasting: .milliseconds(100), sharingFailuresFor: .seconds(600)
            ) {
                try await Task.sleep(for: .seconds(60))
                return "late"
            }
        }
    }

    @Test("what was refused while it was refreshed is given to nobody, if the refresh fails", arguments: [true, false])
    func refusedMeanwhile(isBlocking: Bool) async throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        try store.set("old", for: item, refreshAfter: .seconds(600))
        try store.delete(item.freshnessSentinel)
        let refuse: @Sendable (String?) throws -> Fetched<String> = { old in
            #expect(try store.invalidate(#require(old), for: item))
            throw Refusal()
        }
        await #expect(throws: Refusal.self) {
            if isBlocking {
                try blocking { try store.blockingValue(for: item, as: String.self, fetch: refuse) }
            } else {
                try await store.value(for: item, as: String.self) { old in try refuse(old) }
            }
        }
    }

    @Test("a fetch that brings the refused value again has the last word", arguments: Place.allCases)
    func sameAgain(place: Place) async throws {
        let scratch = try ScratchKeyring()
        let store = try store(place, scratch)
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

    @Test("what is usable for a time and says nothing of refreshing is due then", arguments: [true, false])
    func usableAlone(isLong: Bool) async throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        let fetches = Locked(0)
        for _ in 0..<2 {
            let value = try await store.value(for: item, as: String.self) { _ in
                fetches.withLock { $0 += 1 }
                return Fetched("token", usableFor: isLong ? .seconds(600) : .zero)
            }
            #expect(value == "token")
        }
        #expect(fetches.withLock { $0 } == (isLong ? 1 : 2))
    }

    @Test("a fetch that hangs on its thread is remembered as a failure")
    func hungThreadIsRemembered() throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        let isEnough = DispatchSemaphore(value: 0)
        let hasEnded = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            _ = try? store.blockingValue(
                for: item, fetchLasting: .milliseconds(200), sharingFailuresFor: .seconds(600)
            ) {
                _ = isEnough.wait(timeout: .now() + 30)
                return "late"
            }
            hasEnded.signal()
        }
        #expect(try becomesTrue(within: 20) { try store.contains(item.failureSentinel) })
        isEnough.signal()
        hasEnded.wait()
        #expect(try !store.contains(item))
    }

    @Test("a login in a task is stored once, before anybody fetches, also as the first thing in a namespace")
    func loginInTask() async throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        try await store.set("login", for: item, refreshAfter: .seconds(600), waiting: .seconds(10))
        let kept = try await store.value(for: item, as: String.self) { _ in throw Refusal() }
        #expect(kept == "login")
    }

    @Test("a deleted item leaves nothing beside it")
    func deleted() async throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        _ = try await store.value(for: item, as: String.self) { _ in Fetched("fetched") }
        try store.invalidate("fetched", for: item)
        try store.delete(item)
        let ring = try scratch.keyring.search(keyring: "skr:default")
        // What a fetch invalidated is linked until the kernel collects it.
        #expect(try becomesTrue { try ring.members().isEmpty })
    }

    @Test("what is said of a secret does not outlive it, and lasts no longer for it", arguments: Place.allCases)
    func expired(place: Place) throws {
        let scratch = try ScratchKeyring()
        let store = try store(place, scratch)
        try store.set("long", for: item, refreshAfter: .seconds(600), usableFor: .seconds(900))
        try store.expire(item, timeout: .seconds(60))
        for sentinel in item.sentinels { #expect(try left(sentinel) <= .seconds(60)) }
        try store.expire(item, timeout: .seconds(3_000))
        for sentinel in item.sentinels { #expect(try left(sentinel) <= .seconds(60)) }

        func left(_ item: ItemIdentity) throws -> Duration {
            guard case .after(let left)? = try store.attributes(of: item)?.expiry else { return .seconds(9_999) }
            return left.atLeast
        }
    }

    @Test("a slot's timeout is that of what it fetches, unless another one comes")
    func slotTimeout() async throws {
        let scratch = try ScratchKeyring()
        let slot = try scratch.store().slot(for: item, as: String.self, timeout: .seconds(600))
        _ = try await slot.value { _ in Fetched("fetched") }
        guard case .after(let left)? = try slot.attributes()?.expiry else {
            Issue.record("no timeout")
            return
        }
        #expect(left.atLeast <= .seconds(600))
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

/// Does something once, before the first lease or the first change that is asked for.
private struct RacingBackend: ForwardingBackend {
    let whole: any SecretBackend
    enum Place { case lease, sentinel }

    private let place: Place
    private let race: Locked<(@Sendable () -> Void)?>

    init(whole: any SecretBackend, at place: Place, race: @escaping @Sendable () -> Void) {
        self.init(whole: whole, place: place, race: Locked(race))
    }

    private init(whole: any SecretBackend, place: Place, race: Locked<(@Sendable () -> Void)?>) {
        (self.whole, self.place, self.race) = (whole, place, race)
    }

    func withoutWaiting(lastResorts: Bool) -> any SecretBackend {
        RacingBackend(whole: whole.withoutWaiting(lastResorts: lastResorts), place: place, race: race)
    }

    private func runOnce() {
        let once = race.withLock { race in
            defer { race = nil }
            return race
        }
        once?()
    }

    func tryLease(_ name: String, lasting duration: Duration) throws(SecretStoreError) -> (any LeaseHandle)? {
        if place == .lease { runOnce() }
        return try whole.tryLease(name, lasting: duration)
    }

    func beginUpdate(
        of sentinel: ItemIdentity, lasting duration: Duration, waiting limit: Duration
    ) throws(SecretStoreError) -> (any ItemUpdate)? {
        if place == .sentinel { runOnce() }
        return try whole.beginUpdate(of: sentinel, lasting: duration, waiting: limit)
    }
}
