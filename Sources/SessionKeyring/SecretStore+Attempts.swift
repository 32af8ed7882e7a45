package import Keyutils

/// Operations for a program that does other work while a write is blocked: see ``Wait/pause(after:_:at:)``.
extension SecretStore {
    /// Prepares to store an item, as ``set(_:for:lasting:)-(SecretBytes,_,_)`` does, except that nothing is sealed.
    ///
    /// - Parameter isAddition: whether a live item is left as it is.
    package func setting(
        _ item: ItemIdentity, lasting lifetime: Lifetime = .scope, isAddition: Bool = false
    ) throws(SecretStoreError) -> SetOperation {
        try checkWrite(item)
        let (timeout, facts) = try started(lifetime, of: item)
        return SetOperation(item, timeout: timeout, facts: facts, isAddition: isAddition, in: backend)
    }

    /// Checks a lifetime, and returns what to store: the timeout, and the facts if there are any.
    func started(
        _ lifetime: Lifetime, of item: ItemIdentity
    ) throws(SecretStoreError) -> (timeout: RunningTimeout?, facts: ItemFacts?) {
        guard lifetime != .scope else { return (nil, nil) }
        let running = try RunningLifetime(lifetime, of: item)
        return (running.timeout, lifetime.hasRefresh ? running.facts() : nil)
    }

    /// Makes one attempt to delete an item if exactly these bytes are stored; nothing is opened that was sealed.
    ///
    /// - Returns: false if the item is absent or holds other bytes.
    package func deleteIfStored(
        _ item: ItemIdentity, _ stored: borrowing SecretBytes, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<Bool> {
        try checkWrite(item)
        return try backend.delete(item, ifUnchanged: stored, effort)
    }

    /// Prepares to delete an item, as ``delete(_:)`` does.
    package func deleting(_ item: ItemIdentity) throws(SecretStoreError) -> DeleteOperation {
        try checkWrite(item)
        return DeleteOperation(item, in: backend)
    }
}
