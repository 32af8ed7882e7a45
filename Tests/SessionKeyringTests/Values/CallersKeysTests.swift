#if Crypto
    import Crypto
    import Foundation
    import SessionKeyring
    import SessionKeyringTesting
    import Testing

    private let message = Data("message".utf8)

    @Suite("Storing a key leaves the caller's key intact", .tags(.kernel))
    struct CallersKeysTests {
        @Test("signing keys keep their bytes, are read back unchanged, and make valid signatures")
        func signing() throws {
            let curve = Curve25519.Signing.PrivateKey()
            try check(curve, curve.publicKey) { $1.isValidSignature(try $0.signature(for: message), for: message) }
            let p256 = P256.Signing.PrivateKey()
            try check(p256, p256.publicKey) { $1.isValidSignature(try $0.signature(for: message), for: message) }
            let p384 = P384.Signing.PrivateKey()
            try check(p384, p384.publicKey) { $1.isValidSignature(try $0.signature(for: message), for: message) }
            let p521 = P521.Signing.PrivateKey()
            try check(p521, p521.publicKey) { $1.isValidSignature(try $0.signature(for: message), for: message) }
        }

        @Test("agreement keys keep their bytes, are read back unchanged, and give the same secret")
        func agreement() throws {
            let (curve, curvePeer) = (Curve25519.KeyAgreement.PrivateKey(), Curve25519.KeyAgreement.PrivateKey())
            let curveSecret = try curvePeer.sharedSecretFromKeyAgreement(with: curve.publicKey)
            try check(curve, curveSecret) { try $0.sharedSecretFromKeyAgreement(with: curvePeer.publicKey) == $1 }
            let (p256, p256Peer) = (P256.KeyAgreement.PrivateKey(), P256.KeyAgreement.PrivateKey())
            let p256Secret = try p256Peer.sharedSecretFromKeyAgreement(with: p256.publicKey)
            try check(p256, p256Secret) { try $0.sharedSecretFromKeyAgreement(with: p256Peer.publicKey) == $1 }
            let (p384, p384Peer) = (P384.KeyAgreement.PrivateKey(), P384.KeyAgreement.PrivateKey())
            let p384Secret = try p384Peer.sharedSecretFromKeyAgreement(with: p384.publicKey)
            try check(p384, p384Secret) { try $0.sharedSecretFromKeyAgreement(with: p384Peer.publicKey) == $1 }
            let (p521, p521Peer) = (P521.KeyAgreement.PrivateKey(), P521.KeyAgreement.PrivateKey())
            let p521Secret = try p521Peer.sharedSecretFromKeyAgreement(with: p521.publicKey)
            try check(p521, p521Secret) { try $0.sharedSecretFromKeyAgreement(with: p521Peer.publicKey) == $1 }
        }

        @Test("a value that a codec encodes into its own memory stays intact")
        func codecsMemory() throws {
            let scratch = try ScratchKeyring()
            let encoder = LendingEncoder()
            let store = try scratch.store(codec: JSONSecretCodec(encoder: encoder))
            try store.set(7, for: .password(service: "number"))
            #expect(encoder.memory.allSatisfy { $0 == UInt8(ascii: "7") })
        }

        /// Stores a key, and checks that the key and the stored copy are unchanged and work.
        ///
        /// - Parameter known: the public key or shared secret, made before the key is stored.
        private func check<Key: RawRepresentableKey & Sendable, Known>(
            _ key: Key, _ known: Known, works: (Key, Known) throws -> Bool
        ) throws {
            let scratch = try ScratchKeyring()
            let slot = try scratch.store().slot(for: .key(tag: "tag"), as: Key.self)
            let before = Array(key.rawRepresentation)
            try slot.save(key)
            let readBack = try slot.load()
            for key in [key, readBack] {
                // Compared outside of the macro, which would print the bytes.
                let isSame = Array(key.rawRepresentation) == before
                #expect(isSame, "\(Key.self)")
                #expect(try works(key, known), "\(Key.self)")
            }
        }
    }

    /// An encoder that lends its own memory, with more bytes than a `Data` holds inline.
    private final class LendingEncoder: JSONEncoder, @unchecked Sendable {
        private let start = UnsafeMutableRawPointer.allocate(byteCount: 64, alignment: 1)

        var memory: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: 64) }

        override func encode<Value: Encodable>(_ value: Value) throws -> Data {
            start.initializeMemory(as: UInt8.self, repeating: UInt8(ascii: "7"), count: 64)
            return Data(bytesNoCopy: start, count: 64, deallocator: .none)
        }

        deinit {
            start.deallocate()
        }
    }
#endif
