import Keyutils

/// Breaks the lines of a help text, so that a line is wider than the terminal only if one word is.
package struct HelpLayout {
    private let width: Int

    package init(width: Int) {
        self.width = width
    }

    /// Breaks the lines of a help text.
    ///
    /// - Parameter text: a text with each paragraph, and each row of a table, on one line.
    package func text(_ text: String) -> String {
        var isExample = false
        return text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            if line.first?.isUppercase == true, line.last == ":" { isExample = line == "EXAMPLES:" }
            return self.line(line, isExample: isExample)
        }.joined(separator: "\n")
    }

    /// Breaks the lines of a text, and starts each of them in the column after the label.
    package func text(_ text: String, after label: String) -> String {
        after(label) { fill(text.split(separator: " "), indent: $0, hanging: $0) }
    }

    /// Breaks the line of a command after a label, so that a shell still reads it as one line.
    ///
    /// A command with a backslash is not broken, because the backslash can quote the space after it.
    package func command(_ command: String, after label: String) -> String {
        guard DisplayWidth.of(label + command) > width, !command.contains("\\") else { return label + command }
        return after(label) { shellLine(String(repeating: " ", count: $0) + command, indent: $0) }
    }

    /// Puts the label in the place of the first line's indentation.
    private func after(_ label: String, _ lines: (Int) -> String) -> String {
        label + lines(label.count).dropFirst(label.count)
    }

    private func line(_ line: Substring, isExample: Bool) -> String {
        let indent = line.prefix { $0 == " " }.count
        if indent >= Self.leastDescription { return description(line) }
        if let column = indent == 2 && !isExample ? Self.descriptionColumn(of: line) : nil {
            return row(line, column: column)
        }
        guard line.count > width else { return String(line) }
        if isExample || indent >= 4 { return shellLine(line, indent: indent) }
        if line.hasPrefix("USAGE: ") { return fill(Self.words(of: line, joinedBy: "[]"), indent: 0, hanging: 7) }
        return fill(line.split(separator: " "), indent: indent, hanging: indent)
    }

    /// The smallest indentation of a description that has its own line.
    private static let leastDescription = 20

    private static func descriptionColumn(of line: Substring) -> Int? {
        guard let gap = line.dropFirst(2).firstRange(of: "  ") else { return nil }
        let text = line[gap.lowerBound...].drop { $0 == " " }
        return text.isEmpty ? nil : line.distance(from: line.startIndex, to: text.startIndex)
    }

    /// Returns whether the column leaves too little room for descriptions; they then start on the next line.
    private func isTooFar(_ column: Int) -> Bool { column > width - 24 }

    private func row(_ line: Substring, column: Int) -> String {
        let label = line.prefix(column)
        let words = line.dropFirst(column).split(separator: " ")
        guard isTooFar(column) else {
            return label + String(fill(words, indent: column, hanging: column).dropFirst(column))
        }
        let name = fill(label.split(separator: " "), indent: 2, hanging: 4)
        return "\(name)\n\(fill(words, indent: 6, hanging: 6))"
    }

    private func description(_ line: Substring) -> String {
        let column = line.prefix { $0 == " " }.count
        let indent = isTooFar(column) ? 6 : column
        return fill(line.split(separator: " "), indent: indent, hanging: indent)
    }

    /// Breaks a command so that a shell still reads it as one line.
    private func shellLine(_ line: some StringProtocol, indent: Int) -> String {
        let goesOn = line.hasSuffix(" \\")
        let words = Self.words(of: Substring(line.dropLast(goesOn ? 2 : 0)), quotedBy: "'\"")
        let lines = fill(words, indent: indent, hanging: indent + 4, room: 2).split(separator: "\n")
        return lines.joined(separator: " \\\n") + (goesOn ? " \\" : "")
    }

    /// Breaks words into lines.
    ///
    /// - Parameters:
    ///   - hanging: the indentation of the lines after the first one.
    ///   - room: how many columns stay free at the end of a line.
    private func fill(_ words: [Substring], indent: Int, hanging: Int, room: Int = 0) -> String {
        var lines: [String] = []
        var line = String(repeating: " ", count: indent)
        var isEmpty = true
        for word in words {
            if !isEmpty, DisplayWidth.of(line) + 1 + DisplayWidth.of(String(word)) > width - room {
                lines.append(line)
                line = String(repeating: " ", count: hanging)
                isEmpty = true
            }
            line += isEmpty ? word : " \(word)"
            isEmpty = false
        }
        return (lines + [line]).joined(separator: "\n")
    }

    /// Splits a line into words, keeping the spaces inside of brackets or quotes.
    private static func words(
        of line: Substring, joinedBy brackets: String = "", quotedBy quotes: String = ""
    ) -> [Substring] {
        var (depth, quote): (Int, Character?) = (0, nil)
        return line.split { character in
            if quotes.contains(character), quote == nil || quote == character {
                quote = quote == nil ? character : nil
            } else if let place = brackets.firstIndex(of: character) {
                depth += brackets.distance(from: brackets.startIndex, to: place) % 2 == 0 ? 1 : -1
            }
            return character == " " && depth <= 0 && quote == nil
        }
    }
}
