/// Operations for a program that does other work while a write is blocked: see ``Wait/pause(after:_:at:)``.
extension SecretStore {
    /// Prepares to store an item, as ``set(_:for:timeout:refreshAfter:usableFor:)-(SecretBytes,_,_,_,_)`` does.
    package func setting(_ item: ItemIdentity, timeout: Duration?) throws(SecretStoreError) -> SetOperation {
        SetOperation(item, timeout: try writeTimeout(timeout, for: item), in: backend)
    }

    /// Prepares to delete an item, as ``delete(_:)`` does.
    package func deleting(_ item: ItemIdentity) throws(SecretStoreError) -> DeleteOperation {
        try checkWrite(item)
        return DeleteOperation(item, in: backend)
    }
}
