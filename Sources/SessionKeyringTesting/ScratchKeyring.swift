public import Keyutils
public import SessionKeyring

/// A temporary keyring for tests on the real kernel.
///
/// It is linked into the session for as long as this value lives. Then it is removed with everything in it. It also has
/// a timeout, so that a test that is killed leaves nothing permanent.
public struct ScratchKeyring: ~Copyable, Sendable {
    private let ring: TemporaryKeyring

    /// The keyring.
    public var keyring: Keyring { ring.keyring }

    /// Creates a scratch keyring.
    ///
    /// - Parameter timeout: when the kernel drops the keyring, if nothing else removes it before.
    /// - Throws: `KeyringError` if the kernel does not allow it.
    public init(timeout: Duration = .seconds(3_600)) throws(KeyringError) {
        ring = try TemporaryKeyring(
            for: .scratch, in: Keyring.resolve(.sessionKeyring), lifetime: KeyTimeout(timeout))
    }

    /// The scope whose items live in this keyring.
    public var scope: SecretScope { .keyring(keyring.serial) }

    /// Creates a store in this keyring.
    ///
    /// - Throws: `SecretStoreError`, as the store's initializer does.
    public func store(
        namespace: String = "default",
        codec: any SecretCodec = JSONSecretCodec(),
        sealing: SecretSealing? = nil
    ) throws(SecretStoreError) -> SecretStore {
        try SecretStore(scope, namespace: namespace, codec: codec, sealing: sealing)
    }
}
