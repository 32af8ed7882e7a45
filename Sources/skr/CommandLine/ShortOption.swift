import ArgumentParser
import Keyutils

/// The short forms of options, for parsers other than the argument parser.
enum ShortOption {
    /// Returns the option in its long form; other words stay unchanged.
    static func long(_ word: String) -> String {
        switch word {
        case "-e": "--env"
        case "-n": "--namespace"
        case "-t": "--timeout"
        default: word
        }
    }
}

extension NameSpecification {
    /// A short form whose value can be in the same word, as in `-t5m`, and the long form.
    static func joinable(_ letter: Character) -> NameSpecification {
        [.customShort(letter, allowingJoined: true), .long]
    }
}
