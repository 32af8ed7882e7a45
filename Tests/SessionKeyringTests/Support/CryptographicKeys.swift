// With the trait they are the library's own.
#if !Crypto
    import Crypto
    import Foundation
    import SessionKeyring

    extension Curve25519.Signing.PrivateKey: RawRepresentableKey {}
    extension Curve25519.KeyAgreement.PrivateKey: RawRepresentableKey {}
    extension P256.Signing.PrivateKey: RawRepresentableKey {}
    extension P256.KeyAgreement.PrivateKey: RawRepresentableKey {}
    extension P384.Signing.PrivateKey: RawRepresentableKey {}
    extension P384.KeyAgreement.PrivateKey: RawRepresentableKey {}
    extension P521.Signing.PrivateKey: RawRepresentableKey {}
    extension P521.KeyAgreement.PrivateKey: RawRepresentableKey {}

    extension SymmetricKey: RawRepresentableKey {
        /// A key from its bytes.
        public init<Bytes: ContiguousBytes>(rawRepresentation: Bytes) { self.init(data: rawRepresentation) }
        /// The key's bytes.
        public var rawRepresentation: Data { withUnsafeBytes { Data($0) } }
    }
#endif
