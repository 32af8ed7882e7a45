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
