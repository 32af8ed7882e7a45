import Keyutils

/// The lifetime of an item to store: the value of `--timeout` or, without it, of SKR_TIMEOUT.
package enum TimeoutArgument: Equatable {
    case after(Duration)
    /// The item lives as long as its scope.
    case never

    package static let option = "--timeout"
    /// The variable that is used if the option is missing, for verbs that store a secret.
    package static let variable = "SKR_TIMEOUT"

    package init?(argument: String) {
        if argument == "never" {
            self = .never
        } else {
            guard let duration = DurationText.parse(argument) else { return nil }
            self = .after(duration)
        }
    }

    /// The duration; `nil` if the item lives as long as its scope.
    package var duration: Duration? {
        if case .after(let duration) = self { duration } else { nil }
    }

    /// The timeout in the form in which users write it.
    package var text: String {
        guard let duration else { return "never" }
        let short = DurationText.rounded(duration)
        return DurationText.parse(short) == duration ? short : "\(duration.components.seconds)s"
    }

    /// Returns the option's value, or else the value of SKR_TIMEOUT; `nil` if that is unset or empty.
    package static func usual(unless said: TimeoutArgument? = nil) throws(CommandError) -> TimeoutArgument? {
        if let said { return said }
        return try Variable.value(variable).map { text throws(CommandError) in
            try reading(text, of: variable)
        }
    }

    /// - Parameter name: the option or variable that has this value.
    package static func reading(_ text: String, of name: String) throws(CommandError) -> TimeoutArgument {
        guard let timeout = TimeoutArgument(argument: text), timeout.isPossible else {
            throw .usage(
                "\(name): \(Display.quoted(text)) is not a duration of 1 to 4294967295 seconds",
                hint: "write it as \(DurationText.forms), or never")
        }
        return timeout
    }

    /// Whether a key can have this timeout.
    package var isPossible: Bool {
        guard let duration else { return true }
        return (try? KeyTimeout(duration)) != nil
    }
}
