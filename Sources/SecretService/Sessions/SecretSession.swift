import Crypto
import CryptoExtras
import FoundationEssentials
import Glibc
import Keyutils
import SecretText

/// How the secrets of one client travel: as they are, or encrypted.
///
/// The encryption is the specification's. It protects nothing here, because the socket is private, but some clients
/// require it.
enum SecretSession {
    case plain
    case encrypted(SymmetricKey)

    static let encryption = "dh-ietf1024-sha256-aes128-cbc-pkcs7"

    /// Agrees on a key with the client.
    ///
    /// - Parameter publicKey: the client's key, a big-endian number.
    /// - Returns: `nil` if that is not a possible key.
    init?(agreeingWith publicKey: RawSpan, by ours: KeyPair) {
        let shared = ours.privateKey.bytes.withBytes { OakleyNumber.power(publicKey, $0) }
        guard let shared else { return nil }
        self = .encrypted(
            shared.withBytes { bytes in
                unsafe bytes.withUnsafeBytes { bytes in
                    unsafe HKDF<SHA256>.deriveKey(
                        inputKeyMaterial: SymmetricKey(data: bytes), salt: Data(count: 32), info: Data(),
                        outputByteCount: 16)
                }
            })
    }

    /// Returns the parameters and the value that stand for a secret in a message.
    func encode(_ secret: SecretBox) throws -> (parameters: SecretBox, value: SecretBox) {
        guard case .encrypted(let key) = self else { return (SecretBox(SecretBytes(zeros: 0)), secret) }
        let vector = AES._CBC.IV()
        let value = try secret.bytes.withBytes { bytes in
            try unsafe bytes.withUnsafeBytes { try unsafe AES._CBC.encrypt($0, using: key, iv: vector) }
        }
        return unsafe (SecretBox(copying: Array(vector).span.bytes), SecretBox(copying: value.bytes))
    }

    /// Returns the secret of a message; `nil` if it can't be decrypted.
    func decode(parameters: RawSpan, value: RawSpan) -> SecretBox? {
        guard case .encrypted(let key) = self else { return SecretBox(copying: value) }
        return unsafe parameters.withUnsafeBytes { parameters in
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

/// Our private and public key for one session, as big-endian numbers.
struct KeyPair {
    let privateKey: SecretBox
    let publicKey: SecretBox

    init() {
        let exponent = unsafe SecretBytes(capacity: 32) { buffer in
            for position in buffer.indices { unsafe buffer[position] = UInt8.random(in: 0...255) }
            return buffer.count
        }
        let generator: [UInt8] = [2]
        let power = exponent.withBytes { unsafe OakleyNumber.power(generator.span.bytes, $0) }
        privateKey = SecretBox(exponent)
        publicKey = SecretBox(power ?? SecretBytes(zeros: 0))
    }
}
