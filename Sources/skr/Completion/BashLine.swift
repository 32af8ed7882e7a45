/// The words of a command line of bash, as far as the cursor.
///
/// Bash itself hands over pieces, cut at each `:` and `=`, with their quotes.
package struct BashLine {
    /// The word at the cursor.
    package struct Word: Equatable {
        package enum Quoting {
            case none, single, double
            /// `$'...'` and `$"..."`, in which nothing is completed.
            case other
        }

        /// As it was typed.
        package var typed = ""
        /// What it means.
        package var text = ""
        package var quoting = Quoting.none
        /// Whether it ends with a backslash that has nothing to quote yet.
        package var endsInBackslash = false

        fileprivate var isThere: Bool { !typed.isEmpty }
    }

    /// The words before the one at the cursor, with the program's name.
    package private(set) var words: [String] = []
    package private(set) var last = Word()
    /// Whether the word at the cursor is the file of a redirection.
    package private(set) var isRedirection = false

    package init(_ line: String) {
        for scalar in line.unicodeScalars { read(scalar) }
    }

    private mutating func read(_ scalar: Unicode.Scalar) {
        if last.endsInBackslash {
            readQuoted(scalar)
            return
        }
        switch (last.quoting, scalar) {
        case (.none, " "), (.none, "\t"), (.none, "\n"):
            endWord()
            return
        case (.none, "<"), (.none, ">"):
            endWord()
            isRedirection = true
            return
        case (.none, "\\"), (.double, "\\"): last.endsInBackslash = true
        case (.none, "'"): last.quoting = last.typed.hasSuffix("$") ? .other : .single
        case (.none, "\""): last.quoting = last.typed.hasSuffix("$") ? .other : .double
        case (.single, "'"), (.double, "\""): last.quoting = .none
        default: last.text.unicodeScalars.append(scalar)
        }
        last.typed.unicodeScalars.append(scalar)
    }

    /// The character behind a backslash.
    private mutating func readQuoted(_ scalar: Unicode.Scalar) {
        last.endsInBackslash = false
        last.typed.unicodeScalars.append(scalar)
        if last.quoting == .double, !["$", "`", "\"", "\\", "\n"].contains(scalar) { last.text += "\\" }
        if scalar != "\n" { last.text.unicodeScalars.append(scalar) }
    }

    private mutating func endWord() {
        guard last.isThere else { return }
        if !isRedirection { words.append(last.text) }
        isRedirection = false
        last = Word()
    }
}
