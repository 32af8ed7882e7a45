package import Keyutils

/// Single attempts, for a program that does other work while a write is blocked: see ``Wait/pause(after:_:)``.
extension SecretStore {
    /// Stores bytes in one attempt, as ``set(_:for:timeout:refreshAfter:usableFor:)-(SecretBytes,_,_,_,_)``.
    ///
    /// The timeout counts from the first attempt.
    package func set(
        _ secret: borrowing SecretBytes, for item: ItemIdentity, timeout: Duration?, _ attempt: inout BackendAttempt
    ) throws(SecretStoreError) {
        let running = try writeTimeout(timeout, for: item)
        if attempt.timeout == nil { attempt.timeout = running }
        let keyTimeout = running == nil ? nil : attempt.timeout?.left
        try secret.withBytes { bytes throws(SecretStoreError) in
            try backend.set(bytes, for: item, timeout: keyTimeout, &attempt)
        }
    }

    /// Deletes the item in one attempt.
    ///
    /// - Returns: false if the item did not exist.
    @discardableResult
    package func delete(_ item: ItemIdentity, _ attempt: inout BackendAttempt) throws(SecretStoreError) -> Bool {
        try checkWrite(item)
        return try backend.delete(item, &attempt)
    }
}
