import Keyutils

/// Text that is safe to show on a terminal.
package enum Display {
    /// A word of the command line or of a file, cut where it would fill the screen.
    package static func quoted(_ text: String) -> String {
        let limit = 100
        let start = plain(String(text.unicodeScalars.prefix(limit)))
        return "'\(start)\(text.unicodeScalars.count > limit ? "..." : "")'"
    }

    /// A word as a shell takes it, also where it has characters that can't be shown.
    package static func shellWord(_ text: String) -> String {
        if text.unicodeScalars.contains(where: isUnseen) {
            let escaped = text.replacing("\\", with: #"\\"#).replacing("'", with: #"\'"#)
            let shown = replacingUnseen(in: escaped) { scalar in
                (UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
                    .map { "\\x\(hexadecimal(UInt16($0), digits: 2))" }.joined()
            }
            return "$'\(shown)'"
        }
        let isPlain = text.utf8.allSatisfy { $0.isLetter || $0.isDigit || $0 >= 0x80 || "-_./:@%+,=".utf8.contains($0) }
        return isPlain && !text.isEmpty ? text : "'\(text.replacing("'", with: #"'\''"#))'"
    }

    /// An option with its value, as it is typed, with a space before it.
    package static func option(_ name: String, _ value: String) -> String {
        " \(name)\(value.hasPrefix("-") ? "=" : " ")\(shellWord(value))"
    }

    /// The text with control and invisible characters percent-encoded.
    package static func plain(_ text: String) -> String {
        replacingUnseen(in: text) { scalar in
            (UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter).map { "%\(hexadecimal(UInt16($0), digits: 2))" }
                .joined()
        }
    }

    /// JSON with such characters as JSON escapes, which mean the same.
    ///
    /// Outside of strings, the newline is the only one of them in JSON.
    package static func plainJSON(_ text: String) -> String {
        replacingUnseen(in: text) { scalar in
            scalar == "\n"
                ? "\n" : UTF16.encode(scalar).map { $0.map { "\\u\(hexadecimal($0, digits: 4))" }.joined() } ?? ""
        }
    }

    private static func replacingUnseen(in text: String, by replacement: (Unicode.Scalar) -> String) -> String {
        guard text.unicodeScalars.contains(where: isUnseen) else { return text }
        var plain = ""
        for scalar in text.unicodeScalars {
            if isUnseen(scalar) { plain += replacement(scalar) } else { plain.unicodeScalars.append(scalar) }
        }
        return plain
    }

    /// Whether it is a control character, changes the direction of writing, or breaks a line.
    private static func isUnseen(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }

    private static func hexadecimal(_ number: UInt16, digits: Int) -> String {
        let text = String(number, radix: 16, uppercase: true)
        return String(repeating: "0", count: digits - text.count) + text
    }
}
