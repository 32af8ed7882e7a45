/// A `Codable` image of a domain type that should not know how it is stored.
///
/// ```swift
/// struct AuthTokenMirror: SecretMirror {
///     let accessToken: String
///     init(mirroring token: AuthToken) { accessToken = token.accessToken }
///     func restore() -> AuthToken { AuthToken(accessToken: accessToken) }
/// }
/// let slot = store.slot(for: item, through: AuthTokenMirror.self)
/// ```
public protocol SecretMirror<Model>: Codable, SendableMetatype {
    /// The domain type.
    associatedtype Model

    /// Creates the image of a value.
    ///
    /// - Throws: an error that explains why the value can't be stored.
    init(mirroring model: Model) throws

    /// Restores the value from its image.
    ///
    /// - Throws: an error that explains why the image is not a valid value.
    func restore() throws -> Model
}
