/// Text in the language of manual pages, mdoc(7).
struct ManualMarkup {
    private(set) var text = ""

    /// A macro with arguments, which are markup already.
    mutating func macro(_ line: String) {
        text += ".\(line)\n"
    }

    /// Running text: each sentence begins a line, as the language wants it, and no line is long.
    mutating func paragraph(_ paragraph: String) {
        var line = ""
        for word in paragraph.split(separator: " ") {
            if line.utf8.count + word.utf8.count > 70 || line.hasSuffix(".") || line.hasSuffix(":") {
                self.line(line)
                line = ""
            }
            line += line.isEmpty ? String(word) : " \(word)"
        }
        if !line.isEmpty { self.line(line) }
    }

    /// Lines as they are.
    mutating func literal(_ lines: [String]) {
        macro("Bd -literal -offset indent")
        for line in lines { self.line(line) }
        macro("Ed")
    }

    private mutating func line(_ line: String) {
        let escaped = Self.escape(line)
        text += (line.hasPrefix(".") || line.hasPrefix("'") ? "\\&" : "") + escaped + "\n"
    }

    /// The text so that each character is printed as it is: troff makes typographic ones of some.
    static func escape(_ text: String) -> String {
        text.map { character in
            switch character {
            case "\\": "\\e"
            case "-": "\\-"
            case "'": "\\(aq"
            case "`": "\\(ga"
            case "^": "\\(ha"
            case "~": "\\(ti"
            case "\"": "\\(dq"
            default: String(character)
            }
        }.joined()
    }
}
