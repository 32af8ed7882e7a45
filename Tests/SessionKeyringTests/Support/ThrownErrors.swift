import Keyutils
import SessionKeyring

/// Returns the store's error that `body` throws, or `nil` if it succeeds.
///
/// - Throws: any other error.
func storeError(_ body: () throws -> Void) throws -> SecretStoreError? {
    do {
        try body()
        return nil
    } catch let error as SecretStoreError {
        return error
    }
}

/// Returns the kernel's error that `body` throws, or `nil` if it succeeds.
///
/// - Throws: any other error.
func keyringError(_ body: () throws -> Void) throws -> KeyringError? {
    do {
        try body()
        return nil
    } catch let error as KeyringError {
        return error
    }
}
