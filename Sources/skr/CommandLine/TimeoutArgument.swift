import ArgumentParser
import CommandSupport
import Keyutils

/// How long what is stored is to live: as `--timeout` says, else as SKR_TIMEOUT does.
enum TimeoutArgument: ExpressibleByArgument, Equatable {
    case after(Duration)
    /// As long as its scope.
    case never

    /// The variable that stands in for the option, where a secret is stored.
    static let variable = (name: "SKR_TIMEOUT", option: "--timeout")

    init?(argument: String) {
        if argument == "never" {
            self = .never
        } else {
            guard let duration = DurationText.parse(argument) else { return nil }
            self = .after(duration)
        }
    }

    /// `nil` for the scope's life.
    var duration: Duration? {
        switch self {
        case .after(let duration): duration
        case .never: nil
        }
    }

    /// What the option said, else what SKR_TIMEOUT does; `nil` where it is not set or empty.
    static func usual(unless said: TimeoutArgument? = nil) throws(CommandError) -> TimeoutArgument? {
        if let said { return said }
        return try Place.environment(variable.name).map { text throws(CommandError) in
            try reading(text, of: variable.name)
        }
    }

    /// - Parameter name: the option or variable that has this value.
    static func reading(_ text: String, of name: String) throws(CommandError) -> TimeoutArgument {
        guard let timeout = TimeoutArgument(argument: text), timeout.isPossible else {
            throw .usage(
                "\(name): \(Display.quoted(text)) is no duration of more than 0 and at most 4294967295 seconds",
                hint: "write it as \(DurationText.forms), or never")
        }
        return timeout
    }

    /// Whether a key can have it.
    var isPossible: Bool {
        guard let duration else { return true }
        return (try? KeyTimeout(duration)) != nil
    }
}
