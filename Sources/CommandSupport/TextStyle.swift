import Glibc
import Keyutils

/// Colours on a terminal that shows them, plain text elsewhere.
package enum TextStyle {
    case plain, coloured

    package enum Colour: Int {
        case red = 31
        case green = 32
        case yellow = 33
    }

    /// The style for standard output in this environment: see `https://no-color.org`.
    package static var wanted: TextStyle { wanted(on: STDOUT_FILENO) }

    /// Returns the style for this descriptor in this environment.
    package static func wanted(on descriptor: CInt) -> TextStyle {
        guard isatty(descriptor) == 1, !Variable.isSet("NO_COLOR") else { return .plain }
        // A dumb terminal understands only plain text.
        return (try? Variable.value("TERM")) == "dumb" ? .plain : .coloured
    }

    package func paint(_ text: String, _ colour: Colour) -> String {
        self == .coloured && !text.isEmpty ? "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m" : text
    }
}
