import Keyutils
import SecretText

/// What a client's secret has beside it.
struct CredentialFields {
    /// When it ends, in seconds since 1970.
    var expires: Int64?
    /// What gets the next one.
    var refreshToken: SecretBox?
    /// The scheme of HTTP's authentication, where it is another than a user name and a password.
    var authenticationType: String?
    /// What a client wants to be told again.
    var state: [String] = []
    /// Whose it is, where the names don't tell: `git` or `docker`.
    var client: String?

    /// Whether the bare secret says all.
    var isEmpty: Bool {
        expires == nil && refreshToken == nil && authenticationType == nil && state.isEmpty && client == nil
    }

    /// Whether all can be in JSON.
    var isText: Bool { refreshToken?.isText ?? true }
}

extension CredentialRecord {
    static let (expires, refreshToken, authenticationType) = ("expires", "refresh_token", "authtype")
    private static let client = "client"

    var expires: Int64? { field(Self.expires)?.text.flatMap { Int64($0) } }

    var authenticationType: String? { field(Self.authenticationType)?.text }

    /// Whose it is, where the names don't tell.
    var client: String? { field(Self.client)?.text }

    /// What a client wants to be told again.
    var state: [String] {
        var state: [String] = []
        while let entry = field("state.\(state.count)")?.text { state.append(entry) }
        return state
    }

    /// Whether it has this secret, not ended yet, and all that these say.
    func says(_ secret: SecretBox, _ fields: CredentialFields, at now: Int64) -> Bool {
        guard self.secret.isEqual(to: secret), expires ?? .max > now else { return false }
        if let client = fields.client, client != self.client { return false }
        if let end = fields.expires, end != expires { return false }
        if let type = fields.authenticationType, type != authenticationType { return false }
        if !fields.state.isEmpty, fields.state != state { return false }
        guard let token = fields.refreshToken else { return true }
        return field(Self.refreshToken)?.isEqual(to: token) ?? false
    }

    /// The payload of an item of the kind `credential`.
    static func encode(_ secret: SecretBox, _ fields: CredentialFields) -> SecretBytes {
        SecretBytes { text in
            text.append("{")
            text.appendJSON(name: secretField)
            text.appendJSON(secret)
            if let end = fields.expires { text.append(",\"\(expires)\":\(end)") }
            if let token = fields.refreshToken {
                text.append(",\"\(refreshToken)\":")
                text.appendJSON(token)
            }
            if let type = fields.authenticationType {
                text.append(",\"\(authenticationType)\":")
                text.appendJSON(type)
            }
            if let name = fields.client {
                text.append(",\"\(client)\":")
                text.appendJSON(name)
            }
            if !fields.state.isEmpty {
                text.append(",\"state\":[")
                for (position, entry) in fields.state.enumerated() {
                    if position > 0 { text.append(",") }
                    text.appendJSON(entry)
                }
                text.append("]")
            }
            text.append("}")
        }
    }
}
