extension KeyringError {
    /// The calls that can fail, by the names of their C functions.
    @nonexhaustive
    public enum Operation: String, Hashable, Sendable {
        /// `add_key(2)`.
        case add = "add_key"
        /// `request_key(2)`.
        case request = "request_key"
        /// `keyctl_get_keyring_ID(3)`.
        case resolve = "keyctl_get_keyring_ID"
        /// `keyctl_join_session_keyring(3)`.
        case joinSession = "keyctl_join_session_keyring"
        /// `keyctl_session_to_parent(3)`.
        case sessionToParent = "keyctl_session_to_parent"
        /// `keyctl_get_persistent(3)`.
        case getPersistent = "keyctl_get_persistent"
        /// `keyctl_update(3)`.
        case update = "keyctl_update"
        /// `keyctl_read(3)`.
        case read = "keyctl_read"
        /// `keyctl_describe(3)`.
        case describe = "keyctl_describe"
        /// `keyctl_get_security(3)`.
        case getSecurity = "keyctl_get_security"
        /// `keyctl_setperm(3)`.
        case setPermissions = "keyctl_setperm"
        /// `keyctl_set_timeout(3)`.
        case setTimeout = "keyctl_set_timeout"
        /// `keyctl_chown(3)`.
        case changeOwner = "keyctl_chown"
        /// `keyctl_revoke(3)`.
        case revoke = "keyctl_revoke"
        /// `keyctl_invalidate(3)`.
        case invalidate = "keyctl_invalidate"
        /// `keyctl_link(3)`.
        case link = "keyctl_link"
        /// `keyctl_unlink(3)`.
        case unlink = "keyctl_unlink"
        /// `keyctl_move(3)`.
        case move = "keyctl_move"
        /// `keyctl_clear(3)`.
        case clear = "keyctl_clear"
        /// `keyctl_search(3)`.
        case search = "keyctl_search"
        /// `keyctl_restrict_keyring(3)`.
        case restrict = "keyctl_restrict_keyring"
        /// `keyctl_instantiate(3)`.
        case instantiate = "keyctl_instantiate"
        /// `keyctl_negate(3)`.
        case negate = "keyctl_negate"
        /// `keyctl_reject(3)`.
        case reject = "keyctl_reject"
        /// `keyctl_assume_authority(3)`.
        case assumeAuthority = "keyctl_assume_authority"
        /// `keyctl_set_reqkey_keyring(3)`.
        case setRequestKeyring = "keyctl_set_reqkey_keyring"
        /// `keyctl_dh_compute(3)`.
        case diffieHellman = "keyctl_dh_compute"
        /// `keyctl_pkey_query(3)`.
        case publicKeyQuery = "keyctl_pkey_query"
        /// `keyctl_pkey_encrypt(3)`.
        case encrypt = "keyctl_pkey_encrypt"
        /// `keyctl_pkey_decrypt(3)`.
        case decrypt = "keyctl_pkey_decrypt"
        /// `keyctl_pkey_sign(3)`.
        case sign = "keyctl_pkey_sign"
        /// `keyctl_pkey_verify(3)`.
        case verify = "keyctl_pkey_verify"
        /// `keyctl_capabilities(3)`.
        case capabilities = "keyctl_capabilities"
        /// Reading `/proc/keys` or `/proc/key-users`: `keyrings(7)`.
        case procfs = "/proc/keys"
    }
}
