import Keyutils

/// The words of a command line, from which a verb takes its options and words.
///
/// A verb's initialiser is its definition: it calls one function for each option and word, and that call has the name,
/// the help and the completion. So an option is spelled once, and nothing is built that the call doesn't use: the texts
/// are constants. To describe a verb, for help, manual pages and completion, the same initialiser runs with words that
/// also record its calls.
///
/// A verb takes its options first, then its command, then its words. An option's value is the next word, unless that
/// begins with a dash, or the rest of the same word: `--name value`, `--name=value`, `-nvalue`. Options can come before
/// or after the words; if one is repeated, each value is checked, and the last one counts. After `--`, there are only
/// words, or the command to run.
///
/// Reading never fails. ``check(known:)`` reports the mistake that explains most, so that `--ttl 8h` is an unknown
/// option and not a missing word.
///
/// Swift starts quickly if its runtime builds no types. So this code uses neither property wrappers nor key paths,
/// dictionaries of options or casts to protocols, and makes arrays of our types only for help.
package struct CommandWords {
    /// The words before `--`.
    package let strings: [String]
    /// For each of these words, whether it has been taken: 0 or 1.
    private var isTaken: [UInt8]
    /// The words after `--`; `nil` without a `--`.
    private let rest: CommandLineWords?
    private var takenOfRest = 0
    private var launches = false
    private let isStrict: Bool
    private var problem: CommandError?
    /// The positions of words that begin with a dash where a value was expected.
    private var blocked: [Int] = []
    /// The option whose value would be the next word; empty for none.
    package private(set) var pending = ""
    /// For each value of the option that was read last: the option as the user wrote it, and the word after the value.
    private(set) var written: (options: [String], following: [String]) = ([], [])
    /// Whether a word can be a secret by mistake, so that no error shows it.
    package var mayBeSecret = false
    /// The verb's declarations; `nil` unless it is being described.
    package private(set) var arguments: [Argument]?

    /// Creates the words of a command line.
    ///
    /// - Parameter isStrict: whether an option that is given twice is a mistake.
    package init(_ strings: [String], rest: CommandLineWords? = nil, isStrict: Bool = false, describing: Bool = false) {
        (self.strings, self.rest, self.isStrict) = (strings, rest, isStrict)
        isTaken = Array(repeating: 0, count: strings.count)
        arguments = describing ? [] : nil
    }

    package init(_ line: CommandLineWords) {
        let end = line.terminator
        do throws(CommandError) {
            self.init(try line.strings(before: end), rest: end.map { line.suffix(from: $0 + 1) })
        } catch {
            self.init([])
            problem = error
        }
    }

    /// Whether a word asks for help.
    package var asksForHelp: Bool { strings.contains { $0 == "--help" || $0 == "-h" } }

    // MARK: Options

    package mutating func flag(_ name: String, _ help: String) -> Bool {
        var given: [String] = []
        for position in strings.indices where isTaken[position] == 0 {
            switch Self.spelling(of: name, "", in: strings[position]) {
            case .other: continue
            case .alone: given.append("")
            case .with: fail("\(name) takes no value")
            case .oneDash: failOneDash(name)
            }
            isTaken[position] = 1
        }
        note(Argument(kind: .flag, name: name, help: help), given)
        return !given.isEmpty
    }

    /// Returns the option's last value.
    package mutating func option(
        _ name: String, _ short: String = "", value: String, _ help: String, _ values: Argument.Values = .none,
        variable: String = ""
    ) -> String? {
        options(name, short, value: value, help, values, variable: variable, isRepeating: false).last
    }

    /// Returns all values of an option that can be repeated.
    package mutating func options(
        _ name: String, _ short: String = "", value: String, _ help: String, _ values: Argument.Values = .none,
        variable: String = "", isRepeating: Bool = true
    ) -> [String] {
        var found: [String] = []
        written = ([], [])
        for position in strings.indices where isTaken[position] == 0 {
            var end = position + 1
            switch Self.spelling(of: name, short, in: strings[position]) {
            case .other: continue
            case .oneDash:
                isTaken[position] = 1
                failOneDash(name)
                continue
            case .with(let value): found.append(value)
            case .alone where end < strings.count && !Self.isOption(strings[end]):
                found.append(strings[end])
                isTaken[end] = 1
                end += 1
            case .alone:
                if end == strings.count { pending = name } else { blocked.append(end) }
                isTaken[position] = 1
                fail("\(name) needs a value", hint: missingHint(name, value, values, isLast: end == strings.count))
                continue
            }
            isTaken[position] = 1
            written.options.append(Self.name(in: strings[position]))
            written.following.append(end < strings.count ? strings[end] : "")
        }
        note(
            Argument(
                kind: .option, name: name, short: short, value: value, help: help, values: values, variable: variable,
                isRepeating: isRepeating), found)
        return found
    }

    private func missingHint(_ name: String, _ value: String, _ values: Argument.Values, isLast: Bool) -> String? {
        if value.hasPrefix("DURATION") {
            return "write it as \(DurationText.forms)\(value.hasSuffix("never") ? ", or never" : "")"
        }
        if case .choice(let words) = values { return "use \(Argument.listed(words))" }
        return isLast ? nil : "if it begins with a dash, write \(name)=VALUE"
    }

    private enum Spelling {
        /// The word is something else.
        case other
        /// The word is the option's long name with one dash, which is a mistake.
        case oneDash
        /// The value is the next word.
        case alone
        /// The value is the rest of the word.
        case with(String)
    }

    private static func spelling(of name: String, _ short: String, in word: String) -> Spelling {
        let bytes = word.utf8
        if bytes.starts(with: name.utf8) {
            let end = bytes.dropFirst(name.utf8.count)
            if end.isEmpty { return .alone }
            return end.first == UInt8(ascii: "=") ? .with(String(Substring(end.dropFirst()))) : .other
        }
        // Not `-n` with the value `ame=value`.
        if name.utf8.count > 3, Self.name(in: word).utf8.elementsEqual(name.utf8.dropFirst()) { return .oneDash }
        guard !short.isEmpty, bytes.starts(with: short.utf8) else { return .other }
        let end = bytes.dropFirst(short.utf8.count)
        if end.isEmpty { return .alone }
        return .with(String(Substring(end.first == UInt8(ascii: "=") ? end.dropFirst() : end)))
    }

    /// Whether the word is an option, which a single dash isn't.
    private static func isOption(_ word: String) -> Bool {
        word.utf8.first == UInt8(ascii: "-") && word.utf8.count > 1
    }

    /// Returns the option in a word, without its value.
    static func name(in word: String) -> String {
        Self.isOption(word) ? String(word.utf8.prefix { $0 != UInt8(ascii: "=") }) ?? word : word
    }

    // MARK: Words

    /// Returns the next word; without one, the empty word, which ``check(known:)`` reports.
    package mutating func word(_ name: String, _ help: String, _ values: Argument.Values = .none) -> String {
        let word = next()
        if word == nil { fail("no \(name) is given") }
        note(Argument(kind: .word, name: name, help: help, values: values, isRequired: true), word.map { [$0] } ?? [])
        return word ?? ""
    }

    package mutating func optionalWord(_ name: String, _ help: String, _ values: Argument.Values = .none) -> String? {
        let word = next()
        note(Argument(kind: .word, name: name, help: help, values: values), word.map { [$0] } ?? [])
        return word
    }

    /// Returns all words that are left.
    package mutating func words(_ name: String, _ help: String, _ values: Argument.Values = .none) -> [String] {
        var words: [String] = []
        while let word = next() { words.append(word) }
        note(Argument(kind: .word, name: name, help: help, values: values, isRepeating: true), words)
        return words
    }

    /// Returns all words as they are, even those that look like options.
    package mutating func text(_ name: String, _ help: String) -> [String] {
        var text = strings
        isTaken = Array(repeating: 1, count: strings.count)
        if rest != nil { text.append("--") }
        while let word = nextOfRest() { text.append(word) }
        note(Argument(kind: .word, name: name, help: help, isRepeating: true), text)
        return text
    }

    /// Returns the command after `--`, which nothing reads; `nil` without a `--`.
    package mutating func command(_ help: String, isRequired: Bool = false) -> CommandLineWords? {
        launches = true
        if isRequired, rest?.count ?? 0 == 0 { fail("no command to run") }
        note(Argument(kind: .command, name: "CMD", help: help, isRequired: isRequired), rest == nil ? [] : [""])
        return rest
    }

    private mutating func next() -> String? {
        for position in strings.indices where isTaken[position] == 0 && !Self.isOption(strings[position]) {
            isTaken[position] = 1
            return strings[position]
        }
        return launches ? nil : nextOfRest()
    }

    private mutating func nextOfRest() -> String? {
        guard let rest, takenOfRest < rest.count else { return nil }
        defer { takenOfRest += 1 }
        if let word = rest[takenOfRest] { return word }
        fail("argument \(rest.offset + takenOfRest + 1) is not valid UTF-8", hint: "use only UTF-8 text")
        return ""
    }

    // MARK: Mistakes

    /// Notes a mistake; the first one counts.
    package mutating func fail(_ message: String, hint: String? = nil) {
        if problem == nil { problem = .usage(message, hint: hint) }
    }

    private mutating func failOneDash(_ name: String) {
        fail("unknown option '\(name.dropFirst())'", hint: "did you mean '\(name)'?")
    }

    /// Throws the mistake that explains most: an option that nobody has read, the first mistake while reading, or a
    /// superfluous word.
    ///
    /// No error shows the value of an unknown option, which can be a secret.
    ///
    /// - Parameter known: returns the error for an unknown option, if there is a better one.
    package mutating func check(known: (_ option: String) -> CommandError? = { _ in nil }) throws(CommandError) {
        let forgotten = launches && rest == nil ? "write the command after '--'" : nil
        for position in strings.indices where isTaken[position] == 0 && Self.isOption(strings[position]) {
            if blocked.contains(position), let problem { throw problem }
            let name = Self.name(in: strings[position])
            if let error = known(name) { throw error }
            let isShort = !name.hasPrefix("--") && mayBeSecret
            throw .usage(
                "unknown option \(Display.quoted(isShort ? String(name.unicodeScalars.prefix(2)) : name))",
                hint: forgotten)
        }
        let word = problem == nil ? next() : nil
        if let problem { throw problem }
        guard let word else { return }
        throw .usage(
            mayBeSecret ? "too many words" : "unexpected word \(Display.quoted(word))",
            hint: takenOfRest > 0 ? "remove '--' and the words after it" : forgotten)
    }

    /// Records what the verb declares, if it is being described, and refuses an option that is given twice, if it must.
    private mutating func note(_ argument: @autoclosure () -> Argument, _ given: [String]) {
        if isStrict, given.count > 1, !argument().isRepeating {
            fail("\(argument().name) is given twice", hint: "remove one of them")
        }
        guard arguments != nil else { return }
        var argument = argument()
        argument.given = given
        arguments?.append(argument)
    }
}
