/// What `keyring get` prints.
public enum KeyringForm: Sendable {
    /// The password and a newline.
    case password
    /// The user's name and the password, a line each.
    case credentials
    /// `{"password":"..."}`.
    case passwordJSON
    /// `{"username":"...","password":"..."}`.
    case credentialsJSON

    /// Whether the user's name may be left out.
    public var hasUser: Bool { self == .credentials || self == .credentialsJSON }

    var isJSON: Bool { self == .passwordJSON || self == .credentialsJSON }
}
