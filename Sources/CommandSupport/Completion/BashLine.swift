/// The words of a bash command line up to the cursor.
///
/// This type splits the line itself, because bash splits words at each `:` and `=` and keeps their quotes.
package struct BashLine {
    /// The word at the cursor.
    package struct Word: Equatable {
        package enum Quoting {
            case none, single, double
            /// `$'...'` and `$"..."`, in which nothing is completed.
            case other
        }

        /// The word exactly as typed.
        package var typed = ""
        /// The text that the shell reads from it.
        package var text = ""
        package var quoting = Quoting.none
        /// Whether it ends with a backslash that doesn't quote anything yet.
        package var endsInBackslash = false
    }

    /// The words before the one at the cursor, including the program's name.
    package private(set) var words: [String] = []
    package private(set) var last = Word()
    /// Whether the word at the cursor is the file name of a redirection.
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

    /// Reads the character after a backslash.
    private mutating func readQuoted(_ scalar: Unicode.Scalar) {
        last.endsInBackslash = false
        last.typed.unicodeScalars.append(scalar)
        if last.quoting == .double, !["$", "`", "\"", "\\", "\n"].contains(scalar) { last.text += "\\" }
        if scalar != "\n" { last.text.unicodeScalars.append(scalar) }
    }

    private mutating func endWord() {
        guard !last.typed.isEmpty else { return }
        if !isRedirection { words.append(last.text) }
        isRedirection = false
        last = Word()
    }
}

extension BashLine.Word {
    /// Returns the text that bash must insert instead of `replaced`, so that this word becomes the name.
    ///
    /// `replaced` is the end of this word. The typed text stays unchanged. The rest is quoted, so that the shell reads
    /// exactly the name. If that is not possible, the result is `nil`.
    package func reply(completingTo name: String, replacing replaced: String) -> String? {
        // In another encoding, bash could read a part of the name as a command.
        guard TextEncoding.isUsual || name.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        guard quoting != .other, name.utf8.starts(with: text.utf8), typed.utf8.count >= replaced.utf8.count,
            typed.utf8.suffix(replaced.utf8.count).elementsEqual(replaced.utf8)
        else { return nil }
        guard let rest = String(name.utf8.dropFirst(text.utf8.count)), let quoted = quote(rest) else { return nil }
        let whole = (endsInBackslash ? String(Substring(typed.utf8.dropLast())) : typed) + quoted
        let kept = typed.utf8.count - replaced.utf8.count
        return String(whole.utf8.dropFirst(kept))
    }

    private func quote(_ rest: String) -> String? {
        switch quoting {
        case .none: return Self.escape(rest) { !Self.isPlain($0) }
        case .single: return rest.unicodeScalars.map { $0 == "'" ? #"'\''"# : String($0) }.joined()
        // In double quotes, a backslash that protects a `!` stays in the word.
        case .double where rest.unicodeScalars.contains("!"): return nil
        case .double: return Self.escape(rest) { ["$", "`", "\"", "\\"].contains($0) }
        case .other: return nil
        }
    }

    private static func escape(_ text: String, where isSpecial: (Unicode.Scalar) -> Bool) -> String {
        text.unicodeScalars.map { isSpecial($0) ? "\\\($0)" : String($0) }.joined()
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9": true
        case "_", "-", ".", "/", ":", "=", "@", "%", "+", ",": true
        default: !scalar.isASCII
        }
    }
}
