import CommandSupport
import Glibc
import Keyutils
import SessionKeyring

/// Becomes a command in a session keyring of its own.
struct SessionAction: VerbAction {
    let name: String?
    let linksUser: Bool
    let command: CommandLineWords

    init(name: String?, linksUser: Bool, command: CommandLineWords) throws(CommandError) {
        if let name { try Self.check(name) }
        self.name = name
        self.linksUser = linksUser
        self.command = command
    }

    private static func check(_ name: String) throws(CommandError) {
        let limit = 255
        guard !name.isEmpty, name.utf8.count <= limit else {
            throw .usage("a session's name has 1 to \(limit) bytes", hint: "choose another name")
        }
        // The kernel's own keyrings, and the store's, which must not become a session by mistake.
        for prefix in [".", "_", "skr:", "skr-leases", "skr-making:"] where name.hasPrefix(prefix) {
            throw .usage("names that begin with '\(prefix)' are taken", hint: "choose another name")
        }
        // It would stand in /proc/keys for everybody to stumble over.
        guard Display.plain(name) == name, !name.utf8.contains(UInt8(ascii: " ")) else {
            throw .usage("a session's name has no white space and no control characters", hint: "choose another name")
        }
    }

    func run() throws(CommandError) {
        let session = try join()
        if linksUser { try Self.keyrings { () throws(KeyringError) in try session.link(Key(.userKeyring)) } }
        try Launch.become(command.count > 0 ? command : .shell())
    }

    private func join() throws(CommandError) -> Keyring {
        guard let name else {
            return try Self.keyrings { () throws(KeyringError) in try SessionMembership.joinAnonymous() }
        }
        let lock = NamedSessionLock()
        defer { lock.release() }
        return try Self.join(named: name)
    }

    /// Joins the session, and opens a new one to the user's other processes, which find it by its name only if they may
    /// search it.
    private static func join(named name: String) throws(CommandError) -> Keyring {
        let session = try keyrings { () throws(KeyringError) in try SessionMembership.join(named: name) }
        let ring = try keyrings { () throws(KeyringError) in try Key(session).describe() }
        // Anybody may make a keyring of that name and let us in, to read what we store.
        guard ring.userID == geteuid() else {
            throw CommandError(
                exitCode: .noPermission, message: "the session '\(name)' belongs to user \(ring.userID)",
                hint: "choose another name"
            )
        }
        if !ring.permissions.contains(.userSearch) {
            let permissions = ring.permissions.union(.userSearch)
            try keyrings { () throws(KeyringError) in try Key(session).setPermissions(permissions) }
        }
        return session
    }

    private static func keyrings<Result>(
        _ body: () throws(KeyringError) -> Result
    ) throws(CommandError) -> Result {
        do throws(KeyringError) {
            return try body()
        } catch {
            throw CommandError(SecretStoreError(error))
        }
    }
}
