import Keyutils
import SecretText

/// How the secrets of one client travel: as they are, or encrypted.
///
/// The encryption is the specification's. It protects nothing here, because the socket is private, but some clients
/// require it.
enum SecretSession {
    case plain
    case encrypted(SessionCipher)

    static let encryption = "dh-ietf1024-sha256-aes128-cbc-pkcs7"

    /// Agrees on a key with the client.
    ///
    /// - Parameter publicKey: the client's key, a big-endian number.
    /// - Returns: `nil` if that is not a possible key.
    init?(agreeingWith publicKey: RawSpan, by ours: KeyPair) {
        let shared = ours.privateKey.bytes.withBytes { OakleyNumber.power(publicKey, $0) }
        guard let shared else { return nil }
        let cipher: SessionCipher? = shared.withBytes { SessionCipher(agreedNumber: $0) }
        guard let cipher else { return nil }
        self = .encrypted(cipher)
    }

    /// Returns the parameters and the value that stand for a secret in a message.
    func encode(_ secret: SecretBox) throws -> (parameters: SecretBox, value: SecretBox) {
        switch self {
        case .plain: (SecretBox(SecretBytes(zeros: 0)), secret)
        case .encrypted(let cipher): try cipher.encrypt(secret)
        }
    }

    /// Returns the secret of a message; `nil` if it can't be decrypted.
    func decode(parameters: RawSpan, value: RawSpan) -> SecretBox? {
        switch self {
        case .plain: SecretBox(copying: value)
        case .encrypted(let cipher): cipher.decrypt(value, parameters: parameters)
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
