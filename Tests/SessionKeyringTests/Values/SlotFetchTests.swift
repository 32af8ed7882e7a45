import Keyutils
import SessionKeyring
import SessionKeyringTesting
import TestSupport
import Testing

@Suite("Fetching through a store or a slot")
struct SlotFetchTests {
    private let store = SecretStore(backend: InMemoryBackend())
    private let item = ItemIdentity.password(service: "api")

    @Test("a value stored without a refresh time is fetched again only by a call with refreshAfter")
    func refreshing() async throws {
        let forms: [@Sendable (Duration?) async throws -> String] = [
            { [store, item] after in
                try await store.value(for: item, as: String.self, lasting: Lifetime(refreshAfter: after)) { "fetched" }
            },
            { [store, item] after in
                try await store.slot(for: item, as: String.self, lasting: Lifetime(refreshAfter: after))
                    .value { "fetched" }
            },
        ]
        for (number, form) in forms.enumerated() {
            try store.delete(item)
            try store.set("stored", for: item)
            #expect(try await form(nil) == "stored", "\(number)")
            #expect(try await form(.seconds(600)) == "fetched", "\(number)")
        }
    }

    @Test("a value that a slot stores with a refresh time is not fetched again, and an update gets it")
    func saved() async throws {
        let slot = store.slot(for: item, as: String.self)
        try slot.save("saved", lasting: Lifetime(refreshAfter: .seconds(600)))
        #expect(try await slot.refreshedValue { _ in ("fetched", .scope) } == "saved")
        #expect(try await slot.update { old in (old ?? "") + "2" } == "saved2")
    }

    @Test("a value that a slot fetches has the slot's lifetime; a refreshed one has its own")
    func timeout() async throws {
        let slot = store.slot(for: item, as: String.self, lasting: .seconds(36_000))
        #expect(try await slot.value { "x" } == "x")
        let left = try #require(try store.timeLeft(of: item)).atLeast
        #expect(left > .seconds(35_940) && left <= .seconds(36_000))
        try store.delete(item)
        #expect(try await slot.refreshedValue { _ in ("x", .seconds(7_200)) } == "x")
        let own = try #require(try store.timeLeft(of: item)).atLeast
        #expect(own > .seconds(7_140) && own <= .seconds(7_200))
    }
}
