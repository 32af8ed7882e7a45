import Glibc
import Keyutils

extension SecretStore {
    /// The users whose other processes can read items in a session scope.
    @nonexhaustive
    public enum SessionSharing: Hashable, Sendable {
        /// There is no session keyring of its own: all processes of this user without one share the keyring `_uid_ses.N`.
        case userSession(userID: UInt32)
        /// The session belongs to another user, as under `sudo -u` in a login.
        case otherUser(userID: UInt32)
    }

    /// The scope; `nil` for a backend other than the kernel's.
    public var scope: SecretScope? { kernel?.rings.scope }

    /// The namespace; `nil` for a backend other than the kernel's.
    public var namespace: String? { kernel?.rings.namespace }

    /// The user with whose other processes the store shares its session; `nil` for a session of its own.
    ///
    /// `nil` too for the other scopes, for an explicit keyring, and for a backend other than the kernel's. It takes one system
    /// call, and neither makes nor joins a keyring.
    ///
    /// - Throws: ``SecretStoreError``.
    public var sessionSharing: SessionSharing? {
        get throws(SecretStoreError) {
            guard let rings = kernel?.rings, rings.scope == .session || rings.scope == .sharedSession else {
                return nil
            }
            let key: KeyDescription
            do throws(KeyringError) {
                key = try Key(rings.anchor).describe()
            } catch {
                throw SecretStoreError(error)
            }
            if key.userID != geteuid() { return .otherUser(userID: key.userID) }
            return key.name.hasPrefix("_uid_ses.") ? .userSession(userID: key.userID) : nil
        }
    }

    private var kernel: KernelBackend? { backend as? KernelBackend }
}
