import Keyutils
import SessionKeyringTesting
import Testing

@Suite("Public-key operations with a certificate", .enabled(if: Capability.has(.publicKey)))
struct PublicKeyTests {
    private func certificate(in ring: Keyring) throws -> Key {
        try ring.add(.asymmetric, "test certificate", TestCertificate.certificate)
    }

    @Test("a public key reports its operations and sizes")
    func attributes() throws {
        let scratch = try ScratchKeyring()
        let attributes = try certificate(in: scratch.keyring).publicKeyAttributes(
            parameters: TestCertificate.parameters)
        #expect(attributes.operations == [.encrypt, .verify])
        #expect(attributes.keySize == 1_024)
        #expect(attributes.largestSignature == 128)
        #expect(attributes.largestEncrypted == 128)
    }

    @Test("the right signature is accepted")
    func verify() throws {
        let scratch = try ScratchKeyring()
        try certificate(in: scratch.keyring).verify(TestCertificate.signature, of: TestCertificate.digest)
    }

    @Test("a signature of other data is rejected")
    func rejected() throws {
        let scratch = try ScratchKeyring()
        let key = try certificate(in: scratch.keyring)
        let other = pattern(32)
        expectFailure(.rejected) { () throws(KeyringError) in
            try key.verify(TestCertificate.signature, of: other)
        }
    }

    @Test("a public key encrypts differently each time, and can't sign or decrypt")
    func encrypt() throws {
        let scratch = try ScratchKeyring()
        let key = try certificate(in: scratch.keyring)
        let plain = pattern(20)
        let first = try key.encrypt(plain)
        let second = try key.encrypt(plain)
        #expect(first.count == 128)
        #expect(first != second)
        #expect(throws: KeyringError.self) { try key.sign(plain) }
        #expect(throws: KeyringError.self) { _ = try key.decrypt(first) }
    }

    @Test("data that isn't a certificate is a malformed payload, and a user key has no public key")
    func malformed() throws {
        let scratch = try ScratchKeyring()
        let rubbish = pattern(100)
        expectFailure(.malformedPayload) { () throws(KeyringError) in
            try scratch.keyring.add(.asymmetric, "rubbish", rubbish)
        }
        let key = try scratch.keyring.add("a user key")
        expectFailure(.unsupported) { () throws(KeyringError) in _ = try key.publicKeyAttributes() }
    }
}
