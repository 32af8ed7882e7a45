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
    private var service: String?
    private var account: String?
    private var scope: Place.Scope?
    private var namespace: String?
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
                if service == nil {
                    service = word
                } else if account == nil {
                    account = word
                } else {
                    isPlain = false
                }
            case "--scope":
                guard scope == nil, let known = value().flatMap(Place.Scope.init(rawValue:)) else { return unusual() }
                scope = known
            case "--namespace":
                guard namespace == nil, let name = value() else { return unusual() }
                namespace = name
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
        guard let service, let place = place(takingAccount: true) else { return nil }
        return Target(place: place, service: service, account: account)
    }

    /// The one word that is no option, and where the items are.
    func named() -> (name: String, place: Place)? {
        guard let service, let place = place(takingAccount: false) else { return nil }
        return (service, place)
    }

    /// Where the items are, in a call with options alone.
    func place() -> Place? {
        service == nil ? place(takingAccount: false) : nil
    }

    /// The command behind `--`.
    var command: CommandLineWords { words.suffix(from: end + 1) }

    private func place(takingAccount: Bool) -> Place? {
        guard isPlain, takingAccount || account == nil else { return nil }
        return try? Place(scope: scope, namespace: namespace)
    }

    private mutating func unusual() -> String? {
        isPlain = false
        return nil
    }
}
