import Keyutils
import Synchronization

extension NamespaceRings {
    /// Refuses to store in a session that another user owns, unless the scope allows it.
    ///
    /// Once the session is known to be the user's own, the check costs nothing until the process forks, because a child
    /// might have become another user.
    ///
    /// - Throws: ``SecretStoreError`` with `foreignSession`, or the error of looking at the session.
    func requireOwnSession() throws(SecretStoreError) {
        guard scope == .session else { return }
        let generation = Forks.generation
        guard ownership.ownIn.load(ordering: .relaxed) != Int64(generation) else { return }
        let isForked = generation != ownership.resolvedIn
        do throws(SecretStoreError) {
            try anchor.requireOwn()
        } catch {
            // A child with its own session can't reach the session in which the store was created.
            guard isForked, error.code == .forbidden || error.code == .notFound else { throw error }
        }
        // The session that a child's writes fall back to.
        if isForked { try scope.resolve().requireOwn() }
        ownership.ownIn.store(Int64(generation), ordering: .relaxed)
    }
}

/// The values of ``Forks/generation`` when the session was resolved and checked.
struct SessionOwnership: ~Copyable, Sendable {
    let resolvedIn = Forks.generation
    /// The value when the session was found to be the user's own; -1 if it wasn't yet.
    let ownIn = Atomic<Int64>(-1)
}
