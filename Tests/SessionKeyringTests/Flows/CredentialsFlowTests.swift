import Keyutils
import SessionKeyring
import SessionKeyringTesting
import Testing

@Suite("Flow 5: credentials by server", .tags(.kernel))
struct CredentialsFlowTests {
    @Test("credentials are found by server alone, and contain the account")
    func credentials() throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        let server = "www.example.com"
        #expect(try accountAndPassword(server, in: store) == nil)

        try store.set(InternetCredentials(account: "alice", password: SecretBytes(utf8: "pw 1")), server: server)
        try store.set(InternetCredentials(account: "eve", password: SecretBytes(utf8: "other")), server: "other.net")
        #expect(try accountAndPassword(server, in: store) == ["alice", "pw 1"])

        try store.set(
            InternetCredentials(account: "bob", password: SecretBytes(utf8: "pw 2")), server: server,
            deletingOthers: true
        )
        #expect(try accountAndPassword(server, in: store) == ["bob", "pw 2"])
        #expect(try accountAndPassword("other.net", in: store) == ["eve", "other"])

        try store.set(InternetCredentials(account: "carol", password: SecretBytes(utf8: "pw 3")), server: server)
        #expect { try accountAndPassword(server, in: store) } throws: {
            ($0 as? SecretStoreError)?.code == .ambiguous(accounts: ["bob", "carol"])
        }
    }

    @Test("for an account that has credentials, add refuses new ones and set replaces them")
    func usedAccount() throws {
        let store = SecretStore(backend: InMemoryBackend())
        try store.add(InternetCredentials(account: "alice", password: "1"), server: "host")
        #expect { try store.add(InternetCredentials(account: "alice", password: "2"), server: "host") } throws: {
            ($0 as? SecretStoreError)?.code == .duplicate
        }
        #expect(try accountAndPassword("host", in: store) == ["alice", "1"])
        try store.set(InternetCredentials(account: "alice", password: "3"), server: "host")
        #expect(try accountAndPassword("host", in: store) == ["alice", "3"])
    }

    private func accountAndPassword(_ server: String, in store: SecretStore) throws -> [String]? {
        guard let credentials = try store.get(server: server) else { return nil }
        let password = credentials.password.withBytes { bytes in
            bytes.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        }
        return [credentials.account, password]
    }
}
