import Keyutils
package import SecretText

/// A token, and when it ends.
///
/// Of a JSON object that a command has printed it is the first of the fields that tokens are in; anything else is the token
/// itself, without a newline at its end. A user's password that is an item stays as it is, and may be empty.
package struct IssuedToken {
    package let secret: SecretBox
    /// In seconds since 1970.
    package let expires: Int64?

    /// Where tokens are, in the order in which they are looked for.
    static let fields = ["status.token", "access_token", "id_token", "token"]

    /// - Parameter own: the protocol's own fields, which are looked for first.
    package init(_ issued: Issuance, in own: [String] = []) throws(UnusableToken) {
        let fields = own + Self.fields.filter { !own.contains($0) }
        let secret: SecretBox
        let isPassword = issued.isBare && !issued.account.isEmpty
        if !issued.isBare, issued.payload.isObject {
            guard let found = issued.payload.firstText(of: fields) else {
                throw UnusableToken(
                    message: "it has no token", hint: "it is looked for in \(fields.joined(separator: ", "))")
            }
            secret = found
            expires = try ExpiryField.read(issued)
        } else {
            secret = isPassword ? issued.payload : issued.payload.withoutNewline
            expires = issued.expires
        }
        guard secret.count > 0 || isPassword else {
            throw UnusableToken(message: "the token is empty", hint: "store or print one")
        }
        self.secret = secret
    }
}

extension SecretBox {
    /// Whether it is one JSON object.
    var isObject: Bool { bytes.withBytes { JSONField.isObject($0) } }

    /// The first of these fields that is a text, and not an empty one.
    func firstText(of fields: [String]) -> SecretBox? {
        for field in fields {
            if let text = text(of: field), text.count > 0 { return text }
        }
        return nil
    }

    /// The field, where it is a text.
    func text(of field: String) -> SecretBox? { bytes.withBytes { JSONField.text(of: JSONPath(field), in: $0) } }

    /// Without one line break at its end.
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
