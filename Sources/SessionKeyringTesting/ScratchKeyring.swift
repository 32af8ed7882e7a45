public import Keyutils
public import SessionKeyring

/// A throw-away keyring for tests on the real kernel: linked into the session for as long as this value lives, removed with
/// all that is in it at the end.
///
/// It has a timeout of its own, so that a test that is killed leaves nothing that lasts.
public struct ScratchKeyring: ~Copyable, Sendable {
    private let ring: TemporaryKeyring

    /// The keyring.
    public var keyring: Keyring { ring.keyring }

    /// Makes one.
    ///
    /// - Parameter timeout: when the kernel drops it, if nothing else does before.
    /// - Throws: `KeyringError` where the kernel does not let us.
    public init(timeout: Duration = .seconds(3_600)) throws(KeyringError) {
        ring = try TemporaryKeyring(
            prefix: "skr-scratch", in: Keyring.resolve(.sessionKeyring), lifetime: KeyTimeout(timeout))
    }

    /// The scope whose items live in this keyring.
    public var scope: SecretScope { .keyring(keyring.serial) }

    /// A store in this keyring.
    ///
    /// - Throws: `SecretStoreError` as the store's initializer does.
    public func store(
        namespace: String = "default",
        codec: any SecretCodec = JSONSecretCodec()
    ) throws(SecretStoreError) -> SecretStore {
        try SecretStore(scope, namespace: namespace, codec: codec)
    }
}
