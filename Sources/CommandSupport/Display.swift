import Keyutils

/// Makes text safe to show on a terminal.
package enum Display {
    /// Quotes a word from the command line or from a file, and cuts it if it would fill the screen.
    package static func quoted(_ text: String) -> String {
        let limit = 100
        let start = plain(String(text.unicodeScalars.prefix(limit)))
        return "'\(start)\(text.unicodeScalars.count > limit ? "..." : "")'"
    }

    /// Quotes a word for a shell, even if it has characters that can't be shown.
    ///
    /// fish reads the result too, or refuses it: in its quotes, a backslash protects a quote.
    package static func shellWord(_ text: String) -> String { word(text, isASCII: !TextEncoding.isUsual) }

    /// Quotes a word for a client's configuration, from which `sh` runs it later.
    package static func storedWord(_ text: String) -> String { word(text, isASCII: false) }

    private static func word(_ text: String, isASCII: Bool) -> String {
        let special = "'\\".unicodeScalars
        if text.unicodeScalars.contains(where: isUnseen)
            || isASCII && !text.utf8.allSatisfy({ $0 < 0x80 })
        {
            let isShown = { (scalar: Unicode.Scalar) in
                (" "..."~").contains(scalar) && !special.contains(scalar)
            }
            return "$'\(replacing({ !isShown($0) }, in: text) { bytes(of: $0, after: #"\x"#) })'"
        }
        let isPlain = text.utf8.allSatisfy { $0.isLetter || $0.isDigit || $0 >= 0x80 || "-_./:@%+,=".utf8.contains($0) }
        return isPlain && !text.isEmpty ? text : "'\(replacing(special.contains, in: text) { "'\\\($0)'" })'"
    }

    /// Returns a space and an option with its value, as a user types them.
    package static func option(_ name: String, _ value: String) -> String {
        " \(name)\(value.hasPrefix("-") ? "=" : " ")\(shellWord(value))"
    }

    /// Replaces control characters and invisible characters by their percent-encoding.
    package static func plain(_ text: String) -> String {
        replacing(isUnseen, in: text) { bytes(of: $0, after: "%") }
    }

    /// Replaces control characters and invisible characters in JSON by JSON escapes, which mean the same.
    ///
    /// A newline stays: it is the only one of these characters that appears outside of the strings in our JSON.
    package static func plainJSON(_ text: String) -> String {
        replacing(isUnseen, in: text) { scalar in
            scalar == "\n"
                ? "\n" : scalar.utf16.map { "\\u" + $0.hexadecimal(digits: 4, uppercase: true) }.joined()
        }
    }

    /// Replaces scalars, not characters: a combining character after a quote would hide it.
    private static func replacing(
        _ isReplaced: (Unicode.Scalar) -> Bool, in text: String, by replacement: (Unicode.Scalar) -> String
    ) -> String {
        guard text.unicodeScalars.contains(where: isReplaced) else { return text }
        var plain = ""
        for scalar in text.unicodeScalars {
            if isReplaced(scalar) { plain += replacement(scalar) } else { plain.unicodeScalars.append(scalar) }
        }
        return plain
    }

    /// Returns whether this is a control character, changes the direction of writing, or breaks a line.
    private static func isUnseen(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }

    /// Returns the character's bytes in UTF-8, each as two digits after this mark.
    private static func bytes(of scalar: Unicode.Scalar, after mark: String) -> String {
        (UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            .map { mark + $0.hexadecimal(digits: 2, uppercase: true) }.joined()
    }
}
