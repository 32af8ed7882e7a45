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
            try store.set(symmetric, for: .key(tag: "com.example.box"))
            try store.set(signing, for: .key(tag: "com.example.sign"))
            try store.set(agreement, for: .key(tag: "com.example.agree"), timeout: .seconds(60))

            #expect(try store.get(.key(tag: "com.example.box"), as: SymmetricKey.self) == symmetric)
            let signingAgain = try #require(
                try store.get(.key(tag: "com.example.sign"), as: Curve25519.Signing.PrivateKey.self))
            let signature = try signingAgain.signature(for: Data("message".utf8))
            #expect(signing.publicKey.isValidSignature(signature, for: Data("message".utf8)))
            let agreementAgain = try #require(
                try store.get(.key(tag: "com.example.agree"), as: P256.KeyAgreement.PrivateKey.self))
            #expect(agreementAgain.rawRepresentation == agreement.rawRepresentation)
            #expect(try store.get(.key(tag: "com.example.none"), as: SymmetricKey.self) == nil)
        }

        @Test("if a tag is in use, add refuses the key and set replaces it")
        func usedTag() throws {
            let scratch = try ScratchKeyring()
            let store = try scratch.store()
            let (old, new) = (SymmetricKey(size: .bits128), SymmetricKey(size: .bits256))
            try store.add(old, for: .key(tag: "tag"))
            #expect { try store.add(new, for: .key(tag: "tag")) } throws: {
                ($0 as? SecretStoreError)?.code == .duplicate
            }
            #expect(try store.get(.key(tag: "tag"), as: SymmetricKey.self) == old)
            try store.set(new, for: .key(tag: "tag"))
            #expect(try store.get(.key(tag: "tag"), as: SymmetricKey.self) == new)
        }

        @Test("bytes that aren't a key of the requested type are undecodable")
        func wrongKey() throws {
            let scratch = try ScratchKeyring()
            let store = try scratch.store()
            try store.set([1, 2, 3] as [UInt8], for: .key(tag: "short"))
            #expect { try store.get(.key(tag: "short"), as: Curve25519.Signing.PrivateKey.self) } throws: {
                guard case .undecodable(_)? = ($0 as? SecretStoreError)?.code else { return false }
                return true
            }
        }
    }
#endif
