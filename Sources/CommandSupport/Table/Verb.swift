import Keyutils

/// A verb of a command, or a command without verbs: its texts, the definition of its words, and what it does.
///
/// The compiler reports what a new verb lacks. Each program has one list of its verbs (``verbs(_:)``).
package protocol Verb: SendableMetatype {
    static var name: String { get }
    /// One sentence.
    static var summary: String { get }
    /// Paragraphs, each on one line, and indented tables; a line in capitals with a colon is a heading.
    static var details: String { get }
    /// Command lines, in the order in which they work.
    static var examples: String { get }
    /// Whether help, completion and manual pages leave it out.
    static var isHidden: Bool { get }

    /// Other names for it.
    static var aliases: [String] { get }
    /// The help, if it is not the usual one; otherwise empty.
    static var overview: String { get }
    /// Whether all of its words are one text, even those that look like options.
    static var takesText: Bool { get }

    /// Calls `visit` with each of its verbs, in the order of the help, until that returns true.
    ///
    /// This is a function and not an array, because an array would be built at every start.
    static func verbs(_ visit: (any Verb.Type) -> Bool) -> Bool

    /// Returns the error for a first word that names no verb; `nil` if the verb itself takes such words.
    static func unknownVerb(_ word: String) -> CommandError?

    /// Takes its options, its command and its words, in this order; see ``CommandWords``.
    init(_ words: inout CommandWords)

    func run() throws
}

extension Verb {
    package static var details: String { "" }
    package static var isHidden: Bool { false }
    package static var aliases: [String] { [] }
    package static var overview: String { "" }
    package static var takesText: Bool { false }
    package static func verbs(_ visit: (any Verb.Type) -> Bool) -> Bool { false }
    package static func unknownVerb(_ word: String) -> CommandError? { nil }
}

/// A verb, and the words that lead to it.
package struct VerbCall: Sendable {
    package let verb: any Verb.Type
    /// The program's name and the verbs' names, as they are called in help.
    package let names: [String]
    /// How many words of the command line name the verb.
    package var depth: Int { names.count - 1 }

    package init(_ verb: any Verb.Type, names: [String]) { (self.verb, self.names) = (verb, names) }

    /// Follows the words from verb to verb, even to hidden ones.
    package init(of root: any Verb.Type, _ word: (Int) -> String?) {
        self = VerbCall(root, names: [root.name]).following(word)
    }

    private func following(_ word: (Int) -> String?) -> VerbCall {
        var (call, count) = (self, 0)
        while let word = word(count), let next = Self.verb(of: call.verb, named: word) {
            call = VerbCall(next, names: call.names + [next.name])
            count += 1
        }
        return call
    }

    /// Returns the verb that has this name, or another name for it.
    private static func verb(of parent: any Verb.Type, named word: String) -> (any Verb.Type)? {
        var found: (any Verb.Type)?
        let visit = { (isMeant: (any Verb.Type) -> Bool) in
            parent.verbs { verb in
                if isMeant(verb) { found = verb }
                return found != nil
            }
        }
        _ = visit { $0.name == word } || visit { $0.aliases.contains { $0 == word } }
        return found
    }

    /// The verb as a user calls it.
    package var line: String { names.joined(separator: " ") }

    /// The verb's declarations, with the values on a command line.
    package func words(_ words: [String] = [], rest: CommandLineWords? = nil) -> CommandWords {
        var words = CommandWords(words, rest: rest, describing: true)
        _ = verb.init(&words)
        return words
    }

    /// The words, the options, and the command to run, as help shows them.
    package var arguments: [Argument] {
        let shown = words().arguments ?? []
        return shown.filter { $0.kind == .word } + shown.filter { $0.kind != .word }
    }

    /// The verbs that help shows.
    package var verbs: [VerbCall] {
        var found: [VerbCall] = []
        _ = verb.verbs { next in
            if !next.isHidden { found.append(VerbCall(next, names: names + [next.name])) }
            return false
        }
        return found
    }

    /// Reads the words of a call, and returns the verb that can run; `nil` if this has printed the help.
    ///
    /// - Parameter hint: returns a hint for an option that the verb doesn't have, if there is a better one than its
    ///   nearest name.
    package func read(
        _ line: CommandLineWords, hint: (_ option: String) -> String? = { _ in nil }
    ) throws(CommandError) -> (any Verb)? {
        if let word = line[0], word.utf8.first != UInt8(ascii: "-"), let error = verb.unknownVerb(word) { throw error }
        var words = CommandWords(line)
        if words.asksForHelp, !verb.takesText {
            try Console.write(HelpText.of(self))
            return nil
        }
        let verb = verb.init(&words)
        do throws(CommandError) {
            let strings = words.strings
            try words.check { name in
                if name == "--help" || name == "-h" { return .usage("\(name) takes no value") }
                if let error = optionBefore(strings) { return error }
                return (hint(name) ?? nearest(name)).map { .usage("unknown option \(Display.quoted(name))", hint: $0) }
            }
        } catch {
            guard error.hint == nil else { throw error }
            let words = arguments.filter { $0.kind == .word || $0.isRequired }
            let usage = words.isEmpty ? "" : ([self.line] + words.map(\.bracketed)).joined(separator: " ") + "; "
            throw .usage(error.message, hint: usage + helpHint)
        }
        return verb
    }

    /// How to see what the verb takes.
    package var helpHint: String {
        if names.count == 1 {
            return verbs.isEmpty ? "'\(line) --help' shows the options" : "'\(line) help' lists the verbs"
        }
        return "'\(names[0]) help \(names.dropFirst().joined(separator: " "))' shows the options"
    }

    private func nearest(_ name: String) -> String? {
        let known = arguments.filter { $0.kind == .option || $0.kind == .flag }.map(\.name) + ["--help"]
        guard name.hasPrefix("--"), let nearest = NearestName.to(name, among: known) else { return nil }
        return "did you mean '\(nearest)'? \(helpHint)"
    }

    /// The error for options that come before the verb to which they belong.
    ///
    /// It shows no values, which can be secrets.
    private func optionBefore(_ words: [String]) -> CommandError? {
        for position in words.indices {
            let call = following { position + $0 < words.count ? words[position + $0] : nil }
            guard call.depth > depth else { continue }
            let known = call.arguments.filter { $0.kind == .option || $0.kind == .flag }
            func argument(_ word: String) -> Argument? {
                known.first { $0.spellings.contains { $0 == CommandWords.name(in: word) } }
            }
            let before = words[..<position].filter { $0.hasPrefix("-") }
            // A word can name a verb and still be the value of an option, as in `--scope session list`.
            let isValue = words[..<position].last.map { argument($0)?.kind == .option && !$0.contains("=") } ?? false
            guard !isValue, before.allSatisfy({ argument($0) != nil }) else { continue }
            let names = before.map(CommandWords.name).map(Display.shellWord)
            return .usage("options come after the verb", hint: ([call.line] + names + ["..."]).joined(separator: " "))
        }
        return nil
    }
}
