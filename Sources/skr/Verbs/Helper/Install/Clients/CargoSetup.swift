import CommandSupport
import CredentialHelpers

/// cargo, whose `config.toml` lists what it asks for tokens.
package struct CargoSetup: FileSetup {
    private static let lines = ["[registry]", #"global-credential-providers = ["cargo-credential-skr"]"#]
    private static let key = "global-credential-providers"

    package init() {}

    func path(for user: SetupUser) -> String {
        let folder = user.variable("CARGO_HOME") ?? user.path(".cargo")
        // Where both are there, cargo reads the one without an extension.
        let isOld = (try? ConfigurationFile("\(folder)/config").text) != nil
        return "\(folder)/\(isOld ? "config" : "config.toml")"
    }

    func newFile(_ call: SetupCall) -> String { AppendedLines.newFile(Self.lines) }

    func instructions(_ call: SetupCall) -> [String] {
        ["in \(call.user.shown(path(for: call.user))):"] + Self.lines.map { "  \($0)" }
            + ["a token that cargo has stored so far is not used then; 'cargo login' stores it in the session"]
    }

    func removalInstructions(_ call: SetupCall) -> [String] {
        ["take out of \(Self.key) in \(call.user.shown(path(for: call.user))):", #"  "cargo-credential-skr""#]
    }

    func state(of text: RawSpan) throws(SetupRefusal) -> ConfigurationState {
        guard let table = try Table(in: text) else { return .none }
        guard let providers = table.providers else { return .none }
        let names = String(lossy: text.extracting(providers))
        return names.contains("cargo-credential-skr") ? .ours("cargo-credential-skr") : .other(Self.key)
    }

    package func edit(_ text: RawSpan) throws(SetupRefusal) -> TextEdit? {
        if case .ours = try state(of: text) { return nil }
        guard try Table(in: text) == nil else {
            throw .taken("a [registry] already", hint: "add to it by hand: \(Self.lines[1])")
        }
        return AppendedLines.edit(appending: Self.lines, to: text)
    }

    func edit(_ text: RawSpan, _ call: SetupCall) throws(SetupRefusal) -> TextEdit? { try edit(text) }

    package func removal(from text: RawSpan) throws(SetupRefusal) -> AppendedLines.Removal? {
        guard case .ours = try state(of: text), let table = try Table(in: text), let providers = table.providers else {
            return nil
        }
        guard String(lossy: text.extracting(providers)) == Self.lines[1] else {
            throw .unclear(
                "its \(Self.key) is not the line that 'skr helper install' adds",
                hint: "take \"cargo-credential-skr\" out of it by hand")
        }
        let isAlone = table.count == 1 && String(lossy: text.extracting(table.header)) == Self.lines[0]
        let range = isAlone ? table.header.lowerBound..<providers.upperBound : providers
        let between = table.header.upperBound..<providers.lowerBound
        guard !isAlone || String(lossy: text.extracting(between)).allSatisfy(\.isWhitespace),
            let removal = AppendedLines.removal(of: range, from: text)
        else { throw .unclear("other text is among what 'skr helper install' adds") }
        return removal
    }

    /// The table `registry`.
    private struct Table {
        let header: Range<Int>
        /// How many keys it has.
        var count = 0
        /// The statement that lists the providers.
        var providers: Range<Int>?

        init?(in text: RawSpan) throws(SetupRefusal) {
            var table: Table?
            var (isBeforeTables, isInside) = (true, false)
            for range in try ConfigurationStatements.reading(text, .toml).ranges {
                let words = try TOMLKey(of: text.extracting(range)).words
                if text[range.lowerBound] == UInt8(ascii: "[") {
                    (isBeforeTables, isInside) = (false, words == ["registry"])
                    guard words.first == "registry" else { continue }
                    guard isInside, table == nil else { throw .unclear("it has several tables called registry") }
                    table = Table(header: range)
                } else if isBeforeTables, words.first == "registry" {
                    throw .unclear("it sets registry without a table")
                } else if isInside {
                    table?.count += 1
                    if words == [CargoSetup.key] { table?.providers = range }
                }
            }
            guard let table else { return nil }
            self = table
        }

        private init(header: Range<Int>) { self.header = header }
    }
}

/// The key of a statement in TOML, or the name of a table.
private struct TOMLKey {
    private(set) var words: [String] = []

    init(of statement: RawSpan) throws(SetupRefusal) {
        var position = 0
        var isHeader = false
        while position < statement.byteCount, statement[position] == UInt8(ascii: "[") {
            isHeader = true
            position += 1
        }
        let end = isHeader ? UInt8(ascii: "]") : UInt8(ascii: "=")
        repeat {
            words.append(try Self.word(of: statement, at: &position))
            guard position < statement.byteCount else { throw Self.unclear }
            position += 1
        } while statement[position - 1] == UInt8(ascii: ".")
        guard statement[position - 1] == end, isHeader || position < statement.byteCount else { throw Self.unclear }
        guard !isHeader || statement[statement.byteCount - 1] == end else { throw Self.unclear }
    }

    private static var unclear: SetupRefusal { .unclear("it is no TOML that is understood for certain") }

    private static func word(of text: RawSpan, at position: inout Int) throws(SetupRefusal) -> String {
        func skipBlanks() { while position < text.byteCount, text[position].isBlank { position += 1 } }
        skipBlanks()
        let start = position
        var word = ""
        if start < text.byteCount, [UInt8(ascii: "\""), UInt8(ascii: "'")].contains(text[start]) {
            guard let end = text.offset(of: text[start], from: start + 1) else { throw unclear }
            word = String(lossy: text.extracting((start + 1)..<end))
            position = end + 1
        } else {
            while position < text.byteCount,
                text[position].isLetter || text[position].isDigit || "_-".utf8.contains(text[position])
            { position += 1 }
            word = String(lossy: text.extracting(start..<position))
        }
        guard !word.isEmpty, !word.contains("\\") else { throw unclear }
        skipBlanks()
        return word
    }
}
