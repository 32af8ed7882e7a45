import CommandSupport

/// The possible words at the cursor.
enum CompletionAnswer {
    struct Candidate {
        var word: String
        var summary: String?
    }

    case words([Candidate])
    case files
    case directories
    /// A command and its arguments, which the shell completes.
    case command

    /// - Parameters:
    ///   - words: the words before the cursor, without the program's name.
    ///   - word: the start of the word at the cursor.
    init(after words: [String], typing word: String) throws(CommandError) {
        let line = try PartialLine(words)
        if let option = line.pending {
            self = Self.values(of: option, in: line, typing: word)
        } else if line.isTerminated, line.command.launched != nil {
            self = .command
        } else if !line.isTerminated, let (name, value) = PartialLine.split(word) {
            guard let option = line.command.option(named: name) else {
                self = .words([])
                return
            }
            self = Self.values(of: option, in: line, typing: String(value)).prefixed(by: "\(name)=")
        } else if !line.isTerminated, word.hasPrefix("-") {
            self = .words(Self.options(in: line, withShort: word == "-"))
        } else {
            self = Self.positional(in: line, typing: word)
        }
    }

    private static func positional(in line: PartialLine, typing word: String) -> CompletionAnswer {
        guard line.command.verbs.isEmpty else {
            let verbs = line.positionals.isEmpty ? line.command.verbs : []
            return .words(verbs.map { Candidate(word: $0.commandName, summary: $0.abstract) })
        }
        let position = line.positionals.count
        let places = line.command.positionals
        let index = places.indices.contains(position) ? position : places.lastIndex(where: \.isRepeating)
        guard let index else { return .words(line.isTerminated ? [] : options(in: line)) }
        let answer = values(of: places[index], in: line, typing: word)
        // A word that begins with a dash would be an option.
        guard case .words(let candidates) = answer, !line.isTerminated else { return answer }
        return .words(candidates.filter { !$0.word.hasPrefix("-") })
    }

    private static func options(in line: PartialLine, withShort: Bool = false) -> [Candidate] {
        let names = line.command.options.filter { $0.isRepeating || !line.has($0) }.flatMap { option in
            let spellings = withShort ? option.spellings : [option.spelling].compactMap(\.self)
            return spellings.map { Candidate(word: $0, summary: option.abstract) }
        }
        let launched = line.command.launched.map { Candidate(word: "--", summary: $0.abstract) }
        return names + (launched.map { [$0] } ?? [])
    }

    private static func values(
        of argument: ArgumentDefinition, in line: PartialLine, typing word: String
    ) -> CompletionAnswer {
        switch argument.completionKind {
        case .list(let values): .words(values.map { Candidate(word: $0) })
        case .file: .files
        case .directory: .directories
        case .shellCommand(let source):
            .words((NameSource(rawValue: source)?.names(in: line, typing: word) ?? []).map { Candidate(word: $0) })
        case nil: .words([])
        }
    }

    private func prefixed(by prefix: String) -> CompletionAnswer {
        guard case .words(let candidates) = self else { return self }
        return .words(candidates.map { Candidate(word: prefix + $0.word, summary: $0.summary) })
    }
}
