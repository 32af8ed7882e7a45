import Glibc
import Keyutils
import SessionKeyring

/// Ways to become an ordinary user, in a process that was started for that purpose.
package enum OrdinaryUser {
    /// Drops all privileges permanently.
    ///
    /// Each test uses its own user id, so that no test uses up another's quota.
    package static func become(_ id: UInt32) {
        // Undoes `becomeForNow`.
        seteuid(0)
        guard geteuid() == 0 else { return }
        guard setgroups(0, nil) == 0, setgid(id) == 0, setuid(id) == 0, getuid() == id, geteuid() == id else {
            fatalError("could not become user \(id)")
        }
    }

    /// Drops root's privileges until this process becomes another user with ``become(_:)``.
    package static func becomeForNow(_ id: UInt32) {
        guard setreuid(id, 0) == 0, seteuid(id) == 0 else { fatalError("could not become user \(id)") }
    }

    /// Drops all privileges, starts a session that no other process has, and returns its keyring.
    @discardableResult
    package static func becomeInNewSession(_ id: UInt32) throws -> Keyring {
        become(id)
        return try TestSession.join()
    }
}
