/// An option, a flag, a word or a command to run, as a verb declares it.
///
/// Each is declared in one place, where the verb reads it (``CommandWords``). Help, manual pages and completion use
/// the same call.
package struct Argument {
    package enum Kind { case option, flag, word, command }

    /// The values that completion offers.
    package enum Values {
        case none
        /// These words, with `|` between them.
        case choice(String)
        case files, folders
        /// Names that the program knows, such as services.
        case names(String)
    }

    package let kind: Kind
    /// The name with its dashes; for a word, the name that help shows, such as `SERVICE`.
    package let name: String
    /// The short form of an option; empty if there isn't one.
    package var short = ""
    /// The name of an option's value.
    package var value = ""
    package let help: String
    package var values = Values.none
    /// The environment variable that is used if the option is missing; empty for none.
    var variable = ""
    package var isRequired = false
    package var isRepeating = false
    /// Its values on this command line.
    package var given: [String] = []

    package var spellings: [String] { short.isEmpty ? [name] : [short, name] }

    /// The help, with the values that an option can have.
    package var summary: String {
        guard kind == .option, case .choice(let words) = values else { return help }
        return "\(help) One of \(Self.listed(words))."
    }

    static func listed(_ words: String) -> String {
        let words = words.split(separator: "|")
        return words.dropLast().joined(separator: ", ") + (words.count > 1 ? " or " : "") + (words.last ?? "")
    }

    /// The argument in a usage line, without brackets.
    package var usage: String {
        let core = kind == .option ? "\(name) \(value)" : kind == .command ? "-- \(name) ..." : name
        return core + (isRepeating ? " ..." : "")
    }

    package var bracketed: String {
        if case .choice(let words) = values, kind == .word { return isRequired ? words : "[\(words)]" }
        return isRequired ? usage : "[\(usage)]"
    }
}
