import Keyutils
import SessionKeyringTesting
import Testing

@Suite("Public-key operations with a certificate", .enabled(if: Capability.has(.publicKey)))
final class PublicKeyTests: ScratchSuite {
    private func certificate() throws -> Key {
        try keyring.add(.asymmetric, "test certificate", TestCertificate.certificate)
    }

    @Test("a public key reports its operations and sizes")
    func attributes() throws {
        let attributes = try certificate().publicKeyAttributes(parameters: TestCertificate.parameters)
        #expect(attributes.operations == [.encrypt, .verify])
        #expect(attributes.keySize == 1_024)
        #expect(attributes.largestSignature == 128)
        #expect(attributes.largestEncrypted == 128)
    }

    @Test("the right signature is accepted")
    func verify() throws {
        try certificate().verify(TestCertificate.signature, of: TestCertificate.digest)
    }

    @Test("a signature of other data is rejected")
    func rejected() throws {
        let key = try certificate()
        expectFailure(.rejected) { () throws(KeyringError) in
            try key.verify(TestCertificate.signature, of: pattern(32))
        }
    }

    @Test("a public key encrypts differently each time, and can't sign or decrypt")
    func encrypt() throws {
        let key = try certificate()
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
        expectFailure(.malformedPayload) { () throws(KeyringError) in
            try keyring.add(.asymmetric, "rubbish", pattern(100))
        }
        let key = try keyring.add("a user key")
        expectFailure(.unsupported) { () throws(KeyringError) in _ = try key.publicKeyAttributes() }
    }
}
