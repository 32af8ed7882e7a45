package import SecretText
package import SessionKeyring

/// The contents of an item: a secret and, in an item of the kind `credential`, further fields.
///
/// The payload of that kind is JSON: `{"secret":"...","expires":1790000000,"refresh_token":"..."}`. Payloads of other
/// kinds are never parsed.
package struct CredentialRecord {
    /// The name of the field that has the secret.
    package static let secretField = "secret"

    /// The secret itself.
    package let secret: SecretBox
    /// The item's whole payload.
    let payload: SecretBox
    private let isBare: Bool

    /// Reads the payload of an item.
    ///
    /// - Returns: `nil` for a record without a secret.
    package init?(_ payload: SecretBox, of item: ItemIdentity) {
        self.payload = payload
        isBare = item.kind != .credential
        guard let secret = isBare ? payload : Self.field(Self.secretField, of: payload) else { return nil }
        self.secret = secret
    }

    /// Returns a field besides the secret; `nil` if the item doesn't have it.
    package func field(_ name: String) -> SecretBox? { isBare ? nil : Self.field(name, of: payload) }

    private static func field(_ name: String, of record: SecretBox) -> SecretBox? {
        record.bytes.withBytes { bytes in
            guard case .found(let value) = JSONField.find(JSONPath(name), in: bytes) else { return nil }
            return SecretBox(value)
        }
    }
}

extension CredentialHelper {
    /// Returns an item's contents; `nil` for an absent item, and for a record without a secret.
    func credential(_ item: ItemIdentity) throws(SecretStoreError) -> CredentialRecord? {
        guard let payload = try items.get(item) else { return nil }
        return CredentialRecord(SecretBox(payload), of: item)
    }
}
