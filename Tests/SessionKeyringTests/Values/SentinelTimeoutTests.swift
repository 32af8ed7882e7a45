import Keyutils
import SessionKeyring
import SessionKeyringTesting
import Testing

@Suite("The timeout of what is said of a value")
struct SentinelTimeoutTests {
    @Test("it ends with the item that gets a new timeout, in a task too", arguments: [false, true])
    func expired(inTask isInTask: Bool) async throws {
        let store = SecretStore(backend: InMemoryBackend())
        let item = ItemIdentity.password(service: "api")
        try store.set("x", for: item, refreshAfter: .seconds(36_000), usableFor: .seconds(72_000))
        if isInTask {
            try await store.expire(item, timeout: .seconds(60), waiting: .seconds(1))
        } else {
            try store.expire(item, timeout: .seconds(60))
        }
        for said in item.sentinels + [item] {
            guard case .after(let left)? = try store.attributes(of: said)?.expiry else {
                Issue.record("it is gone, or has no end")
                continue
            }
            #expect(left.atLeast <= .seconds(60))
        }
    }
}
