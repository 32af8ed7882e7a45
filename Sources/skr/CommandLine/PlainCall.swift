import CommandSupport

/// Parses a plain call of a hot verb, for which the start of the argument parser would take several times as long as
/// the work.
///
/// It knows only the forms below. The argument parser parses everything else: what is unusual, wrong or asks for help.
/// Tests compare the two.
struct PlainCall {
    private let words: CommandLineWords
    /// Where the verb's own words end.
    private let end: Int
    private var position = 1
    // Not optional: to copy an optional string, its type is looked up at run time, which takes as long as a get.
    private var (service, account, scope, namespace) = ("", "", "", "")
    /// How many words are no options.
    private var count = 0
    private var (hasScope, hasNamespace) = (false, false)
    private var isPlain = true

    init(_ words: CommandLineWords) {
        self.words = words
        end = words.count
    }

    /// With a command behind `--`; `nil` where there is none.
    init?(launching words: CommandLineWords) {
        guard let end = words.terminator else { return nil }
        self.words = words
        self.end = end
    }

    /// The next option that is the verb's own; `nil` at the end.
    mutating func nextOption() -> String? {
        while isPlain, position < end {
            guard let word = words[position] else { break }
            position += 1
            switch word {
            case _ where word.utf8.first != UInt8(ascii: "-"):
                count += 1
                switch count {
                case 1: service = word
                case 2: account = word
                default: isPlain = false
                }
            case "--scope":
                guard !hasScope, let name = value() else { return unusual() }
                (scope, hasScope) = (name, true)
            case "--namespace":
                guard !hasNamespace, let name = value() else { return unusual() }
                (namespace, hasNamespace) = (name, true)
            default: return word
            }
        }
        if position < end { isPlain = false }
        return nil
    }

    /// The option's value; if there is none, or if it looks like an option, the call is not plain.
    mutating func value() -> String? {
        guard position < end, let value = words[position], value.utf8.first != UInt8(ascii: "-") else {
            return unusual()
        }
        position += 1
        return value
    }

    mutating func duration() -> Duration? {
        guard let value = value() else { return nil }
        let duration = DurationText.parse(value)
        isPlain = duration != nil && !isUnitNext(after: value)
        return duration
    }

    mutating func timeout() -> TimeoutArgument? {
        guard let value = value() else { return nil }
        let timeout = TimeoutArgument(argument: value)
        isPlain = timeout != nil && !isUnitNext(after: value)
        return timeout
    }

    /// Whether the next word looks like the unit of this number, which the argument parser's caller refuses.
    private func isUnitNext(after number: String) -> Bool {
        guard position < end, let next = words[position] else { return false }
        return LikelyMistake.isUnit(next, after: number)
    }

    /// The item that is named; `nil` if the call is not plain.
    func target() -> Target? {
        guard count == 1 || count == 2, let place = placeOfPlainCall() else { return nil }
        return Target(place: place, service: service, account: count == 2 ? account : nil)
    }

    /// The one word that is no option, and the place.
    func named() -> (name: String, place: Place)? {
        guard count == 1, let place = placeOfPlainCall() else { return nil }
        return (service, place)
    }

    /// The place, in a call with options only.
    func place() -> Place? { count == 0 ? placeOfPlainCall() : nil }

    /// The command behind `--`.
    var command: CommandLineWords { words.suffix(from: end + 1) }

    private func placeOfPlainCall() -> Place? {
        isPlain ? try? Place(scopeNamed: hasScope ? scope : nil, namespace: hasNamespace ? namespace : nil) : nil
    }

    private mutating func unusual() -> String? {
        isPlain = false
        return nil
    }
}
