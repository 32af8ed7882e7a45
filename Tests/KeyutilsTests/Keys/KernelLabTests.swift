import Foundation
import Keyutils
import SessionKeyringTesting
import Testing
import Threads

// Tests of features that few kernels have: big_key, Diffie-Hellman, private keys. Each test runs if the
// kernel has the feature, and always in the kernel lab, a user-mode Linux that `LabRunTests` starts.
// `MissingFeatureTests` tests how a missing feature is reported.

@Suite("Big keys", .enabled(if: Capability.has(.bigKey)))
final class KernelLabBigKeyTests: ScratchSuite {
    @Test("a payload of up to 1 MiB - 1 comes back whole", arguments: [1, 32_767, 32_768, 32_769, 100_000, 1_048_575])
    func sizes(_ count: Int) throws {
        let key = try keyring.add(.bigKey, "big", pattern(count))
        let isLentWhole = try key.bytes() == pattern(count)
        let isReadWhole = try key.read().array() == pattern(count)
        #expect(isLentWhole)
        #expect(isReadWhole)
        #expect(try key.payloadSize() == count)
        #expect(try key.describe().type == .bigKey)
    }

    @Test("the largest payload matches the constant; larger and empty payloads are refused")
    func wrongSizes() throws {
        #expect(Key.largestBigPayload == 1_048_575)
        expectFailure(.invalidArgument) { () throws(KeyringError) in
            try keyring.add(.bigKey, "big", pattern(1_048_576))
        }
        expectFailure(.invalidArgument) { () throws(KeyringError) in try keyring.add(.bigKey, "big", []) }
    }

    @Test("a read returns the complete old or new payload while it grows beyond the first buffer")
    func growing() throws {
        let ring = keyring
        let short = [UInt8](repeating: 1, count: 10)
        let long = [UInt8](repeating: 2, count: 100_000)
        let key = try ring.add(.bigKey, "big", short)
        try during {
            for _ in 0..<300 {
                try ring.add(.bigKey, "big", long)
                try ring.add(.bigKey, "big", short)
            }
        } meanwhile: {
            let bytes = try key.bytes()
            guard bytes == short || bytes == long else { throw SetupFailure(step: "a payload was torn") }
        }
    }
}

@Suite("Diffie-Hellman", .enabled(if: Capability.has(.diffieHellman)))
final class KernelLabDiffieHellmanTests: ScratchSuite {
    /// The 2,048-bit prime of RFC 3526, group 14.
    ///
    /// The expected values below were computed with Python's `pow`.
    private static let prime = """
        FFFFFFFFFFFFFFFFC90FDAA22168C234C4C6628B80DC1CD129024E088A67CC74020BBEA63B139B22514A08798E3404DDEF9519B3CD3A431B\
        302B0A6DF25F14374FE1356D6D51C245E485B576625E7EC6F44C42E9A637ED6B0BFF5CB6F406B7EDEE386BFB5A899FA5AE9F24117C4B1FE6\
        49286651ECE45B3DC2007CB8A163BF0598DA48361C55D39A69163FA8FD24CF5F83655D23DCA3AD961C62F356208552BB9ED529077096966D\
        670C354E4ABC9804F1746C08CA18217C32905E462E36CE3BE39E772C180E86039B2783A2EC07A28FB5C55DF06F4C52C9DE2BCBF695581718\
        3995497CEA956AE515D2261898FA051015728E5A8AACAA68FFFFFFFFFFFFFFFF
        """

    private static func bytes(_ hex: String) -> [UInt8] {
        let digits: [Int] = hex.compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count, by: 2).map { index -> UInt8 in
            let value: Int = digits[index] * 16 + digits[index + 1]
            return UInt8(value)
        }
    }

    /// Returns the keys of both parties, and the public key of the second party.
    private func parties() throws -> (prime: Key, base: Key, first: Key, second: Key, secondPublic: Key) {
        let prime = try keyring.add("prime", Self.bytes(Self.prime))
        let base = try keyring.add("base", [2])
        let first = try keyring.add("first", Array(1...32))
        let second = try keyring.add("second", Array(101...132))
        let publicKey = try DiffieHellman.compute(privateKey: second, prime: prime, base: base)
        return (prime, base, first, second, try keyring.add("second public", publicKey.array()))
    }

    @Test("a public key is the base to the power of the private key")
    func publicKey() throws {
        let keys = try parties()
        let result = try DiffieHellman.compute(privateKey: keys.first, prime: keys.prime, base: keys.base)
        #expect(result.count == 256)
        #expect(result.array().starts(with: Self.bytes("ce8736a3ad7c8260e0c5e5a457931ad1")))
    }

    @Test("both sides compute the same secret, and it is correct")
    func sharedSecret() throws {
        let keys = try parties()
        let firstPublic = try DiffieHellman.compute(privateKey: keys.first, prime: keys.prime, base: keys.base)
        let base = try keyring.add("first public", firstPublic.array())
        let one = try DiffieHellman.compute(privateKey: keys.first, prime: keys.prime, base: keys.secondPublic)
        let other = try DiffieHellman.compute(privateKey: keys.second, prime: keys.prime, base: base)
        let isSame = one.isEqual(to: other)
        #expect(isSame)
        #expect(one.array().starts(with: Self.bytes("cc8f59fca5de8be5c530d8bae12ae08d")))
    }

    @Test("derived bytes match SP 800-56A")
    func derive() throws {
        let keys = try parties()
        let label = Array("label".utf8)
        let derived = try DiffieHellman.derive(
            count: 40, privateKey: keys.first, prime: keys.prime, base: keys.secondPublic, hash: "sha256",
            otherInfo: label.span.bytes
        )
        let expected = "010fcbe7bc8d637b837aaefd2f31f3521c35376039a908f4d66a45137d2012f665d05449771d7040"
        #expect(derived.array() == Self.bytes(expected))
    }

    @Test("an unknown hash, a prime that is too small and missing keys are errors")
    func errors() throws {
        let keys = try parties()
        let small = try keyring.add("small", [23])
        expectFailure(.invalidArgument) { () throws(KeyringError) in
            _ = try DiffieHellman.compute(privateKey: keys.first, prime: small, base: keys.base)
        }
        expectFailure(.notFound) { () throws(KeyringError) in
            _ = try DiffieHellman.compute(privateKey: Key(KeySerial(rawValue: 1)), prime: keys.prime, base: keys.base)
        }
        let nothing: [UInt8] = []
        let refused = #expect(throws: KeyringError.self) {
            _ = try DiffieHellman.derive(
                count: 16, privateKey: keys.first, prime: keys.prime, base: keys.base, hash: "no_such_hash",
                otherInfo: nothing.span.bytes
            )
        }
        let codes: Set<KeyringError.Code?> = [.unsupported, .notLinked]
        #expect(codes.contains(refused?.code))
    }
}

@Suite("Private keys in the kernel", .enabled(if: Capability.privateKeys))
final class KernelLabPrivateKeyTests: ScratchSuite {
    private func key() throws -> Key { try keyring.add(.asymmetric, "test key", TestCertificate.privateKey) }

    @Test("a private key supports every operation")
    func attributes() throws {
        let attributes = try key().publicKeyAttributes(parameters: TestCertificate.parameters)
        #expect(attributes.operations == [.encrypt, .decrypt, .sign, .verify])
        #expect(attributes.keySize == 1_024)
    }

    @Test("the kernel makes the same signature as openssl, and accepts it")
    func sign() throws {
        let key = try key()
        let signature = try key.sign(TestCertificate.digest)
        // PKCS #1 v1.5 signatures contain no randomness.
        #expect(signature == TestCertificate.signature)
        try key.verify(signature, of: TestCertificate.digest)
        expectFailure(.rejected) { () throws(KeyringError) in try key.verify(signature, of: pattern(32)) }
    }

    @Test("encrypted bytes can be decrypted again")
    func encrypt() throws {
        let key = try key()
        #expect(try key.decrypt(key.encrypt(pattern(50))) == pattern(50))
    }
}

@Suite("The lab's clock", .enabled(if: Capability.isKernelLab))
final class KernelLabClockTests: ScratchSuite {
    @Test("stepping the clock past a key's timeout kills the key, and stepping back revives it")
    func step() throws {
        let key = try keyring.add("key")
        try key.setTimeout(KeyTimeout(.seconds(60)))
        #expect(try key.bytes() == [1, 2, 3])
        try moveClock(by: 100)
        expectFailure(.expired) { () throws(KeyringError) in _ = try key.read() }
        #expect(try KeyTable.snapshot()[key.serial]?.expiry == .expired)
        try moveClock(by: -100)
        #expect(try key.bytes() == [1, 2, 3])
    }

    /// Steps the clock.
    ///
    /// Only for the lab, which has its own clock.
    private func moveClock(by seconds: Int) throws {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        time.tv_sec += seconds
        guard clock_settime(CLOCK_REALTIME, &time) == 0 else { throw SetupFailure(step: "clock_settime") }
    }
}
