/// Answers the requests of the completion scripts.
///
/// The scripts call `skr ---complete SHELL ...`. The first line of the answer names the kind of completion. The
/// words follow, one per line. On any error, there is neither an answer nor a message, because errors don't
/// belong in a prompt.
package struct Completion {
    /// The word that requests completions; it is neither a verb nor an option.
    package static let word = "---complete"

    /// Returns the names of this kind for a line with these arguments and this word at the cursor.
    package typealias Names = (_ kind: String, _ arguments: [Argument], _ typed: String) -> [String]

    private let root: any Verb.Type
    private let names: Names

    package init(of root: any Verb.Type, names: @escaping Names = { _, _, _ in [] }) {
        (self.root, self.names) = (root, names)
    }

    package func answer(_ arguments: CommandLineWords) {
        guard let words = try? arguments.strings(), words.count > 1 else { return }
        let rest = words.dropFirst(2)
        try? Console.write(words[1] == "bash" ? bash(rest) : plain(rest, isFish: words[1] == "fish"))
    }

    /// Returns the answer for zsh or fish, which quote the words that they insert.
    ///
    /// - Parameter words: the words before the cursor, including the program's name, and the start of the one
    ///   at the cursor.
    private func plain(_ words: ArraySlice<String>, isFish: Bool) -> String {
        guard let last = words.last else { return "" }
        let before = words.dropLast().drop { $0.contains("=") }.dropFirst()
        return answer(after: Array(before), typing: last).text { candidate in
            // Fish doesn't quote a leading `~`.
            if isFish, candidate.word.hasPrefix("~") { return nil }
            return candidate.summary.map { "\(candidate.word)\t\($0)" } ?? candidate.word
        }
    }

    /// - Parameter words: the line up to the cursor, and the end of it that bash will replace.
    private func bash(_ words: ArraySlice<String>) -> String {
        guard words.count == 2, let typed = words.first, let replaced = words.last else { return "" }
        let line = BashLine(typed)
        guard !line.isRedirection else { return CompletionAnswer.files.text { $0.word } }
        let answer = answer(after: Array(line.words.dropFirst()), typing: line.last.text)
        return answer.text { line.last.reply(completingTo: $0.word, replacing: replaced) }
    }
}

extension Completion {
    private func answer(after words: [String], typing word: String) -> CompletionAnswer {
        CompletionAnswer(of: root, after: words, typing: word, names: names)
    }
}

extension CompletionAnswer {
    fileprivate func text(_ line: (Candidate) -> String?) -> String {
        switch self {
        case .words(let candidates): (["words"] + candidates.compactMap(line)).joined(separator: "\n") + "\n"
        case .files: "files\n"
        case .directories: "directories\n"
        case .command: "command\n"
        }
    }
}
