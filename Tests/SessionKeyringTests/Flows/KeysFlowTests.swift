#if Crypto
    import Crypto
    import Foundation
    import Keyutils
    import SessionKeyring
    import SessionKeyringTesting
    import Testing

    @Suite("Flow 3: cryptographic keys by tag", .tags(.kernel))
    struct KeysFlowTests {
        @Test("symmetric and private keys are stored and fetched by tag")
        func keys() throws {
            let scratch = try ScratchKeyring()
            let store = try scratch.store()
            let symmetric = SymmetricKey(size: .bits256)
            let signing = Curve25519.Signing.PrivateKey()
            let agreement = P256.KeyAgreement.PrivateKey()
            let box = store.slot(for: .key(tag: "com.example.box"), as: SymmetricKey.self)
            let sign = store.slot(for: .key(tag: "com.example.sign"), as: Curve25519.Signing.PrivateKey.self)
            try box.save(symmetric)
            try sign.save(signing)
            try store.slot(for: .key(tag: "com.example.agree")).save(agreement, lasting: .seconds(60))

            #expect(try box.load() == symmetric)
            let signingAgain = try sign.load()
            let signature = try signingAgain.signature(for: Data("message".utf8))
            #expect(signing.publicKey.isValidSignature(signature, for: Data("message".utf8)))
            let agreementAgain: P256.KeyAgreement.PrivateKey = try store.slot(for: .key(tag: "com.example.agree"))
                .load()
            #expect(agreementAgain.rawRepresentation == agreement.rawRepresentation)
            #expect(try store.slot(for: .key(tag: "com.example.none"), as: SymmetricKey.self).loadIfPresent() == nil)
        }

        @Test("a key replaces the one with the same tag")
        func usedTag() throws {
            let scratch = try ScratchKeyring()
            let slot = try scratch.store().slot(for: .key(tag: "tag"), as: SymmetricKey.self)
            let (old, new) = (SymmetricKey(size: .bits128), SymmetricKey(size: .bits256))
            try slot.save(old)
            try slot.save(new)
            #expect(try slot.load() == new)
        }

        @Test("bytes that aren't a key of the requested type are undecodable")
        func wrongKey() throws {
            let scratch = try ScratchKeyring()
            let store = try scratch.store()
            try store.set([1, 2, 3] as [UInt8], for: .key(tag: "short"))
            let slot = store.slot(for: .key(tag: "short"), as: Curve25519.Signing.PrivateKey.self)
            #expect { try slot.load() } throws: {
                guard case .undecodable(_)? = ($0 as? SecretStoreError)?.code else { return false }
                return true
            }
        }
    }
#endif
