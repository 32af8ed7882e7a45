import Glibc

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
        guard isatty(descriptor) == 1, isUnsetOrEmpty("NO_COLOR"), !isDumbTerminal else { return .plain }
        return .coloured
    }

    /// Whether the terminal understands only plain text.
    package static var isDumbTerminal: Bool {
        guard let terminal = unsafe getenv("TERM") else { return false }
        return unsafe strcmp(terminal, "dumb") == 0
    }

    package func paint(_ text: String, _ colour: Colour) -> String {
        self == .coloured && !text.isEmpty ? "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m" : text
    }

    private static func isUnsetOrEmpty(_ name: String) -> Bool {
        guard let value = unsafe getenv(name) else { return true }
        return unsafe value.pointee == 0
    }
}
