public import FoundationEssentials
public import Keyutils

extension SecretStoreError: LocalizedError {
    /// What went wrong and with which item, for `localizedDescription`.
    public var errorDescription: String? { description }
}

extension KeyringError: LocalizedError {
    /// What went wrong, for `localizedDescription`.
    public var errorDescription: String? { description }
}
