/// Something that loads one secret: the half of a ``SecretSlot`` that a client which only reads depends on.
public protocol SecretLoader<Secret>: Sendable {
    /// What it loads.
    associatedtype Secret

    /// Loads the secret.
    ///
    /// - Throws: ``SecretStoreError`` with `notFound` where there is none or it has expired, or what else went wrong.
    func load() throws(SecretStoreError) -> Secret
}

/// Something that saves one secret: the half of a ``SecretSlot`` that a client which only writes depends on.
public protocol SecretSaver<Secret>: Sendable {
    /// What it saves.
    associatedtype Secret

    /// Saves the secret, replacing the one before.
    ///
    /// - Throws: ``SecretStoreError`` with what went wrong; the secret before is then still there.
    func save(_ secret: Secret) throws(SecretStoreError)
}
