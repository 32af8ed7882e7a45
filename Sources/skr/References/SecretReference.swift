import SessionKeyring

/// The name of a secret, to be written in its place: `skr://SERVICE[/ACCOUNT][?field=PATH]`.
///
/// Each part is percent-encoded.
package struct SecretReference: Equatable {
    package static let scheme = "skr://"
    /// What to write instead, for hints.
    static let form = "a reference is skr://SERVICE[/ACCOUNT][?field=PATH]; write %XX for any other character"

    package let service: String
    package let account: String?
    package let field: String?

    package init(service: String, account: String? = nil, field: String? = nil) {
        self.service = service
        self.account = account
        self.field = field
    }

    /// Reads a reference.
    package init(parsing text: String) throws(Problem) {
        try self.init(parsing: Array(text.utf8)[...])
    }

    /// Reads a reference from bytes that may be anything.
    package init(parsing bytes: ArraySlice<UInt8>) throws(Problem) {
        guard Self.begins(bytes) else { throw .notReference }
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

    /// Whether these bytes are meant to be a reference.
    package static func begins(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.starts(with: scheme.utf8)
    }

    private static func field(of query: ArraySlice<UInt8>) throws(Problem) -> String {
        let name = "field="
        let parts = query.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
        for part in parts where !part.starts(with: name.utf8) { throw .unknownQuery }
        guard parts.count == 1, let part = parts.first else { throw .duplicateField }
        let field = try decode(part.dropFirst(name.utf8.count))
        if field.isEmpty { throw .emptyField }
        return field
    }

    private static func decode(_ encoded: ArraySlice<UInt8>) throws(Problem) -> String {
        guard let bytes = PercentCoding.bytes(of: encoded) else { throw .badEscape }
        // Decoding repairs what is not UTF-8, which changes it. A validating initializer would make generic types at
        // run time, which takes longer.
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.utf8.elementsEqual(bytes) else { throw .notUTF8 }
        return text
    }
}

extension SecretReference {
    /// Why a text is no reference.
    package enum Problem: Error, Equatable {
        case notReference, emptyService, emptyAccount, tooManySlashes
        case badEscape, notUTF8, forbiddenCharacter, fragment
        case unknownQuery, emptyField, duplicateField

        var summary: String {
            switch self {
            case .notReference: "a reference begins with skr://"
            case .emptyService: "the reference names no service"
            case .emptyAccount: "the reference has a '/' and no account behind it"
            case .tooManySlashes: "the reference has more than SERVICE/ACCOUNT; write %2F for a '/' in a name"
            case .badEscape: "the reference has a '%' without two hexadecimal digits behind it; write %25 for a '%'"
            case .notUTF8: "the reference names something that is not UTF-8"
            case .forbiddenCharacter: "the reference has white space or a control character; write %20 for a space"
            case .fragment: "the reference has a '#'; write %23 for one in a name"
            case .unknownQuery:
                "the reference has something other than field= behind its '?'; write %3F for a '?' in a name"
            case .emptyField: "the reference names an empty field"
            case .duplicateField: "the reference names more than one field"
            }
        }
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

    private static func encode(_ text: String) -> String {
        var encoded = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            default: encoded += PercentCoding.escape(byte)
            }
        }
        return encoded
    }
}
