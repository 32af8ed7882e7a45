import Keyutils
import SecretText

/// The fields of a client's credential besides the secret.
struct CredentialFields {
    /// The expiry, in seconds since 1970.
    var expires: Int64?
    /// The token that gets the next secret.
    var refreshToken: SecretBox?
    /// The scheme of HTTP authentication, unless it is a user name and a password.
    var authenticationType: String?
    /// State that the client wants to get back.
    var state: [String] = []
    /// The owner, if the item's name does not show it: `git` or `docker`.
    var client: String?

    /// Whether the bare secret is enough, without any fields.
    var isEmpty: Bool {
        expires == nil && refreshToken == nil && authenticationType == nil && state.isEmpty && client == nil
    }

    /// The end of the item, in seconds since 1970; a refresh token outlives the secret that it came with.
    var end: Int64? { refreshToken == nil ? expires : nil }

    /// Whether all fields can be written as JSON.
    var isText: Bool { refreshToken?.isText ?? true }
}

extension CredentialRecord {
    static let (expires, refreshToken, authenticationType) = ("expires", "refresh_token", "authtype")
    private static let client = "client"

    package var expires: Int64? { field(Self.expires)?.text.flatMap { Int64($0) } }

    var authenticationType: String? { field(Self.authenticationType)?.text }

    /// The owner, if the item's name does not show it.
    var client: String? { field(Self.client)?.text }

    /// State that the client wants to get back.
    var state: [String] {
        var state: [String] = []
        while let entry = field("state.\(state.count)")?.text { state.append(entry) }
        return state
    }

    /// The token that gets the next secret.
    var refreshToken: SecretBox? { field(Self.refreshToken) }

    /// Returns whether the record has this secret and all of these fields, and has not expired.
    ///
    /// An item without an expiry gets a given one as its timeout.
    func says(_ secret: SecretBox, _ fields: CredentialFields, at now: Int64) -> Bool {
        guard self.secret.isEqual(to: secret), expires ?? .max > now else { return false }
        if let client = fields.client, client != self.client { return false }
        // A client can have the earlier end of the item from a record with a refresh token.
        if let end = fields.expires, refreshToken == nil ? end != expires ?? end : end > expires ?? 0 { return false }
        if let type = fields.authenticationType, type != authenticationType { return false }
        if !fields.state.isEmpty, !(fields.state == state) { return false }
        guard let token = fields.refreshToken else { return true }
        return refreshToken?.isEqual(to: token) ?? false
    }

    /// Encodes the payload of an item of the kind `credential`.
    static func encode(_ secret: SecretBox, _ fields: CredentialFields) -> SecretBytes {
        SecretBytes { text in
            text.append("{\"\(secretField)\":", quoting: secret)
            if let end = fields.expires { text.append(",\"\(expires)\":\(end)") }
            if let token = fields.refreshToken { text.append(",\"\(refreshToken)\":", quoting: token) }
            if let type = fields.authenticationType { text.append(",\"\(authenticationType)\":", quoting: type) }
            if let name = fields.client { text.append(",\"\(client)\":", quoting: name) }
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
