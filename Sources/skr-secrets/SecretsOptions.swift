import ArgumentParser
import CommandSupport
import SecretService
import SessionKeyring

/// The options of `skr-secrets`.
struct SecretsOptions: ExampleCommand {
    static let configuration = CommandConfiguration(
        commandName: "skr-secrets",
        abstract: "Give this login its own Secret Service, in the kernel keyring.",
        discussion: """
            Programs such as gh, Python's keyring and everything on libsecret keep their tokens in the Secret Service. \
            skr-secrets is one without D-Bus daemon, desktop or prompt: its secrets are items of the session keyring, \
            which 'skr' shows too, and which are gone at logout.

            'skr-secrets -- CMD' runs CMD with a Secret Service of its own. 'eval "$(skr-secrets)"' starts one for the \
            shell and its login, and does nothing if it runs already; on an error, it prints 'false', so that eval \
            fails too. Both set DBUS_SESSION_BUS_ADDRESS, so if you have a session bus, use CMD or --attach.

            --attach takes the name of the Secret Service on your session bus, if no other program has it. All your \
            logins share that bus, so its secrets are in the user scope.

            A service ends with CMD, with the login's first process (eval), or with the bus and the login that started \
            it (--attach). It also ends when the session keyring is revoked, or with a signal.

            A rule for --timeout-for is ATTRIBUTE=VALUE=DURATION. VALUE is a pattern as for a shell: '*' stands for any \
            text, as in 'service=gh:*=8h', and a backslash precedes a '?' or '[' that stands for itself. The first \
            rule that fits an item decides; --timeout is for all others.
            """,
        version: "skr-secrets 0.1.0"
    )

    static let examples = """
        skr-secrets -- gh auth login
        eval "$(skr-secrets --timeout 8h)"
        skr-secrets --timeout-for 'service=gh:*=1h' -- bash
        skr-secrets --status
        """

    @Option(
        help: ArgumentHelp(
            "How long items are kept: 15m, 8h, never; SKR_TIMEOUT is the default.", valueName: "duration"))
    var timeout: TimeoutArgument?

    @Option(help: ArgumentHelp("How long items with that attribute are kept.", valueName: "rule"))
    var timeoutFor: [String] = []

    @Option(
        help: ArgumentHelp("The keyring: session, user or persistent.", valueName: "scope"),
        completion: .list(["session", "user", "persistent"]))
    var scope: String?

    @Option(help: ArgumentHelp("The namespace of the items.", valueName: "name"))
    var namespace: String?

    @Option(help: ArgumentHelp("End after this time without a call.", valueName: "duration"))
    var idle: DurationArgument?

    @Flag(help: "Serve your session bus.")
    var attach = false

    @Flag(help: "Print what runs here: clients and counts, but no secrets.")
    var status = false

    /// For packagers.
    @Option(help: ArgumentHelp("Print the manual page with this date.", visibility: .hidden))
    var manual: String?

    @Argument(parsing: .postTerminator, help: ArgumentHelp("The command and its arguments.", valueName: "CMD"))
    var command: [String] = []

    func validate() throws {
        if (attach || status) && !command.isEmpty {
            throw ValidationError("\(attach ? "--attach" : "--status") can't be combined with a command")
        }
        if timeout.map(\.isPossible) == false { throw ValidationError("--timeout is not 1 to 4294967295 seconds") }
    }

    /// The scope, of which `--attach` allows only one.
    func secretScope() throws(CommandError) -> SecretScope {
        let usual = attach ? nil : try Variable.value("SKR_SCOPE")
        switch scope ?? usual {
        case nil where attach, "user": return .user
        case nil: return .session
        case "session" where !attach: return .sharedSession
        case "persistent" where !attach: return .persistent
        default:
            throw attach
                ? .usage("--attach uses the scope user", hint: "leave --scope out")
                : .usage("no such scope", hint: "use session, user or persistent for --scope or SKR_SCOPE")
        }
    }

    /// The namespace, as skr determines it, so that both see the same items.
    func usedNamespace() throws(CommandError) -> String {
        let usual = try Variable.value("SKR_NAMESPACE")
        return namespace ?? usual ?? SecretStore.defaultNamespace
    }

    func rules() throws(CommandError) -> TimeoutRules {
        var rules: [TimeoutRules.Rule] = []
        for text in timeoutFor {
            guard let start = text.firstIndex(of: "="), let end = text.lastIndex(of: "="), start < end,
                start > text.startIndex
            else {
                throw .usage(
                    "--timeout-for: not a rule: \(Display.quoted(text))", hint: "write ATTRIBUTE=VALUE=DURATION")
            }
            let timeout = try TimeoutArgument.reading(String(text[text.utf8.index(after: end)...]), of: "--timeout-for")
            let pattern = String(text[text.utf8.index(after: start)..<end])
            rules.append(.init(attribute: String(text[..<start]), pattern: pattern, timeout: timeout.duration))
        }
        return TimeoutRules(usual: try TimeoutArgument.usual(unless: timeout)?.duration, rules: rules)
    }
}
