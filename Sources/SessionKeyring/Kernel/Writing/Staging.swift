import Keyutils

/// The calling thread's own keyring, where a key gets its permissions and timeout before anybody can see it.
enum Staging {
    /// Adds a key and completes it.
    static func stage(
        _ type: KeyType,
        _ description: String,
        payload: RawSpan,
        permissions: KeyPermissions,
        timeout: KeyTimeout?
    ) throws(KeyringError) -> Key {
        let key = try Keyring.thread.add(type, description, payload: payload)
        do throws(KeyringError) {
            try key.setPermissions(permissions)
            if let timeout { try key.setTimeout(timeout) }
            return key
        } catch {
            discard(key)
            throw error
        }
    }

    /// Drops a staged key.
    ///
    /// That it is gone already is what was wanted, and the keyring dies with its thread in any case.
    static func discard(_ key: Key) {
        try? Keyring.thread.unlink(key)
    }
}
