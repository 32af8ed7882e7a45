/// Recognises plain calls of the hot verbs, so that they don't wait for the argument parser, whose start alone costs
/// several times what the work does.
///
/// It knows the forms below and no other: whatever is unusual, wrong or asks for help is left to the parser, which then
/// says the same or says what is wrong. A test holds the two against each other.
package enum PlainCall {
    package static func parse(_ arguments: CommandLineWords) -> Invocation? {
        guard let verb = arguments[0], verb == "get" || verb == "set" || verb == "delete" else { return nil }
        var words = Words()
        var position = 1
        while position < arguments.count {
            guard let word = arguments[position] else { return nil }
            guard word.utf8.first == UInt8(ascii: "-") else {
                guard words.takeName(word) else { return nil }
                position += 1
                continue
            }
            if verb == "set", words.takeFlag(word) {
                position += 1
                continue
            }
            guard let value = arguments[position + 1], value.utf8.first != UInt8(ascii: "-"),
                words.takeOption(word, value, of: verb)
            else { return nil }
            position += 2
        }
        return words.invocation(of: verb)
    }

    private struct Words {
        private var service: String?
        private var account: String?
        private var scope: Place.Scope?
        private var namespace: String?
        private var field: String?
        private var timeout: Duration?
        private var isNew = false
        private var isRaw = false

        mutating func takeName(_ name: String) -> Bool {
            if service == nil {
                service = name
            } else if account == nil {
                account = name
            } else {
                return false
            }
            return true
        }

        mutating func takeFlag(_ word: String) -> Bool {
            switch word {
            case "--new" where !isNew: isNew = true
            case "--raw" where !isRaw: isRaw = true
            default: return false
            }
            return true
        }

        /// Takes an option that is there once and has a good value.
        mutating func takeOption(_ name: String, _ value: String, of verb: String) -> Bool {
            switch (name, verb) {
            case ("--scope", _) where scope == nil:
                scope = Place.Scope(rawValue: value)
                return scope != nil
            case ("--namespace", _) where namespace == nil: namespace = value
            case ("--field", "get") where field == nil: field = value
            case ("--timeout", "set") where timeout == nil:
                timeout = DurationText.parse(value)
                return timeout != nil
            default: return false
            }
            return true
        }

        func invocation(of verb: String) -> Invocation? {
            guard let service, let place = try? Place(scope: scope, namespace: namespace) else { return nil }
            let target = Target(place: place, service: service, account: account)
            switch verb {
            case "get": return .get(target, field: field)
            case "set": return .set(target, timeout: timeout, isNew: isNew, isRaw: isRaw)
            default: return .delete(target)
            }
        }
    }
}
