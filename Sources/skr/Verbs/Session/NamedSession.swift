import CommandSupport
import Glibc
import Keyutils
import SessionKeyring
import SystemPackage

/// A session keyring that all of the user's processes can join by its name.
struct NamedSession {
    let name: String

    init(_ name: String) throws(CommandError) {
        let limit = 255
        guard !name.isEmpty, name.utf8.count <= limit else {
            throw .usage(
                "the session's name has \(name.utf8.count) bytes, but must have 1 to \(limit)",
                hint: "choose another name")
        }
        guard !NamespaceRings.isReserved(name) else {
            throw .usage("the session name \(Display.quoted(name)) is reserved", hint: "choose another name")
        }
        // The name appears in /proc/keys, which every user reads.
        guard Display.plain(name) == name, !name.utf8.contains(UInt8(ascii: " ")) else {
            throw .usage(
                "the session's name \(Display.quoted(name)) has white space or control characters",
                hint: "choose another name")
        }
        self.name = name
    }

    /// Makes it this process's session, and creates it if it doesn't exist.
    ///
    /// A new session gets the permission that lets the user's other processes find it by its name.
    ///
    /// - Throws: `KeyringError`, or `CommandError` if the session has expired or belongs to another user.
    func join() throws -> Keyring {
        var (session, ring) = try enter()
        guard !ring.isFoundByName else { return session }
        let lock = NamedSessionLock()
        defer { lock.release() }
        // Another process can have created it in the meantime.
        (session, ring) = try enter()
        if !ring.isFoundByName { try Key(session).setPermissions(ring.permissions.union(.userSearch)) }
        return session
    }

    /// Revokes it, and leaves this process without a usable session.
    ///
    /// - Returns: whether it existed.
    /// - Throws: as ``join()``.
    func end() throws -> Bool {
        // This process can be in another session of that name, such as one of keyctl, which nobody finds by its name.
        if let own = try? Key(.sessionKeyring).describe(), own.name == name, own.userID == geteuid() {
            try Key(.sessionKeyring).revoke()
            if let (session, ring) = try? enter(), ring.isFoundByName { try Key(session).revoke() }
            return true
        }
        let (session, ring) = try enter()
        guard ring.isFoundByName else { return false }
        try Key(session).revoke()
        return true
    }

    private func enter() throws -> (Keyring, KeyDescription) {
        let session = try SessionMembership.join(named: name)
        let ring: KeyDescription
        do throws(KeyringError) {
            ring = try Key(session).describe()
        } catch {
            guard error.code == .expired else { throw error }
            throw CommandError(
                exitCode: .unavailable, message: "the session '\(name)' has expired, but still has processes",
                hint: "end these processes, or choose another name")
        }
        // Any user can create a keyring with this name and let us join it, to read the secrets that we store.
        guard ring.userID == geteuid() else {
            throw CommandError(
                exitCode: .noPermission, message: "the session '\(name)' belongs to user \(ring.userID)",
                hint: "choose another name")
        }
        return (session, ring)
    }
}

extension KeyDescription {
    /// Whether the owner's processes can join the session by its name.
    ///
    /// A session that the kernel has just created for us doesn't have this permission.
    fileprivate var isFoundByName: Bool { permissions.contains(.userSearch) }
}

/// Serialises the processes that create a named session.
///
/// Without it, two processes that create a session at the same time would be in two sessions of that name.
///
/// The lock is on our own executable. Every user can hold it, so we continue without it after a second, and also if the
/// file can't be locked.
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
