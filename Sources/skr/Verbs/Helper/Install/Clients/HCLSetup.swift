import CommandSupport
import CredentialHelpers

/// The statement of a configuration in HCL that names the helper.
struct HCLStatement {
    let range: Range<Int>
    /// The text behind the keyword: a block's label, or a value.
    let name: String

    /// The one statement with this keyword; `nil` where there is none.
    init?(_ keyword: String, in text: RawSpan) throws(SetupRefusal) {
        var found: HCLStatement?
        for range in try ConfigurationStatements.reading(text, .hcl).ranges {
            let words = try Self.words(of: text.extracting(range), keyword)
            guard let name = words else { continue }
            guard found == nil else { throw .unclear("it has \(keyword) twice") }
            found = HCLStatement(range: range, name: name)
        }
        guard let found else { return nil }
        self = found
    }

    private init(range: Range<Int>, name: String) {
        self.range = range
        self.name = name
    }

    /// The text in quotes behind the keyword; `nil` for another keyword.
    private static func words(of statement: RawSpan, _ keyword: String) throws(SetupRefusal) -> String? {
        var end = 0
        while end < statement.byteCount,
            statement[end].isLetter || statement[end] == UInt8(ascii: "_")
                || statement[end] == UInt8(ascii: "-") || statement[end].isDigit
        { end += 1 }
        let unclear = SetupRefusal.unclear("it is no HCL that is understood for certain")
        let last = statement[statement.byteCount - 1]
        guard end > 0, last == UInt8(ascii: "}") || statement.offset(of: UInt8(ascii: "="), from: end) != nil else {
            throw unclear
        }
        guard String(lossy: statement.extracting(0..<end)) == keyword else { return nil }
        guard let start = statement.offset(of: UInt8(ascii: "\""), from: end),
            let close = statement.offset(of: UInt8(ascii: "\""), from: start + 1)
        else { throw unclear }
        return String(lossy: statement.extracting((start + 1)..<close))
    }
}

/// The statement by which a configuration in HCL names the helper.
package struct HelperStatement: Sendable {
    let keyword: String
    /// Whether a helper of that name is ours.
    let isOurs: @Sendable (String) -> Bool

    func state(of text: RawSpan) throws(SetupRefusal) -> ConfigurationState {
        guard let statement = try HCLStatement(keyword, in: text) else { return .none }
        let shown = "\(keyword) \(Display.plain(statement.name))"
        return isOurs(statement.name) ? .ours(shown) : .other(shown)
    }

    package func edit(_ text: RawSpan, line: String) throws(SetupRefusal) -> TextEdit? {
        switch try state(of: text) {
        case .ours: return nil
        case .other(let name): throw .taken(name, hint: "to change it, put this in its place: \(line)")
        case .none, .unreadable: return AppendedLines.edit(appending: [line], to: text)
        }
    }

    package func removal(from text: RawSpan) throws(SetupRefusal) -> AppendedLines.Removal? {
        guard case .ours = try state(of: text), let statement = try HCLStatement(keyword, in: text) else { return nil }
        guard let removal = AppendedLines.removal(of: statement.range, from: text) else {
            throw .unclear("other text is on the line of \(keyword)")
        }
        return removal
    }
}

/// A client whose configuration in HCL names the helper in one statement.
protocol HCLSetup: FileSetup {
    static var statement: HelperStatement { get }
    func line(_ call: SetupCall) -> String
}

extension HCLSetup {
    func newFile(_ call: SetupCall) -> String { AppendedLines.newFile([line(call)]) }

    func instructions(_ call: SetupCall) -> [String] {
        ["in \(call.user.shown(path(for: call.user))):", "  \(line(call))"]
    }

    func removalInstructions(_ call: SetupCall) -> [String] {
        ["take out of \(call.user.shown(path(for: call.user))):", "  \(line(call))"]
    }

    func state(of text: RawSpan) throws(SetupRefusal) -> ConfigurationState { try Self.statement.state(of: text) }

    func edit(_ text: RawSpan, _ call: SetupCall) throws(SetupRefusal) -> TextEdit? {
        try Self.statement.edit(text, line: line(call))
    }

    func removal(from text: RawSpan) throws(SetupRefusal) -> AppendedLines.Removal? {
        try Self.statement.removal(from: text)
    }
}

/// terraform, which looks for helpers in its own folder only.
package struct TerraformSetup: HCLSetup {
    package static let statement = HelperStatement(keyword: "credentials_helper") { $0 == "skr" }

    func path(for user: SetupUser) -> String { user.variable("TF_CLI_CONFIG_FILE") ?? user.path(".terraformrc") }

    func line(_ call: SetupCall) -> String { #"credentials_helper "skr" {}"# }

    func linkFolder(for user: SetupUser) -> String? { user.path(".terraform.d/plugins") }
}

/// vault, and what shares its protocol.
package struct VaultSetup: HCLSetup {
    package static let statement = HelperStatement(keyword: "token_helper") { $0.hasSuffix("/skr-vault") }

    func path(for user: SetupUser) -> String { user.variable("VAULT_CONFIG_PATH") ?? user.path(".vault") }

    func line(_ call: SetupCall) -> String { #"token_helper = "\#(call.linkPath)""# }
}
