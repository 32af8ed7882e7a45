import CommandSupport
import Keyutils
import SecretText

extension JSONField {
    /// Returns the text of a string, or any other value as it is written.
    static func extract(_ path: String, from bytes: RawSpan, of name: String) throws(CommandError) -> SecretBytes {
        switch find(JSONPath(path), in: bytes) {
        case .found(let value): return value
        case .nothing:
            throw .data(
                "\(name): the secret has no field \(Display.quoted(path))",
                hint: "write names and positions with dots between them, such as tokens.0.access")
        case .noText:
            throw .data(
                "\(name): the field \(Display.quoted(path)) is not text: it has half of a surrogate pair (\\uD800 to \\uDFFF)",
                hint: "leave out the field to get the whole secret")
        case .notJSON:
            throw .data("\(name): the secret is not JSON", hint: "leave out the field to get the whole secret")
        }
    }
}
