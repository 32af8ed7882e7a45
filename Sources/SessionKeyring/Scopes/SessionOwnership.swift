import Glibc
import Keyutils
import Synchronization

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
