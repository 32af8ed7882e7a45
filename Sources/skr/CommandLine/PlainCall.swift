import CommandSupport

/// Parses a plain call of a frequently used verb without the argument parser.
///
/// Starting the argument parser would take several times as long as the verb's work. A call is *plain* if it has only
/// names and known options, with each option's value in a separate word: `--scope user`, not `--scope=user`. The
/// argument parser handles every other call, such as references, wrong calls and requests for help. Tests compare the
/// two parsers.
struct PlainCall {
    private let words: CommandLineWords
    /// The position after the verb's own words: that of `--`, or the number of words.
    private let end: Int
    private var position = 1
    // These are not optional, because copying an optional string looks up its type at run time. That takes as long as
    // reading a secret.
    private var (service, account, scope, namespace) = ("", "", "", "")
    /// The number of words that are not options.
    private var count = 0
    private var (hasScope, hasNamespace) = (false, false)
    private var isPlain = true

    init(_ words: CommandLineWords) {
        self.words = words
        end = words.count
    }

    /// Parses a call with a command after `--`; `nil` without a `--`.
    init?(launching words: CommandLineWords) {
        guard let end = words.terminator else { return nil }
        self.words = words
        self.end = end
    }

    /// Returns the next option that is specific to the verb, in its long form.
    ///
    /// The result is `nil` at the end, or if the call is not plain.
    ///
    /// It also reads the names, `--scope` and `--namespace` before that option.
    mutating func nextOption() -> String? {
        while isPlain, position < end {
            guard let word = words[position] else { break }
            position += 1
            let option = ShortOption.long(word)
            switch option {
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
            default: return option
            }
        }
        if position < end { isPlain = false }
        return nil
    }

    /// Returns the option's value; if it is missing or looks like an option, the call is not plain.
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

    /// Returns whether the next word looks like the unit of this number, as in `--timeout 8 hours`.
    ///
    /// Such a call is not plain, and ``Skr/parse(_:)`` refuses it.
    private func isUnitNext(after number: String) -> Bool {
        guard position < end, let next = words[position] else { return false }
        return LikelyMistake.isUnit(next, after: number)
    }

    /// Returns the item that the call names, or `nil` if the call is not plain.
    func target() -> Target? {
        guard count == 1 || count == 2, !SecretReference.begins(service.utf8),
            let place = placeOfPlainCall()
        else { return nil }
        return Target(place: place, service: service, account: count == 2 ? account : nil)
    }

    /// Returns the only word that is not an option, and the place; `nil` if the call is not plain.
    func named() -> (name: String, place: Place)? {
        guard count == 1, let place = placeOfPlainCall() else { return nil }
        return (service, place)
    }

    /// Returns the place of a call that has only options; `nil` if the call is not plain.
    func place() -> Place? { count == 0 ? placeOfPlainCall() : nil }

    /// The command after `--`.
    var command: CommandLineWords { words.suffix(from: end + 1) }

    private func placeOfPlainCall() -> Place? {
        isPlain ? try? Place(scopeNamed: hasScope ? scope : nil, namespace: hasNamespace ? namespace : nil) : nil
    }

    private mutating func unusual() -> String? {
        isPlain = false
        return nil
    }
}
