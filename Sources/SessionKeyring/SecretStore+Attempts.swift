/// Operations for a program that does other work while a write is blocked: see ``Wait/pause(after:_:at:)``.
extension SecretStore {
    /// Prepares to store an item, as ``set(_:for:timeout:refreshAfter:usableFor:)-(SecretBytes,_,_,_,_)`` does.
    ///
    /// - Parameter isAddition: whether a live item is left as it is.
    package func setting(
        _ item: ItemIdentity, timeout: Duration?, refreshAfter: Duration? = nil, usableFor: Duration? = nil,
        isAddition: Bool = false
    ) throws(SecretStoreError) -> SetOperation {
        var facts: ItemFacts?
        if refreshAfter != nil || usableFor != nil {
            facts = try Lifetime(timeout: timeout, refreshAfter: refreshAfter, usableFor: usableFor, of: item).facts()
        }
        return SetOperation(
            item, timeout: try writeTimeout(timeout, for: item), facts: facts, isAddition: isAddition, in: backend)
    }

    /// Prepares to delete an item, as ``delete(_:)`` does.
    package func deleting(_ item: ItemIdentity) throws(SecretStoreError) -> DeleteOperation {
        try checkWrite(item)
        return DeleteOperation(item, in: backend)
    }
}
