import SessionKeyring
import SessionKeyringTesting
import Testing

@Suite("Finding an item by its name")
struct NamedItemTests {
    private func meant(_ service: String, _ account: String?, among all: [ItemIdentity]) throws -> ItemIdentity? {
        try ItemIdentity.named(service, account: account, isThere: { all.contains($0) }, among: { all })
    }

    @Test("a name selects the item without an account, or else the item of the only account")
    func named() throws {
        let (plain, alice, bob) = (
            ItemIdentity.password(service: "api"), ItemIdentity.password(service: "api", account: "alice"),
            ItemIdentity.password(service: "api", account: "bob")
        )
        let other = ItemIdentity.password(service: "other", account: "alice")
        #expect(try meant("api", nil, among: [other, alice]) == alice)
        #expect(try meant("api", nil, among: [other, bob, alice, plain]) == plain)
        #expect(try meant("api", "bob", among: [alice, bob, plain]) == bob)
        #expect(try meant("api", "carol", among: [alice]) == nil)
        #expect(try meant("api", nil, among: [other, .key(tag: "api"), .cached("api")]) == nil)
        let error = try storeError { _ = try meant("api", nil, among: [other, bob, alice]) }
        #expect(error?.code == .ambiguous(accounts: ["alice", "bob"]))
    }

    @Test("a name prefers passwords to other kinds of secrets; keys and cached items are not secrets")
    func kinds() throws {
        let (password, internet) = (
            ItemIdentity.password(service: "api", account: "a"), ItemIdentity.internet(server: "api", account: "a")
        )
        let credential = ItemIdentity.credential(service: "api", account: "a")
        #expect(try meant("api", nil, among: [credential, internet, password]) == password)
        #expect(try meant("api", nil, among: [credential, internet]) == internet)
        #expect(try meant("api", "a", among: [credential]) == credential)
        let all: [ItemIdentity] = [.key(tag: "api"), internet, .cached("api"), password, .internet(server: "other")]
        #expect(all.secrets { $0.service == "api" } == [password, internet])
    }

    @Test("a name with a kind, and clear, consider only the items of the given kind and service")
    func accounts() throws {
        let store = SecretStore(backend: InMemoryBackend())
        let (plain, alice, bob) = (
            ItemIdentity.internet(server: "h"), ItemIdentity.internet(server: "h", account: "alice"),
            ItemIdentity.internet(server: "h", account: "bob")
        )
        let others: [ItemIdentity] = [.internet(server: "i"), .key(tag: "h"), .password(service: "h")]
        func named(_ kind: ItemIdentity.Kind) throws -> ItemIdentity? {
            try .named("h", account: nil, of: kind, isThere: store.contains, among: store.identities)
        }
        for item in others + [alice] { try store.set("1", for: item) }
        #expect(try named(.internet) == alice)
        #expect(try named(.credential) == nil)
        try store.set("1", for: bob)
        let error = try storeError { _ = try named(.internet) }
        #expect(error?.code == .ambiguous(accounts: ["alice", "bob"]))
        #expect(error?.item == plain)
        try store.set("1", for: plain)
        #expect(try named(.internet) == plain)
    }
}
