import Glibc
public import Keyutils
import Synchronization

/// Whose secrets they are: the keyring on which the store's own keyrings hang.
///
/// A scope is resolved once, when the store is made, to the serial of a keyring, so that all threads share it.
@nonexhaustive
public enum SecretScope: Hashable, Sendable {
    /// The login session's: gone when its last process ends, hidden from the user's other sessions. A process without a
    /// session keyring shares the one of all of the user's session-less processes, `_uid_ses.N`; the thread that looks keeps
    /// it from then on, also as another user: resolve after dropping privileges, or in a thread of its own.
    ///
    /// Where another user owns the session, as under `sudo -u` in a login, items are read, deleted and expired there, and
    /// nothing is stored: that user could read it.
    case session
    /// The same, said explicitly: items are stored there also where another user owns the session, and so reads them.
    case sharedSession
    /// The user's: shared by all of the user's sessions; items last until their timeout or the next restart.
    case user
    /// The user's, kept over logins for some days after its last use (`persistent_keyring_expiry`).
    case persistent
    /// The process's: gone when it ends. Threads that existed before the store was made are not let in:
    /// they get `forbidden`.
    case process
    /// The calling thread's: for no other thread, gone when it ends.
    case thread
    /// A keyring of your choice; only its possessors may use the items, unless it is open to the owner's other processes too.
    case keyring(KeySerial, isOpenToOwner: Bool = false)

    /// Who may use the items of a scope.
    package enum ItemAccess: Hashable, Sendable {
        /// Those who possess the keyring, as the members of a session do.
        case possessor
        /// The owning user's other processes too.
        case owner
    }

    /// Who may use the items.
    package var access: ItemAccess {
        switch self {
        case .session, .sharedSession, .process, .thread: .possessor
        case .user, .persistent: .owner
        case .keyring(_, let isOpenToOwner): isOpenToOwner ? .owner : .possessor
        }
    }

    /// The permissions of keys and keyrings in the scope: never anything for group and others.
    package var permissions: KeyPermissions {
        access == .possessor ? .possessorAll : [.possessorAll, .userAll]
    }

    /// The keyring that the scope stands for in the calling thread.
    package func resolve() throws(SecretStoreError) -> Keyring {
        do throws(KeyringError) {
            switch self {
            case .session, .sharedSession: return try Keyring.resolve(.sessionKeyring)
            case .user: return try resolveUser()
            case .persistent: return try Keyring.persistent(linkingInto: .thread)
            case .process: return try Keyring.resolve(.processKeyring, create: true)
            case .thread: return try Keyring.resolve(.threadKeyring, create: true)
            case .keyring(let serial, _): return try resolveExplicit(serial)
            }
        } catch {
            throw SecretStoreError(error)
        }
    }

    private func resolveUser() throws(KeyringError) -> Keyring {
        let ring = try Keyring.resolve(.userKeyring)
        guard try Key(ring).describe().name.hasPrefix("_uid.") else { throw KeyringError(.notFound, in: .resolve) }
        return ring
    }

    private func resolveExplicit(_ serial: KeySerial) throws(KeyringError) -> Keyring {
        let ring = serial.isSpecial ? try Keyring.resolve(serial) : Keyring(serial)
        guard try Key(ring).describe().type == .keyring else { throw KeyringError(.notKeyring, in: .resolve) }
        return ring
    }
}

extension NamespaceRings {
    /// Refuses to store in a session that another user owns, unless the scope says that it is meant.
    ///
    /// Costs nothing once the session was found to be the user's own, until the process forks: a child may have become
    /// another user.
    ///
    /// - Throws: ``SecretStoreError`` with `foreignSession`, or as looking at the session does.
    func requireOwnSession() throws(SecretStoreError) {
        guard scope == .session else { return }
        let generation = Forks.generation
        guard ownership.ownIn.load(ordering: .relaxed) != Int64(generation) else { return }
        let isForked = generation != ownership.resolvedIn
        do throws(SecretStoreError) {
            try anchor.requireOwn()
        } catch {
            // A child that has a session of its own can't reach the one that the store was made in.
            guard isForked, error.code == .forbidden || error.code == .notFound else { throw error }
        }
        // The one that a child's writes fall back to.
        if isForked { try scope.resolve().requireOwn() }
        ownership.ownIn.store(Int64(generation), ordering: .relaxed)
    }
}

/// In which forks of the process the session was looked at, as ``Forks/generation`` counts them.
struct SessionOwnership: ~Copyable, Sendable {
    let resolvedIn = Forks.generation
    /// Where it was found to be the user's own; -1 for nowhere yet.
    let ownIn = Atomic<Int64>(-1)
}

extension SecretScope {
    /// The owner of the session where that is another user and storing in it was not asked for; `nil` elsewhere.
    ///
    /// - Throws: ``SecretStoreError`` as ``resolve()`` does.
    package func foreignOwner() throws(SecretStoreError) -> UInt32? {
        guard self == .session else { return nil }
        do throws(SecretStoreError) {
            try resolve().requireOwn()
            return nil
        } catch {
            guard case .foreignSession(let owner) = error.code else { throw error }
            return owner
        }
    }
}

extension Keyring {
    /// The ids are those of the caller's user namespace: a session from outside is one's own where its user is mapped to
    /// oneself.
    fileprivate func requireOwn() throws(SecretStoreError) {
        let owner = try inStoreTerms { () throws(KeyringError) in try Key(self).describe().userID }
        guard owner == geteuid() else { throw SecretStoreError(.foreignSession(ownerID: owner)) }
    }
}
