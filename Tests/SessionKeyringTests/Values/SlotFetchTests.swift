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
        let slot = store.slot(for: item, as: String.self)
        let forms: [@Sendable (Duration?) async throws -> String] = [
            { [store, item] after in try await store.value(for: item, refreshAfter: after) { "fetched" } },
            { after in try await slot.value(refreshAfter: after) { "fetched" } },
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
        try slot.save("saved", refreshAfter: .seconds(600))
        #expect(try await slot.value { _ in Fetched("fetched") } == "saved")
        #expect(try blocking { try slot.blockingUpdate { old in (old ?? "") + "2" } } == "saved2")
    }

    @Test(
        "a value that a slot fetches gets the slot's timeout unless it brings its own",
        arguments: [Duration.seconds(7_200), nil])
    func timeout(timeout: Duration?) async throws {
        let slot = store.slot(for: item, as: String.self, timeout: .seconds(36_000))
        let expected = timeout ?? .seconds(36_000)
        #expect(try await slot.value { (_: String?) in Fetched("x", timeout: timeout) } == "x")
        let left = try #require(try store.timeLeft(of: item))
        #expect(left.atLeast > expected - .seconds(60) && left.atLeast <= expected)
    }
}
