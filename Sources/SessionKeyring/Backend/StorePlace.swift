package import Keyutils

/// The place of a store's items in the kernel keyring: a namespace in a scope.
package struct StorePlace: Hashable, Sendable {
    package let scope: SecretScope
    /// The keyring that the scope stands for.
    package let anchor: KeySerial
    package let namespace: Name
}
