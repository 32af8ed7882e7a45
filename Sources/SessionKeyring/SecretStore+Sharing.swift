import Glibc
import Keyutils

extension SecretStore {
    /// The store's scope; `nil` for a backend other than the kernel's.
    package var scope: SecretScope? { backend.place?.scope }

    /// The store's namespace; `nil` for a backend other than the kernel's.
    package var namespace: String? { backend.place?.namespace.text }

    /// The id of the user whose other processes share the store's session; `nil` if it is not shared.
    ///
    /// If it is the calling user, there isn't a session keyring: all of the user's processes without one share
    /// `_uid_ses.N`. If it is another user, the session belongs to that user, as under `sudo -u` in a login.
    ///
    /// It is also `nil` for the other scopes, for an explicit keyring, and for a backend other than the kernel's.
    /// Reading it takes one system call, and neither creates nor joins a keyring.
    ///
    /// - Throws: ``SecretStoreError``.
    package var sharingUserID: UInt32? {
        get throws(SecretStoreError) {
            guard let place = backend.place, place.scope == .session || place.scope == .sharedSession else {
                return nil
            }
            let key = try inStoreTerms { () throws(KeyringError) in try Key(place.anchor).describe() }
            return key.userID != geteuid() || key.name.hasPrefix("_uid_ses.") ? key.userID : nil
        }
    }
}
