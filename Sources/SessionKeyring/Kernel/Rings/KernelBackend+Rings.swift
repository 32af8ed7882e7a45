import Glibc
import Keyutils

extension KernelBackend {
    /// Runs a write on the namespace's rings, looking them up again or making them anew where they turn out to be gone,
    /// and makes sure that what was written can be found.
    func withPair(
        for item: ItemIdentity,
        _ write: (NamespaceRings.Pair) throws(KeyringError) -> Void
    ) throws(SecretStoreError) {
        var pair = try rings.pair(mayWait: mayWait)
        var refusals = 0
        for round in 1...RetryBudget.replacedRings {
            do throws(KeyringError) {
                try write(pair)
            } catch {
                switch error.code {
                case _ where error.isKeyGoneOrRefused:
                    let current = try rings.findOrMakePair(mayWait: mayWait)
                    if current == pair, error.code == .accessDenied {
                        // As with a search, a refusal counts only if it lasts.
                        refusals += 1
                        guard refusals < RetryBudget.refusedWrites else { throw SecretStoreError(error, item: item) }
                        usleep(200)
                    }
                    pair = current
                    continue
                case .notPermitted where round < RetryBudget.replacedRings:
                    pair = try pairInPlaceOfRestricted(pair.items, error, item: item)
                    continue
                default: throw SecretStoreError(error, item: item)
                }
            }
            // Writing to a ring that only its possessor may write to shows that it is still linked. One that the whole
            // user may write to takes writes even after it was removed, and they would be lost.
            if rings.scope.access == .possessor { return }
            if try rings.isLinked(pair.items) { return }
            pair = try rings.findOrMakePair(mayWait: mayWait)
        }
        throw SecretStoreError(.unreadableAfterWrite, item: item)
    }

    /// A ring that takes nothing is one that another process is giving back, or died while it did; any other was restricted
    /// by somebody who meant it.
    func pairInPlaceOfRestricted(
        _ items: Keyring, _ error: KeyringError, item: ItemIdentity
    ) throws(SecretStoreError) -> NamespaceRings.Pair {
        usleep(1_000)
        let current = try rings.findOrMakePair(mayWait: mayWait)
        guard current.items == items else { return current }
        do throws(KeyringError) {
            guard try rings.finishGivingBack(items, mayWait: mayWait) else { throw error }
        } catch {
            throw SecretStoreError(error, item: item)
        }
        let pair = try rings.findOrMakePair(mayWait: mayWait)
        // Somebody else is about to replace it.
        if pair.items == items, !mayWait { throw SecretStoreError(.contended, item: item) }
        return pair
    }
}
