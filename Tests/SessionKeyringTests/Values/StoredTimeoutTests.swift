import Foundation
import Keyutils
import SessionKeyringTesting
import TestSupport
import Testing
import Threads

@testable import SessionKeyring

@Suite("Timeouts of stored items")
struct StoredTimeoutTests {
    private let store = SecretStore(backend: InMemoryBackend())
    private let item = ItemIdentity.password(service: "api")

    @Test("each way of storing sets the given timeout, or no timeout", arguments: [Duration.seconds(3_600), nil])
    func timeout(timeout: Duration?) async throws {
        let ways: [@Sendable () async throws -> Void] = [
            { [store, item] in try store.set("x", for: item, lasting: Lifetime(timeout)) },
            { [store, item] in try store.set(SecretBytes(utf8: "x"), for: item, lasting: Lifetime(timeout)) },
            { [store, item] in try await store.set("x", for: item, lasting: Lifetime(timeout), waiting: .seconds(1)) },
            { [store, item] in try store.add("x", for: item, lasting: Lifetime(timeout)) },
            { [store, item] in try store.add(SecretBytes(utf8: "x"), for: item, lasting: Lifetime(timeout)) },
            { [store, item] in try await store.add("x", for: item, lasting: Lifetime(timeout), waiting: .seconds(1)) },
            { [store, item] in try await store.update(item, lasting: Lifetime(timeout)) { (_: String?) in "x" } },
            { [store, item] in try store.slot(for: item, as: OwnKey.self, lasting: Lifetime(timeout)).save(OwnKey()) },
            { [store, item] in try store.slot(for: item, as: String.self, lasting: Lifetime(timeout)).save("x") },
        ]
        for (number, way) in ways.enumerated() {
            try store.clear()
            try await way()
            let left = try store.timeLeft(of: item)?.atMost
            #expect((left == nil) == (timeout == nil), "\(number)")
            if let left, let timeout { #expect(left > timeout - .seconds(60) && left <= timeout + .seconds(60)) }
        }
    }

    @Test("each way of storing records how long a value is fresh and usable")
    func lifetime() async throws {
        let now = Locked(ContinuousClock.now)
        let store = SecretStore(backend: InMemoryBackend(now: { now.withLock { $0 } }))
        let slot = store.slot(for: item, as: String.self)
        let (timeout, fresh, usable) = (Duration.seconds(36_000), Duration.seconds(3_600), Duration.seconds(18_000))
        let limit = Duration.seconds(1)
        let ways: [@Sendable (SecretStore, ItemIdentity) async throws -> Void] = [
            { try $0.set("x", for: $1, lasting: Lifetime(timeout, refreshAfter: fresh, usableFor: usable)) },
            {
                try $0.set(
                    SecretBytes(utf8: "x"), for: $1, lasting: Lifetime(timeout, refreshAfter: fresh, usableFor: usable))
            },
            { try $0.add("x", for: $1, lasting: Lifetime(timeout, refreshAfter: fresh, usableFor: usable)) },
            {
                try $0.add(
                    SecretBytes(utf8: "x"), for: $1, lasting: Lifetime(timeout, refreshAfter: fresh, usableFor: usable))
            },
            {
                try await $0.set(
                    "x", for: $1, lasting: Lifetime(timeout, refreshAfter: fresh, usableFor: usable), waiting: limit)
            },
            {
                try await $0.set(
                    SecretBytes(utf8: "x"), for: $1, lasting: Lifetime(timeout, refreshAfter: fresh, usableFor: usable),
                    waiting: limit)
            },
            {
                try await $0.add(
                    "x", for: $1, lasting: Lifetime(timeout, refreshAfter: fresh, usableFor: usable), waiting: limit)
            },
            {
                try await $0.add(
                    SecretBytes(utf8: "x"), for: $1, lasting: Lifetime(timeout, refreshAfter: fresh, usableFor: usable),
                    waiting: limit)
            },
            { _, _ in try slot.save("x", lasting: Lifetime(timeout, refreshAfter: fresh, usableFor: usable)) },
            { _, _ in
                try await slot.save(
                    "x", lasting: Lifetime(timeout, refreshAfter: fresh, usableFor: usable), waiting: limit)
            },
        ]
        for (number, way) in ways.enumerated() {
            try store.clear()
            try await way(store, item)
            let left = try store.timeLeft(of: item)?.atMost ?? .zero
            #expect(left > timeout - .seconds(60) && left <= timeout + .seconds(3_600), "\(number)")
            for (isUsable, expected) in [(false, fresh), (true, usable)] {
                func holds(after time: Duration) throws -> Bool {
                    now.withLock { $0 += time }
                    defer { now.withLock { $0 -= time } }
                    let facts = try #require(try store.facts(of: item))
                    return (isUsable ? facts.usability : facts.freshness) == .always
                }
                #expect(try holds(after: expected - .seconds(60)), "\(number): \(isUsable)")
                #expect(try !holds(after: expected + .seconds(60)), "\(number): \(isUsable)")
            }
        }
    }

    @Test(
        "a slot's lifetime applies unless a call gives another", .tags(.kernel),
        arguments: Place.allCases)
    func slots(place: Place) async throws {
        let kernel = try ScratchStore()
        let store = kernel.store(in: place)
        let slot = store.slot(for: item, as: String.self, lasting: .seconds(36_000))
        let (limit, brief) = (Duration.seconds(1), Duration.seconds(7_200))
        let ways: [(hours: Int, store: @Sendable () async throws -> Void)] = [
            (10, { try slot.save("x") }), (2, { try slot.save("x", lasting: Lifetime(brief)) }),
            (2, { try slot.save("x", lasting: Lifetime(brief, refreshAfter: .seconds(1_800))) }),
            (10, { try await slot.save("x", waiting: limit) }),
            (2, { try await slot.save("x", lasting: Lifetime(brief), waiting: limit) }),
            (10, { try await slot.update { _ in "x" } }),
            (2, { try await slot.update(lasting: Lifetime(brief)) { _ in "x" } }),
        ]
        for (number, way) in ways.enumerated() {
            try store.clear()
            try await way.store()
            let left = try store.timeLeft(of: #require(try store.identities().first))?.atMost ?? .zero
            #expect(left > .seconds(way.hours * 3_600 - 60) && left <= .seconds((way.hours + 1) * 3_600), "\(number)")
        }
        // An update of an item whose time left is shorter, and then longer.
        try store.clear()
        try slot.save("x", lasting: Lifetime(brief))
        try await slot.update { _ in "y" }
        #expect(try #require(try store.timeLeft(of: item)).atMost > .seconds(35_940))
        try await slot.update(lasting: Lifetime(brief)) { _ in "z" }
        #expect(try #require(try store.timeLeft(of: item)).atMost <= .seconds(10_800))
    }

    @Test("changing the timeout of a missing item does not prolong its companion")
    func noItem() async throws {
        let (timeout, limit) = (Duration.seconds(36_000), Duration.seconds(1))
        let ways: [@Sendable () async throws -> Bool] = [
            { [store, item] in try store.expire(item, timeout: timeout) },
            { [store, item] in try await store.expire(item, timeout: timeout, waiting: limit) },
            { [store, item] in try store.expire(item, timeout: nil) },
            { [store, item] in try await store.expire(item, timeout: nil, waiting: limit) },
        ]
        for (number, way) in ways.enumerated() {
            try store.set("planted", for: item.companion, lasting: .seconds(3_600))
            let isFound = try await way()
            #expect(!isFound, "\(number)")
            let left = try #require(try store.timeLeft(of: item.companion), "\(number)")
            #expect(left.atMost <= .seconds(3_601), "\(number)")
        }
    }

    @Test("refreshing a value before its end requires a timeout and a positive time before it")
    func refreshBefore() throws {
        for (timeout, before) in [(nil, .seconds(1)), (.seconds(60), .zero), (.seconds(60), .seconds(-1))]
            as [(Duration?, Duration)]
        {
            #expect(throws: SecretStoreError.self) {
                try RunningLifetime(timeout: timeout, refreshBefore: before, of: item)
            }
        }
        #expect(try RunningLifetime(timeout: .seconds(60), refreshBefore: .seconds(1), of: item).freshness != .never)
        #expect(
            try RunningLifetime(timeout: .seconds(60), refreshBefore: .seconds(60), of: item).freshness == .never,
            "due at once")
        #expect(try RunningLifetime(timeout: nil, refreshBefore: nil, of: item).freshness == .always)
    }
}

/// A cryptographic key type that is not CryptoKit's.
private struct OwnKey: RawRepresentableKey {
    let rawRepresentation: Data

    init() { rawRepresentation = Data([1]) }
    init<Bytes: ContiguousBytes>(rawRepresentation: Bytes) { self.init() }
}
