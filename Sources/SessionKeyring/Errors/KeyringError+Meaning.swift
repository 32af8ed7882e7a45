import Keyutils

/// The meaning of an error for the key that was used or the name that was searched for, decided only here.
extension KeyringError {
    /// Whether the key no longer exists, or is dead and keeps its name until the kernel collects it.
    var isKeyGone: Bool { code == .notFound || isKeyDead }

    /// Whether the key has expired or was revoked, and keeps its name until the kernel collects it.
    var isKeyDead: Bool { code == .expired || code == .revoked }

    /// Whether the key was gone, or about to go, when it was used.
    ///
    /// A key that was just displaced or invalidated may also fail with `accessDenied`, because it is no longer
    /// possessed. A key that exists but belongs to others fails in the same way. A caller that must tell the two apart
    /// looks once more.
    var isKeyGoneOrRefused: Bool { isKeyGone || code == .accessDenied }
}

/// Runs `body`; `nil` if a key that it used was gone, or refused this process (``KeyringError/isKeyGoneOrRefused``).
@discardableResult @inline(__always)
func unlessGoneOrRefused<Result>(_ body: () throws(KeyringError) -> Result) throws(KeyringError) -> Result? {
    do throws(KeyringError) {
        return try body()
    } catch {
        guard error.isKeyGoneOrRefused else { throw error }
        return nil
    }
}

/// Runs kernel operations and converts their errors into the store's errors.
@inline(__always)
func inStoreTerms<Result: ~Copyable>(
    _ item: ItemIdentity? = nil, _ body: () throws(KeyringError) -> Result
) throws(SecretStoreError) -> Result {
    do throws(KeyringError) {
        return try body()
    } catch {
        throw SecretStoreError(error, item: item)
    }
}

extension KeyTimeout {
    /// Converts an item's timeout.
    ///
    /// - Throws: ``SecretStoreError`` with `invalidTimeout`.
    init(_ duration: Duration, of item: ItemIdentity) throws(SecretStoreError) {
        do throws(KeyringError) {
            try self.init(duration)
        } catch {
            throw SecretStoreError(.invalidTimeout, item: item)
        }
    }
}
