import Keyutils

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
    init(of root: any Verb.Type, after words: [String], typing word: String, names: Completion.Names) {
        let start = words.first == "help" ? 1 : 0
        let call = VerbCall(of: root) { start + $0 < words.count ? words[start + $0] : nil }
        let typed = words.dropFirst(start + call.depth)
        let end = typed.firstIndex { $0 == "--" }
        let line = call.words(
            Array(typed[..<(end ?? typed.endIndex)]),
            rest: end.map { CommandLineWords(leaking: Array(typed[($0 + 1)...])) })
        let arguments = line.arguments ?? []
        if start == 1 || !call.verbs.isEmpty && typed.isEmpty && !word.hasPrefix("-") {
            self = .words(typed.isEmpty ? Self.verbs(of: call, hasHelp: start == 0) : [])
        } else if let option = arguments.first(where: { !line.pending.isEmpty && $0.name == line.pending }) {
            self = Self.values(of: option, among: arguments, typing: word, names)
        } else if end != nil, arguments.contains(where: { $0.kind == .command }) {
            self = .command
        } else if end == nil, word.hasPrefix("--"), let sign = word.utf8.firstIndex(of: UInt8(ascii: "=")) {
            let (name, value) = (String(word[..<sign]), String(word[word.utf8.index(after: sign)...]))
            let option = arguments.first { $0.kind == .option && $0.name == name }
            let answer = option.map { Self.values(of: $0, among: arguments, typing: value, names) } ?? .words([])
            self = answer.prefixed(by: "\(name)=")
        } else if end == nil, word.hasPrefix("-") {
            self = .words(Self.options(among: arguments, withShort: word == "-"))
        } else {
            // A word that is not one of the verbs has no continuation.
            let isLost = !call.verbs.isEmpty && typed.contains { !$0.hasPrefix("-") }
            self = isLost ? .words([]) : Self.word(among: arguments, isLast: end != nil, typing: word, names)
        }
    }

    private static func verbs(of call: VerbCall, hasHelp: Bool) -> [Candidate] {
        call.verbs.map { Candidate(word: $0.verb.name, summary: $0.verb.summary) }
            + (hasHelp && call.depth == 0 && !call.verbs.isEmpty
                ? [Candidate(word: "help", summary: "Show the help of a verb.")] : [])
    }

    /// - Parameter isLast: whether no option can follow.
    private static func word(among arguments: [Argument], isLast: Bool, typing word: String, _ names: Completion.Names)
        -> CompletionAnswer
    {
        let next = arguments.first { $0.kind == .word && ($0.isRepeating || $0.given.isEmpty) }
        guard let next else { return .words(isLast ? [] : options(among: arguments)) }
        let answer = values(of: next, among: arguments, typing: word, names)
        // A word that begins with a dash would be an option.
        guard case .words(let candidates) = answer, !isLast else { return answer }
        return .words(candidates.filter { !$0.word.hasPrefix("-") })
    }

    private static func options(among arguments: [Argument], withShort: Bool = false) -> [Candidate] {
        let open = arguments.filter { $0.kind != .word && ($0.isRepeating || $0.given.isEmpty) }
        let known = open.flatMap { argument in
            let spellings = argument.kind == .command ? ["--"] : withShort ? argument.spellings : [argument.name]
            return spellings.map { Candidate(word: $0, summary: argument.help) }
        }
        return known + [Candidate(word: "--help", summary: "Show this help.")]
    }

    private static func values(
        of argument: Argument, among arguments: [Argument], typing word: String, _ names: Completion.Names
    ) -> CompletionAnswer {
        switch argument.values {
        case .none: .words([])
        case .choice(let words): .words(words.split(separator: "|").map { Candidate(word: String($0)) })
        case .files: .files
        case .folders: .directories
        case .names(let kind): .words(names(kind, arguments, word).map { Candidate(word: $0) })
        }
    }

    private func prefixed(by prefix: String) -> CompletionAnswer {
        guard case .words(let candidates) = self else { return self }
        return .words(candidates.map { Candidate(word: prefix + $0.word, summary: $0.summary) })
    }
}
