import Keyutils
import SessionKeyringTesting
import Testing

/// Tests that a missing kernel feature is reported as such, and not like another failure.
///
/// `KernelLabTests.swift` tests the features themselves.
@Suite("Features that this kernel lacks are unsupported")
final class MissingFeatureTests: ScratchSuite {
    @Test("a big key is unsupported on a kernel without big keys", .enabled(if: !Capability.has(.bigKey)))
    func bigKey() throws {
        expectFailure(.unsupported) { () throws(KeyringError) in try keyring.add(.bigKey, "big", pattern(100)) }
        #expect(try keyring.members() == [])
    }

    @Test("Diffie-Hellman is unsupported on a kernel without it", .enabled(if: !Capability.has(.diffieHellman)))
    func diffieHellman() throws {
        let key = try keyring.add("key", [23])
        expectFailure(.unsupported) { () throws(KeyringError) in
            _ = try DiffieHellman.compute(privateKey: key, prime: key, base: key)
        }
        let info: [UInt8] = [1]
        expectFailure(.unsupported) { () throws(KeyringError) in
            _ = try DiffieHellman.derive(
                count: 16, privateKey: key, prime: key, base: key, hash: "sha256", otherInfo: info.span.bytes
            )
        }
    }

    @Test(
        "a kernel that can't parse private keys reports a malformed payload",
        .enabled(if: !Capability.privateKeys)
    )
    func privateKeys() throws {
        expectFailure(.malformedPayload) { () throws(KeyringError) in
            try keyring.add(.asymmetric, "key", TestCertificate.privateKey)
        }
    }
}
