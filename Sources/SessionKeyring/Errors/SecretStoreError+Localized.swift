public import FoundationEssentials
public import Keyutils

extension SecretStoreError: LocalizedError {
    /// A description of the failure that names the item, for `localizedDescription`.
    public var errorDescription: String? { description }
}

extension KeyringError: LocalizedError {
    /// A description of the failure, for `localizedDescription`.
    public var errorDescription: String? { description }
}
