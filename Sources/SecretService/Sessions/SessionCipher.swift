import Keyutils
import SecretText

#if EncryptedSessions
    import Crypto
    import CryptoExtras
    import FoundationEssentials
    import Glibc

    /// The cipher of an encrypted session: AES-128 in CBC mode, with PKCS #7 padding.
    struct SessionCipher {
        static let isAvailable = true
        private let key: SymmetricKey

        /// - Parameter agreedNumber: the big-endian number that both ends have computed.
        init(agreedNumber: RawSpan) {
            key = unsafe agreedNumber.withUnsafeBytes { bytes in
                unsafe HKDF<SHA256>.deriveKey(
                    inputKeyMaterial: SymmetricKey(data: bytes), salt: Data(count: 32), info: Data(),
                    outputByteCount: 16)
            }
        }

        func encrypt(_ secret: SecretBox) throws -> (parameters: SecretBox, value: SecretBox) {
            let vector = AES._CBC.IV()
            let value = try secret.bytes.withBytes { bytes in
                try unsafe bytes.withUnsafeBytes { try unsafe AES._CBC.encrypt($0, using: key, iv: vector) }
            }
            return unsafe (SecretBox(copying: Array(vector).span.bytes), SecretBox(copying: value.bytes))
        }

        /// Returns `nil` if the value can't be decrypted.
        func decrypt(_ value: RawSpan, parameters: RawSpan) -> SecretBox? {
            unsafe parameters.withUnsafeBytes { parameters in
                unsafe value.withUnsafeBytes { value in
                    guard let vector = try? unsafe AES._CBC.IV(ivBytes: parameters),
                        var secret = try? unsafe AES._CBC.decrypt(value, using: key, iv: vector)
                    else { return nil }
                    let box = SecretBox(copying: secret.bytes)
                    unsafe secret.withUnsafeMutableBytes { bytes in
                        unsafe bytes.baseAddress.map { unsafe explicit_bzero($0, bytes.count) }
                    }
                    return box
                }
            }
        }
    }
#else
    /// Stands for the cipher, which a build without cryptography does not have.
    enum SessionCipher {
        static let isAvailable = false

        init?(agreedNumber: RawSpan) { nil }
        func encrypt(_ secret: SecretBox) throws -> (parameters: SecretBox, value: SecretBox) { switch self {} }
        func decrypt(_ value: RawSpan, parameters: RawSpan) -> SecretBox? { switch self {} }
    }
#endif
