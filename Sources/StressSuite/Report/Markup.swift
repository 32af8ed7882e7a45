/// A piece of the page: its literals are markup, and its interpolated values are escaped text.
///
/// If the literals are both HTML and well-formed XML, so is the result.
struct Markup: ExpressibleByStringInterpolation {
    private(set) var source = ""

    init(stringLiteral source: String) {
        self.source = source
    }

    init(stringInterpolation: StringInterpolation) {
        source = stringInterpolation.source
    }

    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var source = ""

        init(literalCapacity: Int, interpolationCount: Int) {}

        mutating func appendLiteral(_ literal: String) { source += literal }
        mutating func appendInterpolation(_ text: String) { source += Markup.escape(text) }
        mutating func appendInterpolation(_ number: Int) { source += "\(number)" }
        /// Appends a coordinate.
        mutating func appendInterpolation(_ number: Double) { source += Figures.fixed(number, decimals: 1) }
        mutating func appendInterpolation(_ part: Markup?) { source += part?.source ?? "" }
        mutating func appendInterpolation(_ parts: [Markup?]) { for part in parts { source += part?.source ?? "" } }
    }

    /// Escapes text, for use as content or as the value of an attribute.
    ///
    /// Characters that XML can't hold at all become the replacement character.
    private static func escape(_ text: String) -> String {
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
