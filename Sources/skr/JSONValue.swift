import FoundationEssentials

/// Any JSON value.
enum JSONValue: Codable {
    case null
    case bool(Bool)
    case integer(Int64)
    case unsigned(UInt64)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else if let value = try? container.decode(UInt64.self) {
            self = .unsigned(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .unsigned(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }

    /// A text, or null.
    init(_ text: String?) {
        self = text.map(JSONValue.string) ?? .null
    }

    /// True, false or null.
    init(_ flag: Bool?) {
        self = flag.map(JSONValue.bool) ?? .null
    }

    /// A whole number, or null; one beyond 64 bits becomes the nearest that fits.
    init<Number: BinaryInteger>(_ number: Number?) {
        self = number.map { .integer(Int64(clamping: $0)) } ?? .null
    }

    /// A member of an object by its name, or of an array by its position.
    subscript(_ step: String) -> JSONValue? {
        switch self {
        case .object(let members): members[step]
        case .array(let members): Int(step).flatMap { members.indices.contains($0) ? members[$0] : nil }
        default: nil
        }
    }

    /// A string as it is; any other value as JSON on one line.
    var text: String {
        if case .string(let text) = self { return text }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // What was just decoded from JSON can always be written as JSON.
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "null"
    }
}
