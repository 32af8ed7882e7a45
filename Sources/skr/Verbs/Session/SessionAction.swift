import CommandSupport
import Glibc
import Keyutils
import SystemPackage

/// Becomes a command in a session keyring of its own.
struct SessionAction: VerbAction {
    let name: String?
    let linksUser: Bool
    let command: CommandLineWords

    func run() throws {
        let session = try name.map(Self.join) ?? SessionMembership.joinAnonymous()
        if linksUser { try session.link(Key(.userKeyring)) }
        try Launch.become(command)
    }

    /// Joins the session, and opens a new one to the user's other processes, which find it by its name only if they may
    /// search it.
    private static func join(named name: String) throws -> Keyring {
        let lock = NamedSessionLock()
        defer { lock.release() }
        let session = try SessionMembership.join(named: name)
        let ring = try Key(session).describe()
        // Anybody may make a keyring of that name and let us in, to read what we store.
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

/// Keeps others from making a session of the same name between our making it and our opening it: there would be two.
///
/// The lock is on the executable, which all that do so have open. Where another holds it for long, or the file can't be
/// locked, the session matters more.
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
