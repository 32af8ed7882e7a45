import Keyutils

/// An argument, an option or a flag, as the argument parser defines it.
package struct ArgumentDefinition: Decodable {
    package enum Kind: String, Decodable {
        case positional, option, flag
    }

    /// The kinds of values that our options have; their names are the argument parser's.
    package enum Values: Decodable {
        case list(values: [String])
        case file(extensions: [String])
        case directory
        case shellCommand(command: String)
    }

    struct Name: Decodable {
        let kind: String
        let name: String

        package var spelling: String { kind == "long" ? "--\(name)" : "-\(name)" }
    }

    package let kind: Kind
    let shouldDisplay: Bool
    package let isOptional: Bool
    package let isRepeating: Bool
    let parsingStrategy: String
    let valueName: String?
    package let abstract: String?
    let allValues: [String]?
    let defaultValue: String?
    package let completionKind: Values?
    private let names: [Name]?
    private let preferredName: Name?

    package var isLaunched: Bool { kind == .positional && parsingStrategy == "postTerminator" }
    /// The names with their dashes, shortest first.
    package var spellings: [String] { (names ?? []).map(\.spelling).sorted { $0.utf8.count < $1.utf8.count } }
    /// The name that help uses, with its dashes.
    package var spelling: String? { preferredName?.spelling }
    /// The name of the value in help and manual pages, such as `SERVICE`.
    package var shownValue: String {
        let name = valueName ?? "value"
        return name.allSatisfy(\.isLetter) ? name.uppercased() : name
    }
    /// Whether the argument parser adds this argument to every verb.
    package var isForEveryVerb: Bool { spelling == "--help" || spelling == "--version" }

    /// The description, the possible values, and the default.
    package var summary: String {
        let values = allValues.map { " One of \($0.joined(separator: ", "))." } ?? ""
        return (abstract ?? "") + values + (defaultValue.map { " By default \($0)." } ?? "")
    }
}
