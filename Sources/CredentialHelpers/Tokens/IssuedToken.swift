import Keyutils
package import SecretText

/// A token, and when it ends.
///
/// In a JSON object that a command has printed, the token is in the first of the known fields. Any other
/// payload is the token itself, without the newline at its end. An item that holds a user's password stays
/// unchanged, and can be empty. Neither can contain a line break or a NUL byte, because HTTP doesn't allow them.
package struct IssuedToken {
    package let secret: SecretBox
    /// The expiry, in seconds since 1970.
    package let expires: Int64?

    /// The fields that can hold a token, in the order in which they are tried.
    static let fields = ["status.token", "access_token", "id_token", "token"]

    /// - Parameters:
    ///   - own: the protocol's own fields, which are tried first.
    ///   - hasLines: whether the protocol allows line breaks in the token.
    package init(_ issued: Issuance, in own: [String] = [], hasLines: Bool = false) throws(UnusableToken) {
        let fields = own + Self.fields.filter { !own.contains($0) }
        let secret: SecretBox
        let isPassword = issued.isBare && !issued.account.isEmpty
        if !issued.isBare, issued.payload.isObject {
            guard let found = issued.payload.firstText(of: fields) else {
                throw UnusableToken(
                    message: "it has no token", hint: "put it in one of the fields \(fields.joined(separator: ", "))")
            }
            secret = found
            expires = try ExpiryField.read(issued)
        } else {
            secret = isPassword ? issued.payload : issued.payload.withoutNewline
            expires = issued.expires
        }
        guard secret.count > 0 || isPassword else {
            throw UnusableToken(message: "the token is empty", hint: "store or print a token")
        }
        guard hasLines || !secret.hasLineBreak else { throw UnusableToken.lineBreak }
        self.secret = secret
    }
}

extension SecretBox {
    /// Whether the secret is one JSON object.
    var isObject: Bool { bytes.withBytes { JSONField.isObject($0) } }

    /// Whether the secret contains a CR, an LF or a NUL.
    var hasLineBreak: Bool {
        bytes.withBytes { bytes in !bytes.isOneLine || bytes.offset(of: UInt8(ascii: "\r")) != nil }
    }

    /// Returns the first of these fields that is a string and not empty.
    func firstText(of fields: [String]) -> SecretBox? {
        for field in fields {
            if let text = text(of: field), text.count > 0 { return text }
        }
        return nil
    }

    /// Returns the field, if it is a string.
    func text(of field: String) -> SecretBox? { bytes.withBytes { JSONField.text(of: JSONPath(field), in: $0) } }

    /// The secret without one line break at its end.
    fileprivate var withoutNewline: SecretBox {
        bytes.withBytes { bytes in
            var end = bytes.byteCount
            if end > 0, bytes[end - 1] == UInt8(ascii: "\n") {
                end -= end > 1 && bytes[end - 2] == UInt8(ascii: "\r") ? 2 : 1
            }
            return end == bytes.byteCount ? self : SecretBox(copying: bytes.extracting(0..<end))
        }
    }
}
