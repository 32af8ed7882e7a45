import Keyutils

extension KernelBackend {
    /// Runs a write on the namespace's rings, looking them up or making them again if they turn out to be gone, and makes
    /// sure that what was written can be found.
    ///
    /// - Parameter write: returns false if the attempt is blocked, and notes the reason.
    /// - Throws: ``SecretStoreError`` with `contended` if the attempt is blocked.
    func withPair(
        for item: ItemIdentity, _ attempt: inout BackendAttempt,
        _ write: (NamespaceRings.Pair, inout BackendAttempt) throws(KeyringError) -> Bool
    ) throws(SecretStoreError) {
        var pair = try rings.pair(&attempt)
        var refusals = 0
        for round in 1...SecondLooks.replacedRings {
            let isThrough: Bool
            do throws(KeyringError) {
                isThrough = try write(pair, &attempt)
            } catch {
                switch error.code {
                case _ where error.isKeyGoneOrRefused:
                    let current = try rings.findOrMakePair(&attempt)
                    if current == pair, error.code == .accessDenied {
                        // As with a search, a refusal counts only if it lasts.
                        refusals += 1
                        guard refusals < SecondLooks.refusedWrites else { throw SecretStoreError(error, item: item) }
                        SecondLooks.afterRefusedWrite()
                    }
                    pair = current
                    continue
                case .notPermitted where round < SecondLooks.replacedRings:
                    pair = try pairInPlaceOfRestricted(pair.items, error, item: item, &attempt)
                    continue
                default: throw SecretStoreError(error, item: item)
                }
            }
            guard isThrough else { throw attempt.blocked(item) }
            // Writing to a ring that only its possessor may write to shows that it is still linked. One that the whole
            // user may write to takes writes even after it was removed, and they would be lost.
            if rings.scope.access == .possessor { return }
            if try rings.isLinked(pair.items) { return }
            pair = try rings.findOrMakePair(&attempt)
        }
        throw SecretStoreError(.unreadableAfterWrite, item: item)
    }

    /// A ring that takes nothing is one that another process is removing, or died while it did; any other was restricted
    /// by somebody who meant it.
    func pairInPlaceOfRestricted(
        _ items: Keyring, _ error: KeyringError, item: ItemIdentity, _ attempt: inout BackendAttempt
    ) throws(SecretStoreError) -> NamespaceRings.Pair {
        SecondLooks.afterRestrictedRing()
        let current = try rings.findOrMakePair(&attempt)
        guard current.items == items else { return current }
        do throws(KeyringError) {
            guard try rings.finishRemoval(items, &attempt) else { throw error }
        } catch {
            throw SecretStoreError(error, item: item)
        }
        let pair = try rings.findOrMakePair(&attempt)
        // Somebody else is about to replace it.
        if pair.items == items { throw attempt.blocked(item) }
        return pair
    }
}
