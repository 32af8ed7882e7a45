import Keyutils

/// The words of a command line, from which a verb takes its options and words.
///
/// A verb's initialiser is its definition: it calls one function for each option and word, and that call has the name,
/// the help and the completion. So nothing is parsed twice, and nothing is built that the call doesn't use: the texts are
/// constants. To describe a verb, for help, manual pages and completion, the same initialiser runs with words that also
/// record its calls.
///
/// A verb takes its options first, then its command, then its words. An option's value is the next word, unless that
/// begins with a dash, or the rest of the same word: `--name value`, `--name=value`, `-nvalue`. An option can come before
/// or after the words; if it is repeated, the last value counts. After `--`, there are only words, or the command to run.
///
/// Reading never fails. ``check(_:)`` reports the mistake that explains most, so that `--ttl 8h` is an unknown option and
/// not a missing word.
///
/// Swift starts quickly if its runtime has no types to build. So there are no property wrappers, no key paths, no
/// dictionaries of options and no casts to protocols here, and no arrays of our own types unless help needs them.
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
    /// The option whose value would be the next word; empty for none.
    package private(set) var pending = ""
    /// The position of a word that begins with a dash where a value was expected; -1 for none.
    private var blocked = -1
    /// The option that was read last, as it was written, with the value if that is in the same word.
    private(set) var spelling = ""
    /// The word after its value; empty if there isn't one.
    private(set) var following = ""
    /// What the verb has declared; `nil` unless it is being described.
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
        var count = 0
        for position in strings.indices where strings[position].hasPrefix(name) && isTaken[position] == 0 {
            let end = strings[position].utf8.dropFirst(name.utf8.count)
            guard end.isEmpty || end.first == UInt8(ascii: "=") else { continue }
            if !end.isEmpty { fail("\(name) takes no value") }
            count += 1
            isTaken[position] = 1
        }
        note(Argument(kind: .flag, name: name, help: help), Array(repeating: "", count: count))
        return count > 0
    }

    /// Returns the option's last value.
    package mutating func option(
        _ name: String, _ short: String = "", value: String, _ help: String, _ values: Argument.Values = .none,
        variable: String = ""
    ) -> String? {
        let found = read(name, short, value)
        note(
            Argument(
                kind: .option, name: name, short: short, value: value, help: help, values: values, variable: variable),
            found)
        return found.last
    }

    /// Returns all values of an option that can be repeated.
    package mutating func options(
        _ name: String, _ short: String = "", value: String, _ help: String, _ values: Argument.Values = .none
    ) -> [String] {
        let found = read(name, short, value)
        note(
            Argument(
                kind: .option, name: name, short: short, value: value, help: help, values: values, isRepeating: true),
            found)
        return found
    }

    private mutating func read(_ name: String, _ short: String, _ value: String) -> [String] {
        var found: [String] = []
        for position in strings.indices where isTaken[position] == 0 {
            var end = position + 1
            switch Self.spelling(of: name, short, in: strings[position]) {
            case .other: continue
            case .with(let value): found.append(value)
            case .alone where end < strings.count && !Self.isOption(strings[end]):
                found.append(strings[end])
                isTaken[end] = 1
                end += 1
            case .alone:
                blocked = end
                let isLast = end == strings.count
                if isLast { pending = name }
                let isDuration = value.hasPrefix("DURATION")
                fail(
                    "\(name) needs a value",
                    hint: isDuration
                        ? "write it as \(DurationText.forms)"
                        : isLast ? nil : "if it begins with a dash, write \(name)=VALUE")
            }
            isTaken[position] = 1
            spelling = strings[position]
            following = end < strings.count ? strings[end] : ""
        }
        return found
    }

    private enum Spelling {
        /// The word is something else.
        case other
        /// The value is the next word.
        case alone
        /// The value is the rest of the word.
        case with(String)
    }

    private static func spelling(of name: String, _ short: String, in word: String) -> Spelling {
        let word = word.utf8
        if word.starts(with: name.utf8) {
            let end = word.dropFirst(name.utf8.count)
            if end.isEmpty { return .alone }
            return end.first == UInt8(ascii: "=") ? .with(String(Substring(end.dropFirst()))) : .other
        }
        guard !short.isEmpty, word.starts(with: short.utf8) else { return .other }
        let end = word.dropFirst(short.utf8.count)
        if end.isEmpty { return .alone }
        return .with(String(Substring(end.first == UInt8(ascii: "=") ? end.dropFirst() : end)))
    }

    /// Whether the word is an option. A single dash isn't one.
    private static func isOption(_ word: String) -> Bool {
        word.utf8.first == UInt8(ascii: "-") && word.utf8.count > 1
    }

    // MARK: Words

    /// Returns the next word; without one, the empty word, which ``check(_:)`` reports.
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
        isTaken = Array(repeating: 0, count: strings.count)
        var text = strings
        for position in strings.indices { isTaken[position] = 1 }
        if let rest {
            text.append("--")
            while takenOfRest < rest.count, let word = nextOfRest() { text.append(word) }
        }
        note(Argument(kind: .word, name: name, help: help, isRepeating: true), text)
        return text
    }

    /// Returns the command after `--`, which nothing reads; `nil` without a `--`.
    package mutating func command(_ help: String, isRequired: Bool = false) -> CommandLineWords? {
        launches = true
        if isRequired, rest?.count ?? 0 == 0 { fail("no command to run", hint: "write it after '--'") }
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
        guard let word = rest[takenOfRest] else {
            fail("argument \(strings.count + takenOfRest + 2) is not valid UTF-8", hint: "use only UTF-8 text")
            return ""
        }
        return word
    }

    // MARK: Mistakes

    /// Notes a mistake; the first one counts.
    package mutating func fail(_ message: String, hint: String? = nil) {
        if problem == nil { problem = .usage(message, hint: hint) }
    }

    /// Throws the mistake that explains most: an option that nobody has read, the first mistake while reading, or a word
    /// too many.
    ///
    /// - Parameter unknown: returns the error for an option that the verb doesn't have.
    package mutating func check(_ unknown: (String) -> CommandError) throws(CommandError) {
        for position in strings.indices where isTaken[position] == 0 && Self.isOption(strings[position]) {
            if position == blocked, let problem { throw problem }
            throw unknown(strings[position])
        }
        if let problem { throw problem }
        if let word = next() {
            throw .usage(
                "unexpected word \(Display.quoted(word))",
                hint: takenOfRest > 0 ? "remove '--' and the words after it" : nil)
        }
    }

    /// Records what the verb declares, if it is being described, and refuses an option that is given twice, if it must.
    private mutating func note(_ argument: @autoclosure () -> Argument, _ given: [String]) {
        if isStrict, given.count > 1 { fail("\(argument().name) is given twice", hint: "remove one of them") }
        guard arguments != nil else { return }
        var argument = argument()
        argument.given = given
        arguments?.append(argument)
    }
}
