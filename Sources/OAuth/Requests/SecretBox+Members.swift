import Keyutils
import SecretText

/// The members of a JSON object from a server or from the keyring; `nil` or false for other types and what is missing.
extension SecretBox {
    func secret(_ name: String) -> SecretBox? { bytes.withBytes { JSONField.text(of: JSONPath(name), in: $0) } }

    func string(_ name: String) -> String? { secret(name)?.text }

    func integer(_ name: String) -> Int64? { bytes.withBytes { JSONField.integer(of: JSONPath(name), in: $0) } }

    func isTrue(_ name: String) -> Bool { json(name) == "true" }

    /// Whether a list of short texts has this one.
    func list(_ name: String, contains text: String) -> Bool { json(name).contains("\"\(text)\"") }

    /// The JSON of a member that is not secret.
    private func json(_ name: String) -> String {
        bytes.withBytes { body in
            guard case .found(let value) = JSONField.find(JSONPath(name), in: body) else { return "" }
            return value.withBytes { String(lossy: $0) }
        }
    }
}
