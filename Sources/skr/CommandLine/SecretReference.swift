import Keyutils
import SessionKeyring

/// A reference to a secret, `skr://SERVICE[/ACCOUNT][?field=PATH]`, which is written instead of the secret.
///
/// Each part is percent-encoded.
package struct SecretReference: Equatable {
    package static let scheme = "skr://"

    package let service: String
    package let account: String?
    package let field: String?

    package init(service: String, account: String? = nil, field: String? = nil) {
        self.service = service
        self.account = account
        self.field = field
    }

    package init(parsing text: String) throws(InputProblem) {
        try self.init(parsing: Array(text.utf8)[...])
    }

    /// Parses a reference from arbitrary bytes.
    package init(parsing bytes: ArraySlice<UInt8>) throws(InputProblem) {
        guard bytes.starts(with: Self.scheme.utf8) else { throw .notReference }
        let rest = bytes.dropFirst(Self.scheme.utf8.count)
        for byte in rest where byte <= 0x20 || byte == 0x7F || byte == UInt8(ascii: "#") {
            throw byte == UInt8(ascii: "#") ? .fragment : .forbiddenCharacter
        }
        let path = rest.prefix { $0 != UInt8(ascii: "?") }
        let service = path.prefix { $0 != UInt8(ascii: "/") }
        self.service = try Self.decode(service)
        if self.service.isEmpty { throw .emptyService }

        if service.endIndex < path.endIndex {
            let account = path[(service.endIndex + 1)...]
            if account.contains(UInt8(ascii: "/")) { throw .tooManySlashes }
            if account.isEmpty { throw .emptyAccount }
            self.account = try Self.decode(account)
        } else {
            self.account = nil
        }
        self.field = path.endIndex < rest.endIndex ? try Self.field(of: rest[(path.endIndex + 1)...]) : nil
    }

    /// Returns whether these bytes begin with `skr:`, and so are a reference or a mistyped one.
    package static func begins(_ bytes: some Sequence<UInt8>) -> Bool {
        bytes.starts(with: "skr:".utf8)
    }

    private static func field(of query: ArraySlice<UInt8>) throws(InputProblem) -> String {
        let name = "field="
        let parts = query.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
        for part in parts where !part.starts(with: name.utf8) { throw .unknownQuery }
        guard parts.count == 1, let part = parts.first else { throw .duplicateField }
        let field = try decode(part.dropFirst(name.utf8.count))
        if field.isEmpty { throw .emptyField }
        return field
    }

    private static func decode(_ encoded: ArraySlice<UInt8>) throws(InputProblem) -> String {
        guard let bytes = PercentCoding.bytes(of: encoded) else { throw .badEscape }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .notUTF8 }
        return text
    }
}

/// The reasons why a text is not a reference.
extension InputProblem {
    package static let notReference = reference("a reference begins with skr://")
    package static let emptyService = reference("the reference names no service")
    package static let emptyAccount = reference("the reference has no account after its '/'")
    package static let tooManySlashes = reference(
        "the reference has more than one '/' after skr://; write %2F for a '/' in a name")
    package static let badEscape = reference(
        "the reference has a '%' without two hexadecimal digits after it; write %25 for a '%'")
    package static let notUTF8 = reference("the reference has a name that is not UTF-8")
    package static let forbiddenCharacter = reference(
        "the reference has white space or a control character; write %20 for a space")
    package static let fragment = reference("the reference has a '#'; write %23 for a '#' in a name")
    package static let unknownQuery = reference(
        "the reference has something other than field= after its '?'; write %3F for a '?' in a name")
    package static let emptyField = reference("the reference has an empty field")
    package static let duplicateField = reference("the reference has more than one field")

    private static func reference(_ summary: String) -> InputProblem {
        InputProblem(
            summary: summary,
            hint: "write it as skr://SERVICE[/ACCOUNT][?field=PATH], with special characters as %XX")
    }
}

extension SecretReference: CustomStringConvertible {
    init(to item: ItemIdentity) {
        self.init(service: item.service, account: item.account.isEmpty ? nil : item.account)
    }

    package var description: String {
        Self.scheme + Self.encode(service) + (account.map { "/\(Self.encode($0))" } ?? "")
            + (field.map { "?field=\(Self.encode($0))" } ?? "")
    }

    static func encode(_ text: String) -> String {
        var encoded = ""
        for byte in text.utf8 {
            if byte.isLetter || byte.isDigit || "-._".utf8.contains(byte) {
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                encoded += PercentCoding.escape(byte)
            }
        }
        return encoded
    }
}
