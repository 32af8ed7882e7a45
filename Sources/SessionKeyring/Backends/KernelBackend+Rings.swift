import Keyutils

extension KernelBackend {
    /// Runs a write on the namespace's rings, looking them up again or making them anew where they turn out to be gone,
    /// and makes sure that what was written can be found.
    func withPair(
        for item: ItemIdentity,
        _ write: (NamespaceRings.Pair) throws(KeyringError) -> Void
    ) throws(SecretStoreError) {
        var pair = try rings.pair()
        for _ in 0..<8 {
            do throws(KeyringError) {
                try write(pair)
            } catch {
                switch error.code {
                case .notFound, .expired, .revoked, .accessDenied:
                    let current = try rings.findOrMakePair()
                    if current == pair, error.code == .accessDenied { throw SecretStoreError(error, item: item) }
                    pair = current
                    continue
                default: throw SecretStoreError(error, item: item)
                }
            }
            // Writing to a ring that only its possessor may write to shows that it is still linked. One that the whole
            // user may write to takes writes even after it was removed, and they would be lost.
            if rings.scope.access == .possessor { return }
            if try rings.isLinked(pair.items) { return }
            pair = try rings.findOrMakePair()
        }
        throw SecretStoreError(.unreadableAfterWrite, item: item)
    }
}
