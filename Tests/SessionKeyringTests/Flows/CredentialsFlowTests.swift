import SessionKeyring
import SessionKeyringTesting
import Testing

/// A helper that finds a password and its account by the server.
private struct Logins: Sendable {
    let store: SecretStore

    func item(of server: String) throws(SecretStoreError) -> ItemIdentity? {
        try store.identities().first { $0.kind == .internet && $0.service == server }
    }

    func save(_ password: String, account: String, server: String) throws(SecretStoreError) {
        let old = try item(of: server)
        try store.set(password, for: .internet(server: server, account: account))
        if let old, old.account != account { try store.delete(old) }
    }

    func login(at server: String) throws(SecretStoreError) -> (account: String, password: String)? {
        guard let item = try item(of: server), let password = try store.get(item, as: String.self) else { return nil }
        return (item.account, password)
    }
}

@Suite("Flow 5: credentials by server", .tags(.kernel))
struct CredentialsFlowTests {
    @Test("credentials are found by server alone, and contain the account", arguments: Place.allCases)
    func credentials(place: Place) throws {
        let kernel = try ScratchStore()
        let logins = Logins(store: kernel.store(in: place))
        #expect(try logins.login(at: "www.example.com") == nil)
        try logins.save("pw 1", account: "alice", server: "www.example.com")
        try logins.save("other", account: "eve", server: "other.net")
        #expect(try logins.login(at: "www.example.com") ?? ("", "") == ("alice", "pw 1"))
        try logins.save("pw 2", account: "bob", server: "www.example.com")
        #expect(try logins.login(at: "www.example.com") ?? ("", "") == ("bob", "pw 2"))
        #expect(try logins.login(at: "other.net") ?? ("", "") == ("eve", "other"))
    }
}
