#if Crypto
    public import Crypto
    public import FoundationEssentials

    extension Curve25519.Signing.PrivateKey: RawRepresentableKey {}
    extension Curve25519.KeyAgreement.PrivateKey: RawRepresentableKey {}
    extension P256.Signing.PrivateKey: RawRepresentableKey {}
    extension P256.KeyAgreement.PrivateKey: RawRepresentableKey {}
    extension P384.Signing.PrivateKey: RawRepresentableKey {}
    extension P384.KeyAgreement.PrivateKey: RawRepresentableKey {}
    extension P521.Signing.PrivateKey: RawRepresentableKey {}
    extension P521.KeyAgreement.PrivateKey: RawRepresentableKey {}

    extension SymmetricKey: RawRepresentableKey {
        /// Creates a key from its bytes.
        public init<Bytes: ContiguousBytes>(rawRepresentation: Bytes) { self.init(data: rawRepresentation) }
        /// The key's bytes, in ordinary memory.
        public var rawRepresentation: Data { unsafe withUnsafeBytes { unsafe Data($0) } }
    }
#endif
