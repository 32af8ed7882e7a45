import Keyutils
import SessionKeyring

/// Returns the store's error that `body` throws, or `nil` if it succeeds.
///
/// - Throws: any other error.
func storeError(_ body: () throws -> Void) throws -> SecretStoreError? { try error(of: body) }

/// Returns the kernel's error that `body` throws, or `nil` if it succeeds.
///
/// - Throws: any other error.
func keyringError(_ body: () throws -> Void) throws -> KeyringError? { try error(of: body) }

private func error<Failure: Error>(of body: () throws -> Void) throws -> Failure? {
    do {
        try body()
        return nil
    } catch let error as Failure {
        return error
    }
}
