import CommandSupport
import FoundationEssentials

/// JSON for other programs that is also safe to show on a terminal.
enum JSONOutput {
    static func text(of value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return Display.plainJSON(String(decoding: try encoder.encode(value), as: UTF8.self))
    }
}

/// Any JSON value, for output.
enum JSONValue: Encodable {
    case null
    case bool(Bool)
    case integer(Int64)
    case string(String)
    case array([JSONValue])
    case object([Name: JSONValue])

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value):
            try container.encode(Dictionary(uniqueKeysWithValues: value.map { ($0.key.text, $0.value) }))
        }
    }

    /// Creates a string, or null.
    init(_ text: String?) {
        self = text.map(JSONValue.string) ?? .null
    }

    /// Creates true, false or null.
    init(_ flag: Bool?) {
        self = flag.map(JSONValue.bool) ?? .null
    }

    /// Creates a whole number, or null; a number beyond 64 bits becomes the nearest one that fits.
    init<Number: BinaryInteger>(_ number: Number?) {
        self = number.map { .integer(Int64(clamping: $0)) } ?? .null
    }
}
