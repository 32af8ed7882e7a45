import CommandSupport
import Glibc
import SecretService
import SessionKeyring

/// The options of `skr-secrets`.
struct SecretsOptions: Verb {
    static let name = "skr-secrets"
    static let summary = "Give this login its own Secret Service, in the kernel keyring."
    static let details = """
        Programs such as gh, Python's keyring and everything on libsecret keep their tokens in the Secret Service. \
        skr-secrets is one without D-Bus daemon, desktop or prompt: its secrets are items of the session keyring, \
        which 'skr' shows too, and which are gone at logout.

        'skr-secrets -- CMD' runs CMD with a Secret Service of its own. 'eval "$(skr-secrets)"' starts one for the \
        shell and its login. If a service already runs, it starts no other, and warns if the options differ. On an \
        error, it prints 'false', so that eval fails too. Both set DBUS_SESSION_BUS_ADDRESS, so if you have a \
        session bus, use CMD or --attach.

        --attach takes the name of the Secret Service on your session bus, if no other program has it. All your \
        logins share that bus, so its secrets are in the user scope.

        A service ends with CMD, with the login's first process (eval), or with the bus and the login that started \
        it (--attach). It also ends by a signal, and when its socket is removed or the session keyring revoked.

        A rule for --timeout-for is ATTRIBUTE=VALUE=DURATION. VALUE is a pattern as for a shell: '*' stands for any \
        text, as in 'service=gh:*=8h', and a backslash precedes a '?' or '[' that stands for itself. The first \
        rule that fits an item decides; --timeout is for all others.
        """

    static let examples = """
        skr-secrets -- gh auth login
        eval "$(skr-secrets --timeout 8h)"
        skr-secrets --timeout-for 'service=gh:*=1h' -- bash
        skr-secrets --status
        """

    private let timeout: TimeoutArgument?
    private let timeoutFor: [String]
    private let scope, namespace: String?
    let idle: Duration?
    let isAttached, isStatus, isVersion: Bool
    let command: CommandLineWords?

    init(_ words: inout CommandWords) {
        timeout = words.timeout("How long items are kept: 15m, 8h, never.", variable: TimeoutArgument.variable)
        timeoutFor = words.options("--timeout-for", value: "RULE", "How long items with that attribute are kept.")
        scope = words.choice(
            "--scope", value: "SCOPE", "session|user|persistent", "The keyring of the items.",
            variable: "SKR_SCOPE")
        namespace = words.option(
            "--namespace", "-n", value: "NAME", "The namespace of the items.", variable: "SKR_NAMESPACE")
        idle = words.duration("--idle", "End after this time without a call.")
        isAttached = words.flag("--attach", "Serve your session bus.")
        isStatus = words.flag("--status", "Print what runs here: options, clients and counts, but no secrets.")
        isVersion = words.flag("--version", "Show the version.")
        command = words.command("The command and its arguments.")
        if (isAttached || isStatus) && command != nil {
            words.fail("\(isAttached ? "--attach" : "--status") can't be combined with a command")
        }
        if let command, command.count == 0 {
            words.fail("a command is missing after --", hint: "write a command after '--', or leave out the '--'")
        }
    }

    func run() throws { exit(try SecretsProgram.run(self)) }

    /// The scope, of which `--attach` allows only one.
    func secretScope() throws(CommandError) -> SecretScope {
        let usual = isAttached ? nil : try Variable.value("SKR_SCOPE")
        switch scope ?? usual {
        case nil where isAttached, "user": return .user
        case nil: return .session
        case "session" where !isAttached: return .sharedSession
        case "persistent" where !isAttached: return .persistent
        default:
            throw isAttached
                ? .usage("--attach uses the scope user", hint: "leave --scope out")
                : .usage("no such scope", hint: "use session, user or persistent for --scope or SKR_SCOPE")
        }
    }

    /// The namespace, as skr determines it, so that both see the same items.
    func usedNamespace() throws(CommandError) -> String {
        let usual = try Variable.value("SKR_NAMESPACE")
        return namespace ?? usual ?? SecretStore.defaultNamespace
    }

    /// The options that apply to a running service, as lines of its report.
    func settings() throws(CommandError) -> [String] {
        let timeout = try TimeoutArgument.usual(unless: timeout) ?? .never
        let usual = ["namespace: \(try usedNamespace())", "timeout: \(timeout.text)"]
        let idle = idle.map(TimeoutArgument.after) ?? .never
        return (usual + timeoutFor.map { "timeout-for: \($0)" } + ["idle: \(idle.text)"]).map(Display.plain)
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
