import CommandSupport

/// A command line as far as the cursor, read by the definitions.
struct PartialLine {
    /// The last verb so far, or the command itself.
    private(set) var command: CommandDefinition
    /// The options so far, by the name that help uses, each with its last value.
    private(set) var options: [(name: String, value: String)] = []
    private(set) var positionals: [String] = []
    /// The option whose value is the next word.
    private(set) var pending: ArgumentDefinition?
    private(set) var isTerminated = false

    /// Reads the words before the one at the cursor; without the program's name.
    init(_ words: [String], root: CommandDefinition) {
        command = root
        for word in RootCommand.asDefined(words) { read(word) }
    }

    /// Where the items are; `nil` where the line names a scope that does not exist.
    var place: Place? { try? Place(scopeNamed: value(of: "--scope"), namespace: value(of: "--namespace")) }

    private func value(of name: String) -> String? {
        options.first { $0.name == name }?.value
    }

    func has(_ option: ArgumentDefinition) -> Bool {
        options.contains { $0.name == option.spelling }
    }

    /// An option and the start of its value in one word, `--scope=us`.
    static func split(_ word: String) -> (name: Substring, value: Substring)? {
        guard word.hasPrefix("--"), let sign = word.firstIndex(of: "=") else { return nil }
        return (word[..<sign], word[word.index(after: sign)...])
    }

    private mutating func read(_ word: String) {
        if let option = pending {
            set(option, value: word)
            pending = nil
        } else if isTerminated {
            positionals.append(word)
        } else if word == "--" {
            isTerminated = true
        } else if word.hasPrefix("-"), word != "-" {
            readOption(word)
        } else if positionals.isEmpty, let known = command.verb(named: word) {
            // Behind 'help' are the names of verbs.
            if word != "help" { command = known }
        } else {
            positionals.append(word)
        }
    }

    private mutating func readOption(_ word: String) {
        if let (name, value) = Self.split(word) {
            if let option = command.option(named: name) { set(option, value: String(value)) }
        } else if let option = command.option(named: word[...]) {
            if option.kind == .option { pending = option } else { set(option, value: "") }
        }
    }

    private mutating func set(_ option: ArgumentDefinition, value: String) {
        guard let name = option.spelling else { return }
        options.removeAll { $0.name == name }
        options.append((name, value))
    }
}
