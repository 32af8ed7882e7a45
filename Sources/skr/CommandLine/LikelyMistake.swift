import CommandSupport

/// Words that people type because other programs accept them, and what to type instead.
enum LikelyMistake {
    /// Returns what to type instead of a verb that skr doesn't have.
    static func hint(forVerb word: String) -> String? {
        switch word {
        case "logout", "logoff", "signout":
            "'skr clear' deletes what is stored; at logout, the session's secrets are gone anyway"
        case "login", "signin":
            "'skr set SERVICE' stores a secret; 'exec skr session' starts a new session in this shell"
        case "edit", "change", "update": "store the new secret under the same name: skr set SERVICE"
        case "rename", "mv", "move":
            "copy it, then delete the old one: skr get OLD | skr set --raw NEW && skr delete OLD"
        case "copy", "cp": "skr get OLD | skr set --raw NEW"
        case "status":
            "'skr list' shows what is stored, 'skr doctor' checks this login, 'skr helper status' the clients"
        case "unlock": "a lock is released when its command ends: skr lock NAME -- CMD"
        case "export":
            "pass secrets to a command: skr exec --env NAME=skr://SERVICE -- CMD; 'skr list' shows their names"
        default: nil
        }
    }

    /// Returns what to type instead of an option that the verb doesn't have.
    ///
    /// - Parameter message: the argument parser's message, which names the option.
    static func hint(forOptionIn message: String, of verb: String) -> String? {
        let start = "Unknown option '"
        guard message.hasPrefix(start) else { return nil }
        return hint(forOption: String(message.dropFirst(start.count).prefix(before: "'").prefix(before: "=")), of: verb)
    }

    /// - Parameter verb: the name of the verb, or `install` for a helper's client.
    static func hint(forOption option: String, of verb: String) -> String? {
        switch option {
        case "--ttl", "--expire", "--expires", "--expiry", "--expiration", "--lifetime":
            guard ["set", "cached", "expire", "lock", "install"].contains(verb) else { return nil }
            return "the option is --timeout, for instance --timeout 8h"
        case _ where option.hasPrefix("-e") && ["exec", "env"].contains(verb):
            return "the value of -e is a separate word: -e NAME=skr://SERVICE"
        case "-f":
            return switch verb {
            case "get": "the option is --field PATH"
            case "exec": "the option is --file VAR=skr://..., or --env-file FILE"
            case "env": "the option is --env-file FILE"
            case "inject": "the option is -i FILE"
            default: nil
            }
        default: return nil
        }
    }

    /// Returns an error for a duration whose unit is a separate word, as in `--timeout 8 hours`.
    ///
    /// Without this error, skr would take the unit for a name.
    ///
    /// - Parameter words: the words before `--`.
    static func error(forDurationIn words: [String]) -> CommandError? {
        for position in words.indices.dropLast() {
            guard isUnit(words[position + 1]) else { continue }
            let option: String
            let number: String
            if let sign = words[position].firstIndex(of: "=") {
                (option, number) = (String(words[position][..<sign]), String(words[position][sign...].dropFirst()))
            } else if position > words.startIndex {
                (option, number) = (words[position - 1], words[position])
            } else {
                continue
            }
            guard durationOptions.contains(option), isBareNumber(number) else { continue }
            let unit = words[position + 1]
            let form = letter(ofUnit: unit).map { "\(option) \(number)\($0)" } ?? "it as \(DurationText.forms)"
            return .usage(
                "\(option) \(Display.plain(number)) \(Display.plain(unit)): a duration is one word",
                hint: "write \(form); for an item named \(Display.plain(unit)), write \(option) \(number)s")
        }
        return nil
    }

    /// Returns whether this word is the unit of the bare number before it, as in `8 hours`.
    static func isUnit(_ unit: String, after number: String) -> Bool { isBareNumber(number) && isUnit(unit) }

    private static let durationOptions = [
        "--timeout", "-t", "--expiring", "--wait", "--refresh-before", "--cache-failures",
    ]

    private static func isBareNumber(_ text: String) -> Bool { !text.isEmpty && text.utf8.allSatisfy(\.isDigit) }

    private static func isUnit(_ word: String) -> Bool {
        letter(ofUnit: word) != nil || ["w", "week", "weeks", "month", "months", "year", "years"].contains(word)
    }

    /// Returns the letter that stands for this unit in a duration, or `nil` if durations don't have the unit.
    private static func letter(ofUnit word: String) -> String? {
        switch word {
        case "s", "sec", "secs", "second", "seconds": "s"
        case "m", "min", "mins", "minute", "minutes": "m"
        case "h", "hr", "hrs", "hour", "hours": "h"
        case "d", "day", "days": "d"
        default: nil
        }
    }
}
