/// An object that loads one secret: the half of a ``SecretSlot`` that a reading client depends on.
public protocol SecretLoader<Secret>: Sendable {
    /// The type of the secret.
    associatedtype Secret

    /// Loads the secret.
    ///
    /// - Throws: ``SecretStoreError`` with `notFound` if the secret does not exist or has expired, or for any
    ///   other failure.
    func load() throws(SecretStoreError) -> Secret
}

/// An object that saves one secret: the half of a ``SecretSlot`` that a writing client depends on.
public protocol SecretSaver<Secret>: Sendable {
    /// The type of the secret.
    associatedtype Secret

    /// Saves the secret, replacing the previous one.
    ///
    /// - Throws: ``SecretStoreError``; the previous secret is then unchanged.
    func save(_ secret: Secret) throws(SecretStoreError)
}
