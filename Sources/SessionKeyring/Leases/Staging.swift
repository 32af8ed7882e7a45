import Keyutils

/// Stages keys: they get their permissions and timeout in the calling thread's keyring, where others can't see them.
enum Staging {
    /// Adds a key, and sets its permissions and timeout.
    static func stage(
        _ description: String,
        payload: RawSpan,
        permissions: KeyPermissions,
        timeout: KeyTimeout?
    ) throws(KeyringError) -> Key {
        let key = try Keyring.thread.add(.user, description, payload: payload)
        try discardIfFailing(key) { () throws(KeyringError) in
            try key.setPermissions(permissions)
            if let timeout { try key.setTimeout(timeout) }
        }
        return key
    }

    /// Runs `body`, and drops the staged key if that fails.
    @inline(__always)
    static func discardIfFailing<Result: ~Copyable>(
        _ key: Key, _ body: () throws(KeyringError) -> Result
    ) throws(KeyringError) -> Result {
        do throws(KeyringError) {
            return try body()
        } catch {
            discard(key)
            throw error
        }
    }

    /// Drops a staged key.
    ///
    /// It is not an error if the key is already gone. The keyring is destroyed with its thread in any case.
    static func discard(_ key: Key) {
        try? Keyring.thread.unlink(key)
    }
}
