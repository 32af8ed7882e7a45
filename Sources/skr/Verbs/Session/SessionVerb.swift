import CommandSupport
import Glibc
import Keyutils

struct SessionVerb: Verb {
    static let name = "session"
    static let summary = "Run a command in its own session keyring, or share a named one."
    static let details = """
        skr becomes CMD, or your shell ($SHELL), in a new session keyring: same process, terminal, signals and \
        exit code. CMD can't see the secrets of the session around it, unless that has a name: any of your \
        processes can join it. The secrets that CMD stores are gone when the new session's last process ends. A \
        program that you don't trust can move your shell into its session. So run it as another user: \
        sudo -u USER skr session -- CMD.

        A new session also helps in a tmux that outlived its login: when that login ended, its keyring was \
        revoked.

        SKR_SESSION is set for CMD to the session's name, or to the keyring's number if the session has no name. \
        Use it in a prompt; skr itself ignores it.

        --secrets also gives CMD a Secret Service of its own, in which programs such as gh and Python's keyring \
        keep their tokens: CMD runs below skr-secrets, and the tokens are items of the new session. \
        'man skr-secrets' has the details.

        --name joins the session of that name, or creates it. All your processes can join it, so it doesn't hide \
        its secrets from them.

        --join moves the shell that calls skr into the session of that name, or creates it. Write it as a separate \
        line in .bashrc, .zshrc or .profile: then all your shells share one session. In '$(...)' or a pipe, it \
        can move only a subshell.

        --join prints nothing. If the shell can't be moved, a warning says why, the shell stays in its session, \
        and the exit code is 0. \(Guide.loginEnvironments.reference) has the lines, also for fish.

        --end revokes the session of that name for all its processes. The exit code is 1 if you have none.

        --current prints the session's name, or its keyring's number if it has none or belongs to another user. \
        The exit code is 1 without a session keyring, and 69 if it was revoked.
        """

    static let examples = """
        skr session
        skr session -- ./build
        skr session --name work -- bash
        skr session --secrets -- gh auth login
        skr session --join work
        skr session --end work
        skr session -- env PS1='($SKR_SESSION) $ ' sh
        """

    private let named, join, end: String?
    private let current, linkUser, secrets: Bool
    private let command: CommandLineWords?

    init(_ words: inout CommandWords) {
        named = words.option("--name", value: "NAME", "Run CMD in the session of that name.")
        join = words.option("--join", value: "NAME", "Move the calling shell into that session.")
        end = words.option("--end", value: "NAME", "Revoke your session of that name.")
        current = words.flag("--current", "Print the name of the current session.")
        linkUser = words.flag("--link-user", "Link the user keyring into it, as a login does.")
        secrets = words.flag("--secrets", "Give CMD a Secret Service of the session.")
        command = words.command("The command and its arguments; $SHELL if left out.")
    }

    func run() throws {
        let hasCommand = command?.count ?? 0 > 0
        let others = [join != nil ? "--join" : nil, end != nil ? "--end" : nil, current ? "--current" : nil].compactMap(
            \.self)
        guard let option = others.first else {
            let command = command.flatMap { $0.count > 0 ? $0 : nil } ?? .shell()
            return try SessionAction(
                session: named.map(NamedSession.init), linksUser: linkUser, hasSecretService: secrets, command: command
            ).run()
        }
        let excluded = [
            others.count > 1 ? others[1] : nil, named != nil ? "--name" : nil, hasCommand ? "a command" : nil,
            linkUser && join == nil ? "--link-user" : nil, secrets ? "--secrets" : nil,
        ]
        if let excluded = excluded.compactMap(\.self).first {
            throw CommandError.usage(
                "\(option) can't be combined with \(excluded)", hint: "'skr help session' shows the forms")
        }
        if let join { return JoinAction(name: join, linksUser: linkUser).run() }
        if let end { return try Self.revoke(NamedSession(end)) }
        try Self.printCurrent()
    }

    /// Revokes a named session, and so ends it for all its processes.
    private static func revoke(_ session: NamedSession) throws {
        guard try session.end() else {
            throw CommandError(
                exitCode: .noItem, message: "no session '\(session.name)'",
                hint: "'skr session --current' prints the name of the session that you are in")
        }
    }

    /// Prints the name of the process's session, or its keyring's number.
    private static func printCurrent() throws {
        let session = try Key(.sessionKeyring).describe()
        // The kernel's default for processes without a session.
        guard session.name != "_uid_ses.\(session.userID)" else {
            throw CommandError(
                exitCode: .noItem, message: "no session keyring", hint: "start a session with 'exec skr session'")
        }
        // Only the session's owner can join it by its name. A login's session has the same name as all others.
        let isNamed = session.userID == geteuid() && session.name != "_ses"
        try Console.writeLine(
            isNamed ? Display.plain(session.name) : "\(Keyring.resolve(.sessionKeyring).serial.rawValue)")
    }
}

/// Replaces this process with a command in a new or named session keyring.
private struct SessionAction {
    /// The named session; `nil` for a new one.
    let session: NamedSession?
    let linksUser: Bool
    /// Whether the command runs below `skr-secrets`.
    let hasSecretService: Bool
    let command: CommandLineWords

    func run() throws {
        // Before the session exists, so that nothing has changed if the program is missing.
        let command = try hasSecretService ? SecretServiceProgram.launching(self.command) : self.command
        let ring = try session?.join() ?? SessionMembership.joinAnonymous()
        if linksUser { try ring.link(Key(.userKeyring)) }
        let name = session?.name ?? "\(ring.serial.rawValue)"
        var environment = EnvironmentBlock()
        // Otherwise, the command could read the secrets of the session around it.
        if !hasSecretService, SecretServiceProgram.isAddressOurs {
            environment.removed.append(SecretServiceProgram.variable)
        }
        unsafe environment.set("SKR_SESSION", to: name.utf8Span.span.bytes)
        try Launch.become(command, environment: environment)
    }
}
