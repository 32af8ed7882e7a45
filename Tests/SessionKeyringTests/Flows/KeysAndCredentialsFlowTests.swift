import Crypto
import Foundation
import Keyutils
import SessionKeyring
import SessionKeyringTesting
import Testing

@Suite("Flow 3: cryptographic keys by tag, and credentials by server", .tags(.kernel))
struct KeysAndCredentialsFlowTests {
    @Test("symmetric and private keys are stored and fetched by tag")
    func keys() throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        let symmetric = SymmetricKey(size: .bits256)
        let signing = Curve25519.Signing.PrivateKey()
        let agreement = P256.KeyAgreement.PrivateKey()
        try store.set(symmetric, tag: "com.example.box")
        try store.set(signing, tag: "com.example.sign")
        try store.set(agreement, tag: "com.example.agree", timeout: .seconds(60))

        #expect(try store.key(tag: "com.example.box", as: SymmetricKey.self) == symmetric)
        let signingAgain = try #require(try store.key(tag: "com.example.sign", as: Curve25519.Signing.PrivateKey.self))
        let signature = try signingAgain.signature(for: Data("message".utf8))
        #expect(signing.publicKey.isValidSignature(signature, for: Data("message".utf8)))
        let agreementAgain = try #require(
            try store.key(tag: "com.example.agree", as: P256.KeyAgreement.PrivateKey.self))
        #expect(agreementAgain.rawRepresentation == agreement.rawRepresentation)
        #expect(try store.key(tag: "com.example.none", as: SymmetricKey.self) == nil)
    }

    @Test("a second key with a used tag is refused unless asked to replace")
    func usedTag() throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        let (old, new) = (SymmetricKey(size: .bits128), SymmetricKey(size: .bits256))
        try store.set(old, tag: "tag")
        #expect { try store.set(new, tag: "tag") } throws: { ($0 as? SecretStoreError)?.code == .duplicate }
        #expect(try store.key(tag: "tag", as: SymmetricKey.self) == old)
        try store.set(new, tag: "tag", replacing: true)
        #expect(try store.key(tag: "tag", as: SymmetricKey.self) == new)
    }

    @Test("bytes that are no such key are undecodable")
    func wrongKey() throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        try store.set([1, 2, 3] as [UInt8], for: .key(tag: "short"))
        #expect { try store.key(tag: "short", as: Curve25519.Signing.PrivateKey.self) } throws: {
            guard case .undecodable(_)? = ($0 as? SecretStoreError)?.code else { return false }
            return true
        }
    }

    @Test("credentials are fetched by server alone, with the account as an attribute")
    func credentials() throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        let server = "www.example.com"
        #expect(try accountAndPassword(server, in: store) == nil)

        try store.set(InternetCredentials(account: "alice", password: SecretBytes(utf8: "pw 1")), forServer: server)
        try store.set(InternetCredentials(account: "eve", password: SecretBytes(utf8: "other")), forServer: "other.net")
        #expect(try accountAndPassword(server, in: store) == ["alice", "pw 1"])

        try store.set(
            InternetCredentials(account: "bob", password: SecretBytes(utf8: "pw 2")), forServer: server,
            droppingOthers: true
        )
        #expect(try accountAndPassword(server, in: store) == ["bob", "pw 2"])
        #expect(try accountAndPassword("other.net", in: store) == ["eve", "other"])

        try store.set(InternetCredentials(account: "carol", password: SecretBytes(utf8: "pw 3")), forServer: server)
        #expect { try accountAndPassword(server, in: store) } throws: {
            ($0 as? SecretStoreError)?.code == .ambiguous(accounts: ["bob", "carol"])
        }
    }

    private func accountAndPassword(_ server: String, in store: SecretStore) throws -> [String]? {
        guard let credentials = try store.credentials(forServer: server) else { return nil }
        let password = credentials.password.withBytes { bytes in
            bytes.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        }
        return [credentials.account, password]
    }
}
