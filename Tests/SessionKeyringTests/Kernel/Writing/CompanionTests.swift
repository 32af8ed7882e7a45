import Dispatch
import Keyutils
import SessionKeyringTesting
import TestSupport
import Testing

@testable import SessionKeyring

private let item = ItemIdentity.password(service: "api")
private let names = (item: item.keyDescription, companion: item.companion.keyDescription)

/// Tests of the hidden key that holds the facts about an item's value.
@Suite("The companion of an item", .tags(.kernel, .threads), .aheadOfOthers)
struct CompanionTests {
    private let kernel: ScratchStore
    private var store: SecretStore { kernel.store }
    private var ring: Keyring {
        get throws { try kernel.scratch.keyring.search(keyring: "skr:default") }
    }

    init() throws { kernel = try ScratchStore() }

    /// The names of the living keys in the items' ring.
    private func keys() throws -> [String] {
        try ring.members().compactMap { serial in try? Key(serial).describe().name }.sorted()
    }

    private func key() throws -> Key { try ring.search(.user, item.keyDescription) }

    private func plant(_ record: [UInt8], for item: ItemIdentity = item) throws {
        try ring.add(.user, item.companion.keyDescription, payload: record.span.bytes)
    }

    // MARK: - How many keys there are

    @Test("a value that is fetched, refused and fetched again takes two keys")
    func twoKeys() async throws {
        @Sendable func value() async throws -> String {
            try await store.refreshedValue(for: item, as: String.self) { _ in
                ("token", Lifetime(.seconds(3_600), refreshAfter: .seconds(600), usableFor: .seconds(900)))
            }
        }
        for _ in 0..<2 {
            #expect(try await value() == "token")
            #expect(try keys() == [names.companion, names.item])
            #expect(try store.invalidate("token", for: item))
            #expect(try keys() == [names.companion, names.item])
        }
    }

    @Test("a value that is never fetched again takes one key")
    func oneKey() async throws {
        _ = try await store.value(for: item, as: String.self, lasting: .seconds(600)) { "token" }
        #expect(try keys() == [names.item])
    }

    @Test("the output of a command takes two keys, and expire doesn't lose its command", arguments: Place.allCases)
    func command(place: Place) throws {
        let store = kernel.store(in: place)
        let cached = ItemIdentity.cached("date")
        let flight = try SingleFlight(in: store.backend, item: cached, leaseDuration: .seconds(60), .never)
        var (wait, turn) = (Wait(), FetchTurn(of: flight))
        let next = try wait.run { effort throws(SecretStoreError) in
            try turn.attempt(effort) { () throws(SecretStoreError) -> Found<Int>? in nil }
        }
        guard case .fetch(let lease, _, _) = next else { throw Refusal() }
        let lifetime = try RunningLifetime(.seconds(600), of: cached)
        #expect(try flight.keep([1].span.bytes, for: lifetime, under: lease, of: 7))
        for _ in 0..<2 {
            // A caller that never refreshes doesn't state that the output is fresh: another caller may want it newer.
            #expect(try store.facts(of: cached) == ItemFacts(command: 7))
            if place == .kernel { #expect(try keys() == [cached.keyDescription, cached.companion.keyDescription]) }
            #expect(try store.expire(cached, timeout: .seconds(60)))
            #expect(try store.facts(of: cached)?.command == 7)
            #expect(try store.expire(cached, timeout: nil))
        }
    }

    // MARK: - Which value the facts are about

    @Test("the same bytes in another key are another value", arguments: Place.allCases)
    func sameBytes(place: Place) throws {
        let store = kernel.store(in: place)
        try store.set("token", for: item, lasting: Lifetime(refreshAfter: .seconds(600)))
        #expect(try store.invalidate("token", for: item))
        #expect(try store.facts(of: item)?.isRefused == true)
        try store.set("token", for: item)
        #expect(try store.facts(of: item) == nil)
    }

    @Test("other bytes in the same key are another value")
    func sameKey() throws {
        try store.set("token", for: item, lasting: Lifetime(refreshAfter: .seconds(600)))
        let bytes = Array("token".utf8)
        try key().update(bytes.span.bytes)
        #expect(try store.facts(of: item) != nil)
        try key().update((bytes + [0]).span.bytes)
        #expect(try store.facts(of: item) == nil)
    }

    @Test("a record of another item or in another form does not count")
    func otherRecords() throws {
        let long = ItemIdentity.password(service: String(repeating: "s", count: 4_080))
        let other = ItemIdentity.password(service: String(repeating: "s", count: 4_079) + "t")
        for owner in [item, long] {
            try store.set("1", for: owner)
            let value = try #require(try store.backend.readWithFacts(owner) { _ in })
            let right = ItemFacts(isRefused: true).record(of: owner, key: value.key, hash: value.hash)
            let foreign = ItemFacts(isRefused: true).record(of: other, key: value.key, hash: value.hash)
            let cut = Array(right.dropLast())
            for record in [foreign, cut, right + [0], [0], [right[0] &+ 1] + cut] as [[UInt8]] {
                try plant(record, for: owner)
                #expect(try store.facts(of: owner) == nil)
            }
            try plant(right, for: owner)
            #expect(try store.facts(of: owner) == ItemFacts(isRefused: true))
        }
    }

    // MARK: - When it is removed

    enum Change: CaseIterable { case delete, deleteUnchanged, update, removal, set, add, addOverDead, clear, login }

    @Test(
        "whatever changes an item replaces or removes its companion, and removes the watch of a fetch",
        arguments: Change.allCases)
    func changed(change: Change) throws {
        try store.set("1", for: item, lasting: Lifetime(refreshAfter: .seconds(600)))
        let fetch = try #require(try store.backend.beginFetch(of: item))
        #expect(try keys() == [names.companion, item.watch.keyDescription, names.item])
        switch change {
        case .delete: try store.delete(item)
        case .deleteUnchanged: #expect(try store.deleteUnchanged(item, SecretBytes(utf8: "1")))
        case .update: try blocking { try store.blockingUpdate(item, lasting: .scope) { (_: String?) in "2" } }
        case .removal: try blocking { try store.blockingUpdate(item, lasting: .scope) { (_: String?) in nil } }
        case .set: try store.set("2", for: item)
        case .add:
            try ring.unlink(key())
            try store.add("2", for: item)
        case .addOverDead:
            try key().revoke()
            try store.add("2", for: item)
        case .clear: try store.clear()
        case .login: try store.set("2", for: item, lasting: Lifetime(refreshAfter: .seconds(600)))
        }
        let isStored = ![.delete, .deleteUnchanged, .removal, .clear].contains(change)
        let left = (change == .login || change == .update ? [names.companion] : []) + (isStored ? [names.item] : [])
        #expect(try becomesTrue { try keys() == left }, "\((try? keys()) ?? [])")
        #expect(try !fetch.store([3].span.bytes, timeout: nil))
    }

    @Test("a deletion that finds no item ends a fetch", arguments: Place.allCases)
    func missing(place: Place) throws {
        let store = kernel.store(in: place)
        let fetch = try #require(try store.backend.beginFetch(of: item))
        #expect(try !store.delete(item))
        if place == .kernel { #expect(try keys() == []) }
        #expect(try !fetch.store([3].span.bytes, timeout: nil))
        #expect(try !store.contains(item))
    }

    @Test("if several logins are stored at the same time, the freshness of the remaining one is recorded")
    func logins() throws {
        for _ in 0..<5 {
            DispatchQueue.concurrentPerform(iterations: 4) { [store] number in
                do {
                    try store.set("\(number)", for: item, lasting: Lifetime(refreshAfter: .seconds(600)))
                } catch {
                    Issue.record(error)
                }
            }
            #expect(try store.facts(of: item) != nil)
            #expect(try keys() == [names.companion, names.item])
        }
    }

    // MARK: - When it ends

    @Test("expire changes when the facts end, but not how long the value is fresh")
    func expire() throws {
        try store.set("1", for: item, lasting: Lifetime(.seconds(50), refreshAfter: .seconds(30)))
        let facts = try store.facts(of: item)
        for timeout in [Duration.seconds(20), .seconds(55), nil] {
            if let timeout { try store.expire(item, timeout: timeout) } else { try store.expire(item, timeout: nil) }
            #expect(try store.facts(of: item) == facts)
            // The kernel counts whole seconds, and one can end between the two looks.
            let ends = try [item.companion, item].map { try store.timeLeft(of: $0)?.atLeast.components.seconds }
            #expect((timeout == nil) == (ends[0] == nil) && abs((ends[0] ?? 0) - (ends[1] ?? 0)) <= 1, "\(ends)")
        }
    }

    @Test("a companion does not outlive its secret even if the kernel shows the time left in hours")
    func expireWithinHours() throws {
        try store.set("long", for: item, lasting: Lifetime(refreshAfter: .seconds(10_000), usableFor: .seconds(10_500)))
        try store.expire(item, timeout: .seconds(5_000))
        #expect(try #require(try store.timeLeft(of: item.companion)).atMost <= .seconds(7_200))
    }

    @Test("a refusal lasts as long as its item, also after a new timeout and without one", arguments: [false, true])
    func refused(inTask isInTask: Bool) async throws {
        try store.set("refused", for: item, lasting: .seconds(50))
        try store.invalidate("refused", for: item)
        for timeout in [Duration.seconds(20), .seconds(55), .seconds(7_200), nil] {
            switch (timeout, isInTask) {
            case (let timeout?, false): try store.expire(item, timeout: timeout)
            case (let timeout?, true): try await store.expire(item, timeout: timeout, waiting: .seconds(5))
            case (nil, false): try store.expire(item, timeout: nil)
            case (nil, true): try await store.expire(item, timeout: nil, waiting: .seconds(5))
            }
            #expect(try store.facts(of: item)?.isRefused == true)
            let end = try store.timeLeft(of: item)
            #expect((end == nil) == (timeout == nil))
            if let end { #expect(try #require(try store.timeLeft(of: item.companion)).atMost >= end.atLeast) }
        }
        #expect(try store.attributes(of: item.companion)?.expiry == .never)
    }
}
