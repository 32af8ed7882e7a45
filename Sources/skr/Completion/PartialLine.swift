import CommandSupport

/// A command line up to the cursor, parsed with the definitions of the verbs.
struct PartialLine {
    /// The last verb so far, or `skr` itself.
    private(set) var command: CommandDefinition
    /// The options so far, each under the name that help uses and with its last value.
    private(set) var options: [(name: String, value: String)] = []
    private(set) var positionals: [String] = []
    /// The option whose value is the next word.
    private(set) var pending: ArgumentDefinition?
    private(set) var isTerminated = false

    /// Reads the words before the one at the cursor, without the program's name.
    init(_ words: [String]) throws(CommandError) {
        let words = RootCommand.asDefined(words)
        let verb = RootCommand.verb(named: words)
        command = try CommandDefinition(of: verb.command, isVerb: !verb.names.isEmpty)
        for word in words.dropFirst(verb.names.count) { read(word) }
    }

    /// The place of the items; `nil` if the line names a scope that doesn't exist.
    var place: Place? { try? Place(scopeNamed: value(of: "--scope"), namespace: value(of: "--namespace")) }

    private func value(of name: String) -> String? {
        options.first { $0.name == name }?.value
    }

    func has(_ option: ArgumentDefinition) -> Bool {
        options.contains { $0.name == option.spelling }
    }

    /// Splits a word such as `--scope=us` into the option and the start of its value.
    static func split(_ word: String) -> (name: Substring, value: Substring)? {
        guard word.hasPrefix("--"), let sign = word.firstIndex(of: "=") else { return nil }
        return (word[..<sign], word[word.utf8.index(after: sign)...])
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
            // The verbs after 'help' belong to this command, so it stays the current one.
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
