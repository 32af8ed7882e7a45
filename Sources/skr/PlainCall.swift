import CommandSupport

/// Recognises plain calls of the hot verbs, so that they don't wait for the argument parser, whose start alone costs
/// several times what the work does.
///
/// It knows the forms below and no other: whatever is unusual, wrong or asks for help is left to the parser, which then
/// says the same or says what is wrong. A test holds the two against each other.
package enum PlainCall {
    package static func parse(_ arguments: CommandLineWords) -> Invocation? {
        guard let verb = arguments[0], verb == "get" || verb == "set" || verb == "delete" else { return nil }
        var service: String?
        var account: String?
        var scope: Place.Scope?
        var namespace: String?
        var field: String?
        var timeout: Duration?
        var isNew = false
        var isRaw = false
        var allowsEmpty = false

        var position = 1
        while position < arguments.count {
            guard let word = arguments[position] else { return nil }
            position += 1
            switch word {
            case _ where word.utf8.first != UInt8(ascii: "-"):
                if service == nil {
                    service = word
                } else if account == nil {
                    account = word
                } else {
                    return nil
                }
                continue
            case "--new" where verb == "set" && !isNew:
                isNew = true
                continue
            case "--raw" where verb == "set" && !isRaw:
                isRaw = true
                continue
            case "--allow-empty" where verb == "set" && !allowsEmpty:
                allowsEmpty = true
                continue
            default: break
            }

            // Any other word must be an option that is there once, with a good value behind it.
            guard let value = arguments[position], value.utf8.first != UInt8(ascii: "-") else { return nil }
            position += 1
            switch word {
            case "--scope" where scope == nil:
                guard let known = Place.Scope(rawValue: value) else { return nil }
                scope = known
            case "--namespace" where namespace == nil: namespace = value
            case "--field" where verb == "get" && field == nil: field = value
            case "--timeout" where verb == "set" && timeout == nil:
                guard let duration = DurationText.parse(value) else { return nil }
                timeout = duration
            default: return nil
            }
        }

        guard let service, let place = try? Place(scope: scope, namespace: namespace) else { return nil }
        let target = Target(place: place, service: service, account: account)
        switch verb {
        case "get": return .get(target, field: field)
        case "set": return .set(target, timeout: timeout, isNew: isNew, isRaw: isRaw, allowsEmpty: allowsEmpty)
        default: return .delete(target)
        }
    }
}
