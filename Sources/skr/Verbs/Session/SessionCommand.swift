import ArgumentParser
import CommandSupport
import Glibc
import Keyutils
import SystemPackage

struct SessionCommand: LaunchingVerb {
    static let configuration = CommandConfiguration(
        commandName: "session",
        abstract: "Run a command in its own session keyring.",
        discussion: """
            skr becomes CMD, or your shell ($SHELL), in a new session keyring: same process, terminal, signals and \
            exit code. CMD can't see the secrets of the session around it. The secrets that CMD stores are gone when \
            the new session's last process ends.

            A new session also helps in a tmux that outlived its login: when that login ended, its keyring was \
            revoked.

            SKR_SESSION is set for CMD to the session's name, or to the keyring's number if the session has no name. \
            Use it in a prompt; skr itself ignores it.

            --name joins the session of that name, or creates it. All your processes can join it by its name, so it \
            doesn't hide its secrets from them.
            """
    )

    static let examples = """
        skr session
        skr session -- ./untrusted-build
        skr session --name work -- bash
        skr session -- env PS1='($SKR_SESSION) $ ' sh
        """

    @Option(help: "Join the session of that name, or create it.")
    var name: String?

    @Flag(help: "Link the user keyring into it, as a login does.")
    var linkUser = false

    @OptionGroup var launched: LaunchedCommand

    func action(launching command: CommandLineWords) throws(CommandError) -> any VerbAction {
        if let name { try Self.check(name) }
        return SessionAction(options: self, command: command.count > 0 ? command : .shell())
    }

    private static func check(_ name: String) throws(CommandError) {
        let limit = 255
        guard !name.isEmpty, name.utf8.count <= limit else {
            throw .usage(
                "the session's name has \(name.utf8.count) bytes, but must have 1 to \(limit)",
                hint: "choose another name")
        }
        // These names belong to the kernel's keyrings and to the store's.
        for prefix in [".", "_", "skr:", "skr-leases", "skr-making:"] where name.hasPrefix(prefix) {
            throw .usage("session names that begin with '\(prefix)' are reserved", hint: "choose another name")
        }
        // The name appears in /proc/keys, which every user reads.
        guard Display.plain(name) == name, !name.utf8.contains(UInt8(ascii: " ")) else {
            throw .usage(
                "the session's name \(Display.quoted(name)) has white space or control characters",
                hint: "choose another name")
        }
    }
}

/// Replaces this process with a command in a new or named session keyring.
struct SessionAction: VerbAction {
    let options: SessionCommand
    let command: CommandLineWords

    func run() throws {
        let session = try options.name.map(Self.join) ?? SessionMembership.joinAnonymous()
        if options.linkUser { try session.link(Key(.userKeyring)) }
        let name = options.name ?? "\(session.serial.rawValue)"
        var environment = EnvironmentBlock()
        unsafe environment.set("SKR_SESSION", to: name.utf8Span.span.bytes)
        try Launch.become(command, environment: environment)
    }

    /// Joins the session with this name, and creates it if necessary.
    ///
    /// A new session gets the permission that lets the user's other processes find it by its name.
    private static func join(named name: String) throws -> Keyring {
        let lock = NamedSessionLock()
        defer { lock.release() }
        let session = try SessionMembership.join(named: name)
        let ring = try Key(session).describe()
        // Any user can create a keyring with this name and let us join it, to read the secrets that we store.
        guard ring.userID == geteuid() else {
            throw CommandError(
                exitCode: .noPermission, message: "the session '\(name)' belongs to user \(ring.userID)",
                hint: "choose another name")
        }
        if !ring.permissions.contains(.userSearch) {
            try Key(session).setPermissions(ring.permissions.union(.userSearch))
        }
        return session
    }
}

/// Serialises the processes that join a named session.
///
/// Between creating the session and giving it the permission, another process would create a second session with
/// the same name.
///
/// The lock is on our own executable. If another process holds the lock for long, or the file can't be locked, we
/// continue without it.
private struct NamedSessionLock {
    private let file: FileDescriptor?

    init() {
        file = try? unsafe FileDescriptor.open("/proc/self/exe", .readOnly, options: .closeOnExec)
        guard let file else { return }
        for _ in 0..<1_000 where flock(file.rawValue, LOCK_EX | LOCK_NB) != 0 {
            guard [.wouldBlock, .interrupted].contains(Errno.last) else { return }
            usleep(1_000)
        }
    }

    func release() {
        try? file?.close()
    }
}
