import Glibc
public import Keyutils

/// The keyring that keeps a store's secrets, and so determines which processes can use them.
///
/// The store's own keyrings are linked there. A scope is resolved once, when the store is created, to the serial of a
/// keyring, so all threads share it.
@nonexhaustive
public enum SecretScope: Hashable, Sendable {
    /// The login session: items vanish when its last process ends, and other sessions of the user can't see them.
    ///
    /// A process without a session keyring uses `_uid_ses.N`, which all of the user's processes without a session
    /// share.
    ///
    /// If another user owns the session, as under `sudo -u` in a login, the store reads, deletes and expires items
    /// there. It stores nothing, because that user could read it.
    case session
    /// The login session, even if another user owns it and can read the items that are stored there.
    case sharedSession
    /// The user: all of the user's sessions share the items, which last until their timeout or the next restart.
    case user
    /// The user, also between logins: items vanish some days after the last use (`persistent_keyring_expiry`).
    case persistent
    /// The process: items vanish when it ends.
    ///
    /// Threads that existed before the store was created have no access; they get `forbidden`.
    case process
    /// The calling thread: no other thread can use the items, which vanish when the thread ends.
    case thread
    /// A keyring of your choice.
    ///
    /// Only processes that possess the keyring can use the items, unless `isOpenToOwner` also admits the owner's
    /// other processes.
    case keyring(KeySerial, isOpenToOwner: Bool = false)

    /// The processes that can use the items of a scope.
    package enum ItemAccess: Hashable, Sendable {
        /// The processes that possess the keyring, such as the members of a session.
        case possessor
        /// Also the owning user's other processes.
        case owner
    }

    /// The processes that can use the items.
    package var access: ItemAccess {
        switch self {
        case .session, .sharedSession, .process, .thread: .possessor
        case .user, .persistent: .owner
        case .keyring(_, let isOpenToOwner): isOpenToOwner ? .owner : .possessor
        }
    }

    /// The permissions of keys and keyrings in the scope; group and others never have any.
    package var permissions: KeyPermissions {
        access == .possessor ? .possessorAll : [.possessorAll, .userAll]
    }

    /// Finds the scope's keyring, in the calling thread.
    package func resolve() throws(SecretStoreError) -> Keyring {
        try inStoreTerms { () throws(KeyringError) -> Keyring in
            switch self {
            case .session, .sharedSession: try Keyring.resolve(.sessionKeyring)
            case .user: try resolveUser()
            case .persistent: try Keyring.persistent(linkingInto: .thread)
            case .process: try Keyring.resolve(.processKeyring, create: true)
            case .thread: try Keyring.resolve(.threadKeyring, create: true)
            case .keyring(let serial, _): try resolveExplicit(serial)
            }
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

extension SecretScope {
    /// The session's owner, if that is another user and the scope does not allow storing there; otherwise `nil`.
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
    /// Throws `foreignSession` if another user owns the keyring.
    ///
    /// User ids are those of the caller's user namespace. So a session from outside counts as the caller's own if its
    /// user is mapped to the caller.
    func requireOwn() throws(SecretStoreError) {
        let owner = try inStoreTerms { () throws(KeyringError) in try Key(self).describe().userID }
        guard owner == geteuid() else { throw SecretStoreError(.foreignSession(ownerID: owner)) }
    }
}

extension SecretScope {
    /// The name of the scope, as options have it.
    package var name: String {
        switch self {
        case .session, .sharedSession: "session"
        case .user: "user"
        case .persistent: "persistent"
        default: "keyring"
        }
    }

    /// The session, or else this scope if it does not outlive the session.
    package var ofSession: SecretScope {
        switch self {
        case .user, .persistent: .session
        default: self
        }
    }
}
