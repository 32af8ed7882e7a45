package import SecretText
package import SessionKeyring

/// What an item holds: a secret, and in an item of the kind `credential` what it has beside.
///
/// The payload of that kind is JSON: `{"secret":"...","expires":1790000000,"refresh_token":"..."}`. No other kind is ever
/// taken apart.
package struct CredentialRecord {
    /// The name of the field that has the secret.
    package static let secretField = "secret"

    /// The secret itself.
    package let secret: SecretBox
    /// All that the item holds.
    let payload: SecretBox
    private let isBare: Bool

    /// - Returns: `nil` for a record without a secret.
    package init?(_ payload: SecretBox, of item: ItemIdentity) {
        self.payload = payload
        isBare = item.kind != .credential
        guard let secret = isBare ? payload : Self.field(Self.secretField, of: payload) else { return nil }
        self.secret = secret
    }

    /// A field beside the secret; `nil` where there is none.
    package func field(_ name: String) -> SecretBox? { isBare ? nil : Self.field(name, of: payload) }

    private static func field(_ name: String, of record: SecretBox) -> SecretBox? {
        record.bytes.withBytes { bytes in
            guard case .found(let value) = JSONField.find(JSONPath(name), in: bytes) else { return nil }
            return SecretBox(value)
        }
    }
}

extension CredentialHelper {
    /// What an item holds; `nil` where there is none, or a record without a secret.
    func credential(_ item: ItemIdentity) throws(SecretStoreError) -> CredentialRecord? {
        guard let payload = try items.get(item) else { return nil }
        return CredentialRecord(SecretBox(payload), of: item)
    }
}
