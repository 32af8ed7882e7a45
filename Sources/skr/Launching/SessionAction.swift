import CommandSupport
import Glibc
import Keyutils
import SessionKeyring

/// Becomes a command in a session keyring of its own.
struct SessionAction {
    let request: SessionRequest

    func run() throws(CommandError) -> Never {
        let session = try join()
        if request.linksUser { try Self.keyrings { () throws(KeyringError) in try session.link(Key(.userKeyring)) } }
        try Launch.become(request.command.count > 0 ? request.command : .shell())
    }

    private func join() throws(CommandError) -> Keyring {
        guard let name = request.name else {
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

/// Keeps others from making a session of the same name between our making it and our opening it: there would be two.
///
/// The lock is on the executable, which all that do so have open. Where another holds it for long, or the file can't be
/// locked, the session matters more.
private struct NamedSessionLock {
    private let descriptor: CInt

    init() {
        descriptor = unsafe open("/proc/self/exe", O_RDONLY | O_CLOEXEC)
        for _ in 0..<1_000 where flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EWOULDBLOCK || errno == EINTR else { return }
            usleep(1_000)
        }
    }

    func release() {
        close(descriptor)
    }
}
