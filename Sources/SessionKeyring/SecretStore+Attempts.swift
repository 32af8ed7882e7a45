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

extension SecretScope {
    /// The names of the namespaces in the scope's keyring.
    package func namespaces() throws(SecretStoreError) -> [String] {
        let anchor = try resolve()
        return try inStoreTerms { () throws(KeyringError) in try LoginSurvey.rings(in: anchor).map(\.name) }
    }

    /// The name of the scope, as options have it.
    package var name: String {
        switch self {
        case .session, .sharedSession: "session"
        case .user: "user"
        case .persistent: "persistent"
        default: "keyring"
        }
    }

    /// The session, or else this scope if it does not outlive the session.
    package var ofSession: SecretScope {
        switch self {
        case .user, .persistent: .session
        default: self
        }
    }
}
