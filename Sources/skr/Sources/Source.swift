import CommandSupport
import SessionKeyring

/// The command that prints a secret, as a line of the sources file declares it.
struct Source {
    private static let form = "a line is SERVICE [ACCOUNT] [OPTIONS] -- COMMAND"

    /// The part of the output that is stored.
    enum Part: Equatable {
        /// The output without the newline at its end.
        case text
        /// The output with all its bytes.
        case raw
        case firstLine
        /// The text of this field of the JSON output.
        case field(String)
    }

    /// The number of the line, from 1.
    let line: Int
    let item: ItemIdentity
    private(set) var scope = Place.Scope.session
    private(set) var namespace = SecretStore.defaultNamespace
    /// How long the secret is stored; `nil` if only the output states its lifetime.
    private(set) var timeout: TimeoutArgument?
    /// The path of the output's field that has its lifetime.
    private(set) var lifetimePath: String?
    /// How long before its end the secret is fetched again.
    private(set) var endEarly = Duration.zero
    /// How long a failure is remembered; zero for not at all.
    private(set) var failureTimeout = Duration.seconds(5)
    private(set) var part = Part.text
    /// How long the command can run.
    private(set) var limit = Duration.seconds(120)
    private(set) var command: [String] = []

    /// Parses a line; `nil` if it has no words.
    init?(_ words: inout ShellWords, line: Int) throws(InputProblem) {
        guard let item = try Self.item(&words) else { return nil }
        (self.line, self.item) = (line, item)
        var mistakes: [String] = []
        var next = try words.next()
        while let word = next, word != "--" {
            let sign = word.utf8.firstIndex(of: UInt8(ascii: "="))
            let name = ShortOption.long(sign.map { String(word[..<$0]) } ?? word)
            guard word.utf8.first == UInt8(ascii: "-") else {
                throw InputProblem(
                    summary: "the line has a word too many: \(Display.quoted(word))",
                    hint: "\(Self.form); quote names with blanks")
            }
            let parts = ["--field", "--first-line", "--raw"]
            let mistake = parts.contains(name) ? "more than one of \(parts.joined(separator: ", "))" : "\(name) twice"
            if mistakes.contains(mistake) {
                throw InputProblem(summary: "the line has \(mistake)", hint: "remove one of them")
            }
            mistakes.append(mistake)
            func value() throws(InputProblem) -> String {
                if let sign { return String(word[word.utf8.index(after: sign)...]) }
                guard let value = try words.next(), value != "--" else { throw .badValue(name, "the next word") }
                return value
            }
            try set(name, hasSign: sign != nil, value)
            next = try words.next()
        }
        while let word = try words.next() { command.append(word) }
        try check()
    }

    /// Parses the item at the beginning of a line; `nil` if the line has no words.
    static func item(_ words: inout ShellWords) throws(InputProblem) -> ItemIdentity? {
        guard let service = try words.next() else { return nil }
        guard !service.isEmpty, service.utf8.first != UInt8(ascii: "-") else {
            throw InputProblem(summary: "the line names no service", hint: form)
        }
        var rest = words
        guard let account = try rest.next(), account.utf8.first != UInt8(ascii: "-") else {
            return .password(service: service, account: "")
        }
        words = rest
        return .password(service: service, account: account)
    }

    /// Whether the secret is stored in this place.
    func isFor(_ scope: Place.Scope, _ namespace: String) -> Bool {
        self.scope == scope && self.namespace == namespace
    }

    private mutating func set(
        _ name: String, hasSign: Bool, _ value: () throws(InputProblem) -> String
    ) throws(InputProblem) {
        switch name {
        case "--timeout":
            guard let value = TimeoutArgument(argument: try value()), value.isPossible else {
                throw .badValue(name, "a duration or never")
            }
            timeout = value
        case "--timeout-from-json":
            let path = try value()
            guard CachedAction.isPath(path) else { throw .badValue(name, "field names with dots between them") }
            lifetimePath = path
        case "--end-early": endEarly = try Self.duration(name, try value())
        case "--cache-failures": failureTimeout = try Self.duration(name, try value(), allowsZero: true)
        case "--limit": limit = try Self.duration(name, try value())
        case "--scope":
            guard let value = Place.Scope(rawValue: try value()) else {
                throw .badValue(name, "session, user or persistent")
            }
            scope = value
        case "--namespace": namespace = try value()
        case "--field": part = .field(try value())
        case "--first-line" where !hasSign: part = .firstLine
        case "--raw" where !hasSign: part = .raw
        default:
            throw InputProblem(
                summary: "a source has no option \(Display.quoted(name))", hint: "'skr help source' shows the options")
        }
    }

    private func check() throws(InputProblem) {
        if timeout == nil, lifetimePath == nil {
            throw InputProblem(
                summary: "the line does not say how long the secret is stored",
                hint: "add --timeout 15m, or --timeout-from-json with the field that has the lifetime")
        }
        if endEarly > .zero {
            guard timeout != .never || lifetimePath != nil, timeout?.duration.map({ endEarly < $0 }) ?? true else {
                throw .badValue("--end-early", "less than --timeout, which is then a duration")
            }
        }
        guard let first = command.first else { throw InputProblem(summary: "the line has no command", hint: Self.form) }
        if first.utf8.contains(UInt8(ascii: "=")), let name = first.split(separator: "=").first,
            EnvironmentVariable.isName(name.utf8)
        {
            throw InputProblem(
                summary: "the command begins with a variable", hint: "write env before it: -- env NAME=VALUE COMMAND")
        }
    }

    private static func duration(
        _ name: String, _ text: String, allowsZero: Bool = false
    ) throws(InputProblem) -> Duration {
        guard let duration = DurationText.parse(text),
            duration == .zero ? allowsZero : TimeoutArgument.after(duration).isPossible
        else { throw .badValue(name, "a duration, such as 90s or 15m") }
        return duration
    }
}

extension InputProblem {
    fileprivate static func badValue(_ option: String, _ form: String) -> InputProblem {
        InputProblem(summary: "\(option) has no usable value", hint: "its value is \(form)")
    }
}
