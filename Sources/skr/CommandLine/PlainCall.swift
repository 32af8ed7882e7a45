import CommandSupport

/// The words of a hot verb's plain call, for which the argument parser's start alone would cost several times what the work
/// does.
///
/// It knows the forms below and no other: whatever is unusual, wrong or asks for help is left to the parser, which then
/// says the same or says what is wrong. A test holds the two against each other.
struct PlainCall {
    private let words: CommandLineWords
    /// Where what the verb takes ends.
    private let end: Int
    private var position = 1
    // No optional strings: to copy one, the compiler's code looks for its type at run time, which takes as long as a get.
    private var (service, account, namespace) = ("", "", "")
    /// How many words there are that are no options.
    private var count = 0
    private var hasNamespace = false
    private var scope: Place.Scope?
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
                guard scope == nil, let known = value().flatMap(Place.Scope.init(rawValue:)) else { return unusual() }
                scope = known
            case "--namespace":
                guard !hasNamespace, let name = value() else { return unusual() }
                (namespace, hasNamespace) = (name, true)
            default: return word
            }
        }
        if position < end { isPlain = false }
        return nil
    }

    /// The value of the option; `nil` where none is there, or one that may be an option.
    mutating func value() -> String? {
        guard position < end, let value = words[position], value.utf8.first != UInt8(ascii: "-") else { return nil }
        position += 1
        return value
    }

    mutating func duration() -> Duration? { value().flatMap(DurationText.parse) }

    /// Which item; `nil` where the call is not plain.
    func target() -> Target? {
        guard count == 1 || count == 2, let place = anyPlace() else { return nil }
        return Target(place: place, service: service, account: count == 2 ? account : nil)
    }

    /// The one word that is no option, and where the items are.
    func named() -> (name: String, place: Place)? {
        guard count == 1, let place = anyPlace() else { return nil }
        return (service, place)
    }

    /// Where the items are, in a call with options alone.
    func place() -> Place? { count == 0 ? anyPlace() : nil }

    /// The command behind `--`.
    var command: CommandLineWords { words.suffix(from: end + 1) }

    private func anyPlace() -> Place? {
        isPlain ? try? Place(scope: scope, namespace: hasNamespace ? namespace : nil) : nil
    }

    private mutating func unusual() -> String? {
        isPlain = false
        return nil
    }
}
