import Keyutils
import SecretText

/// The value of HTTP's header `Authorization` (RFC 6750, RFC 7617).
struct AuthorizationValue {
    let text: SecretBox

    /// - Parameter user: the user whose password the secret is; empty for a token.
    init(_ secret: SecretBox, user: String) throws(UnusableToken) {
        if user.isEmpty {
            try self.init(secret, scheme: "Bearer")
        } else {
            self.init(text: try Self.basic(secret, user: user))
        }
    }

    private init(text: SecretBox) {
        self.text = text
    }

    /// - Parameter scheme: the word before the secret; empty for no word.
    init(_ secret: SecretBox, scheme: String) throws(UnusableToken) {
        // A line break in the secret would start another header.
        guard secret.isHeaderText else {
            throw UnusableToken(
                message: "the token has characters that an HTTP header can't contain",
                hint: "store or print it as ASCII without line breaks")
        }
        let text = SecretBox(
            SecretBytes { text in
                text.append(scheme.isEmpty ? "" : "\(scheme) ")
                text.append(secret)
            })
        self.init(text: text)
    }

    private static func basic(_ secret: SecretBox, user: String) throws(UnusableToken) -> SecretBox {
        guard !user.utf8.contains(where: { $0 == UInt8(ascii: ":") || $0 < 0x20 || $0 == 0x7F }) else {
            throw UnusableToken(
                message: "the account has a colon or a control character, which HTTP authentication doesn't allow",
                hint: "store it under another account")
        }
        let pair = SecretBytes { text in
            text.append(user)
            text.append(":")
            text.append(secret)
        }
        return SecretBox(
            SecretBytes { text in
                text.append("Basic ")
                pair.withBytes { text.appendBase64($0) }
            })
    }
}

extension SecretBox {
    /// Whether the secret is ASCII without control characters, and not empty.
    fileprivate var isHeaderText: Bool {
        bytes.withBytes { bytes in
            for offset in 0..<bytes.byteCount where !(0x20...0x7E).contains(bytes[offset]) { return false }
            return bytes.byteCount > 0
        }
    }
}
