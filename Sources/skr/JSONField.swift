import CommandConventions
import FoundationEssentials

/// A part of a secret that is JSON, by a path such as `tokens.0.access`.
enum JSONField {
    /// A string without its quotes; any other value as JSON.
    static func extract(_ path: String, from bytes: RawSpan, of name: String) throws(CommandError) -> String {
        let data = unsafe bytes.withUnsafeBytes { unsafe Data($0) }
        guard var value = try? JSONDecoder().decode(JSONValue.self, from: data) else {
            throw CommandError(
                exitCode: .data, message: "\(name): the secret is not JSON", hint: "leave out the field to get it whole"
            )
        }
        for step in path.split(separator: ".", omittingEmptySubsequences: false) {
            guard let next = value[String(step)] else {
                throw CommandError(
                    exitCode: .data, message: "\(name): the secret has no field \(Display.quoted(path))",
                    hint: "a path is names and positions with dots between, such as tokens.0.access"
                )
            }
            value = next
        }
        return value.text
    }
}
