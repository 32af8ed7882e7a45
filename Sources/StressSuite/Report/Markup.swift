/// A piece of a page: text, which is escaped, or an element, which is always closed.
///
/// What comes out is HTML and well-formed XML at once.
indirect enum Markup {
    case text(String)
    case element(String, [(name: String, value: String)], [Markup])
    /// A style sheet of ours: neither HTML nor XML would take it for anything else.
    case style(String)

    /// An element with its attributes and children.
    static func make(_ name: String, _ attributes: KeyValuePairs<String, String> = [:], _ children: [Markup] = [])
        -> Markup
    {
        .element(name, attributes.map { (name: $0.key, value: $0.value) }, children)
    }

    /// An element without attributes that holds text.
    static func make(_ name: String, _ text: String) -> Markup { .element(name, [], [.text(text)]) }

    /// An element that holds text.
    static func make(_ name: String, _ attributes: KeyValuePairs<String, String>, _ text: String) -> Markup {
        make(name, attributes, [.text(text)])
    }

    var rendered: String {
        var output = ""
        render(to: &output)
        return output
    }

    private func render(to output: inout String) {
        switch self {
        case .text(let text): output += Self.escape(text)
        case .style(let sheet): output += "<style>\n\(sheet)\n</style>"
        case .element(let name, let attributes, let children):
            output += "<\(name)"
            for attribute in attributes { output += " \(attribute.name)=\"\(Self.escape(attribute.value))\"" }
            guard !Self.isVoid(name) else {
                output += " />"
                return
            }
            output += ">"
            for child in children { child.render(to: &output) }
            output += "</\(name)>"
            if Self.endsLine(name) { output += "\n" }
        }
    }

    /// Elements that HTML closes by itself.
    private static func isVoid(_ name: String) -> Bool { name == "meta" || name == "br" }

    private static func endsLine(_ name: String) -> Bool {
        ["head", "title", "header", "section", "svg", "tr", "h1", "h2", "h3", "p", "div", "details", "path"].contains(
            name)
    }

    /// As text and as the value of an attribute; what XML can't hold at all becomes the replacement character.
    static func escape(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            case "\t", "\n": escaped.unicodeScalars.append(scalar)
            case _ where scalar.properties.generalCategory == .control: escaped += "\u{FFFD}"
            case "\u{FFFE}", "\u{FFFF}": escaped += "\u{FFFD}"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
