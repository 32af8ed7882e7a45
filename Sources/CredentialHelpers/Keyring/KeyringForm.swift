/// The output of `keyring get`.
public enum KeyringForm: Sendable {
    /// The password and a newline.
    case password
    /// The user's name and the password, each on one line.
    case credentials
    /// `{"password":"..."}`.
    case passwordJSON
    /// `{"username":"...","password":"..."}`.
    case credentialsJSON

    /// Whether the output has the user's name; then the request can omit it.
    public var hasUser: Bool { self == .credentials || self == .credentialsJSON }

    var isJSON: Bool { self == .passwordJSON || self == .credentialsJSON }
}
