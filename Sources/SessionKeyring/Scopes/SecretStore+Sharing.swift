import Glibc
import Keyutils

extension SecretStore {
    /// The scope; `nil` for a backend other than the kernel's.
    public var scope: SecretScope? { kernel?.rings.scope }

    /// The namespace; `nil` for a backend other than the kernel's.
    public var namespace: String? { kernel?.rings.namespace }

    /// The id of the user with whose other processes the store shares its session; `nil` if the session is not shared.
    ///
    /// Without a session keyring it is this user's: all of the user's processes without one share the keyring `_uid_ses.N`.
    /// Another user's says that the session belongs to that user, as under `sudo -u` in a login.
    ///
    /// `nil` too for the other scopes, for an explicit keyring, and for a backend other than the kernel's. It takes one system
    /// call, and neither makes nor joins a keyring.
    ///
    /// - Throws: ``SecretStoreError``.
    public var sharingUserID: UInt32? {
        get throws(SecretStoreError) {
            guard let rings = kernel?.rings, rings.scope == .session || rings.scope == .sharedSession else {
                return nil
            }
            let key = try inStoreTerms { () throws(KeyringError) in try Key(rings.anchor).describe() }
            return key.userID != geteuid() || key.name.hasPrefix("_uid_ses.") ? key.userID : nil
        }
    }

    private var kernel: KernelBackend? { backend as? KernelBackend }
}
