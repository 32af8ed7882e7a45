import CommandSupport
import SessionKeyring

/// The command that prints a secret, as a line of the sources file declares it.
struct Source {
    private static let form = "a line is SERVICE [ACCOUNT] [OPTIONS] -- COMMAND, or has --oauth in place of the command"

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
    /// The OAuth account whose token is the secret, in place of a command.
    let oauth: OAuthOptions

    /// Parses a line; `nil` if it has no words.
    init?(_ words: inout ShellWords, line: Int) throws(InputProblem) {
        guard let item = try Self.item(&words) else { return nil }
        (self.line, self.item) = (line, item)
        var before: [String] = []
        while let word = try words.next(), word != "--" { before.append(word) }
        while let word = try words.next() { command.append(word) }
        var read = CommandWords(before, isStrict: true)
        let options = SourceOptions(&read)
        oauth = options.oauth
        do throws(CommandError) {
            try read.check { .usage("a source has no option \(Display.quoted($0))") }
        } catch {
            throw InputProblem(summary: error.message, hint: error.hint ?? "\(Self.form); quote names with blanks")
        }
        try take(options)
        try check()
    }

    private mutating func take(_ options: SourceOptions) throws(InputProblem) {
        (timeout, lifetimePath) = (options.timeout, options.lifetimePath)
        scope = options.place.scope ?? scope
        namespace = options.place.namespace ?? namespace
        endEarly = try Self.checked("--end-early", options.endEarly) ?? endEarly
        failureTimeout =
            try options.failureTimeout == .zero
            ? .zero : Self.checked("--cache-failures", options.failureTimeout) ?? failureTimeout
        limit = options.limit ?? limit
        var parts: [Part] = options.field.map { [.field($0)] } ?? []
        if options.isFirstLine { parts.append(.firstLine) }
        if options.isRaw { parts.append(.raw) }
        guard parts.count < 2 else {
            throw InputProblem(
                summary: "the line has more than one of --field, --first-line, --raw", hint: "remove one of them")
        }
        part = parts.first ?? part
        if oauth.isGiven { try takeToken(options, hasPart: !parts.isEmpty) }
        guard lifetimePath.map(OutputLifetime.isPath) ?? true else {
            throw .badValue("--timeout-from-json", "field names with dots between them")
        }
    }

    /// Replaces the command by the program that refreshes the account's token.
    private mutating func takeToken(_ options: SourceOptions, hasPart: Bool) throws(InputProblem) {
        guard command.isEmpty, !hasPart, lifetimePath == nil else {
            throw InputProblem(
                summary: "the line has --oauth, and also a command or an option for its output",
                hint: "remove the command and --field, --first-line, --raw and --timeout-from-json")
        }
        guard namespace != OAuthOptions.namespace else { throw .badValue("--namespace", "not that of the logins") }
        (part, lifetimePath, command) = (.field("access_token"), "expires_in", [OAuthOptions.program])
        limit = options.limit ?? .seconds(100)
    }

    private static func checked(_ name: String, _ duration: Duration?) throws(InputProblem) -> Duration? {
        guard duration.map({ TimeoutArgument.after($0).isPossible }) ?? true else {
            throw .badValue(name, "a duration, such as 90s or 15m")
        }
        return duration
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

    private func check() throws(InputProblem) {
        try oauth.check()
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
        if oauth.isGiven { return }
        guard let first = command.first else { throw InputProblem(summary: "the line has no command", hint: Self.form) }
        if first.utf8.contains(UInt8(ascii: "=")), let name = first.split(separator: "=").first,
            EnvironmentBlock.isName(name.utf8)
        {
            throw InputProblem(
                summary: "the command begins with a variable", hint: "write env before it: -- env NAME=VALUE COMMAND")
        }
    }
}

/// The options of a line, which `skr help source` lists.
struct SourceOptions {
    let timeout: TimeoutArgument?
    let lifetimePath, field: String?
    let endEarly, limit, failureTimeout: Duration?
    let isFirstLine, isRaw: Bool
    let place: PlaceOptions
    let oauth: OAuthOptions

    init(_ words: inout CommandWords) {
        timeout = words.timeout("How long the secret is stored.")
        lifetimePath = words.option(
            "--timeout-from-json", value: "PATH", "The field with the lifetime: seconds, Unix time or date.")
        endEarly = words.duration("--end-early", "Delete the secret this long before its end.")
        field = words.option("--field", value: "PATH", "Store this field of a JSON output.")
        isFirstLine = words.flag("--first-line", "Store only the first line.")
        isRaw = words.flag("--raw", "Keep the newline at the end of the output.")
        limit = words.limit("How long COMMAND can run. By default 2m, for --oauth 100s.")
        failureTimeout = words.duration("--cache-failures", "How long a failure is remembered. By default 5s.")
        place = PlaceOptions(&words)
        oauth = OAuthOptions(&words, issuer: "--oauth")
    }
}

extension InputProblem {
    fileprivate static func badValue(_ option: String, _ form: String) -> InputProblem {
        InputProblem(summary: "\(option) has no usable value", hint: "its value is \(form)")
    }
}
