import Glibc
public import Keyutils
public import SessionKeyring
import Synchronization

/// A throw-away keyring for tests on the real kernel: linked into the session for as long as this value lives, removed with
/// all that is in it at the end.
///
/// It has a timeout of its own, so that a test that is killed leaves nothing that lasts.
public struct ScratchKeyring: ~Copyable, Sendable {
    /// The keyring.
    public let keyring: Keyring
    private let anchor: Keyring

    private static let counter = Atomic<Int>(0)

    /// Makes one.
    ///
    /// - Parameter lifetime: when the kernel drops it, if nothing else does before.
    /// - Throws: `KeyringError` where the kernel does not let us.
    public init(lifetime: Duration = .seconds(3_600)) throws(KeyringError) {
        let timeout = try KeyTimeout(lifetime)
        let anchor = try Keyring.resolve(.sessionKeyring)
        let number = Self.counter.wrappingAdd(1, ordering: .relaxed).newValue
        let name = "skr-scratch-\(getpid())-\(number)"
        let keyring = try QuotaPatience.long.wait { () throws(KeyringError) in try Keyring.thread.addKeyring(name) }
        do throws(KeyringError) {
            try Key(keyring).setTimeout(timeout)
            try Keyring.thread.move(Key(keyring), to: anchor)
        } catch {
            try? Keyring.thread.unlink(Key(keyring))
            throw error
        }
        self.anchor = anchor
        self.keyring = keyring
    }

    deinit {
        // Clearing first: other processes may still hold links to the ring. What fails here, the timeout ends.
        try? keyring.clear()
        try? anchor.unlink(Key(keyring))
    }

    /// The scope whose items live in this keyring.
    public var scope: SecretScope { .keyring(keyring.serial) }

    /// A store in this keyring.
    ///
    /// - Throws: `SecretStoreError` as the store's initializer does.
    public func store(
        namespace: String = SecretStore.defaultNamespace,
        codec: any SecretCodec = .json
    ) throws(SecretStoreError) -> SecretStore {
        try SecretStore(scope, namespace: namespace, codec: codec)
    }
}
