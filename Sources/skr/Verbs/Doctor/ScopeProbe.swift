import Keyutils
import SessionKeyring

/// A proof that a scope keeps secrets.
///
/// It stores a secret in a temporary keyring with a timeout, reads it back and deletes it.
struct ScopeProbe: Sendable {
    /// Whether the store knew how much time the secret had left.
    let isTimeLeftKnown: Bool

    private static let item = ItemIdentity.password(service: "probe")
    private static let lifetime = Duration.seconds(5)

    /// Probes the scope.
    ///
    /// It succeeds if a store that resolved the scope again read exactly the secret that was written, and if nothing of
    /// the secret is left.
    ///
    /// - Throws: ``SecretStoreError`` as the store's operations do, and with `unexpected` if the secret was not
    ///   found or differs.
    init(in scope: SecretScope) throws(SecretStoreError) {
        let anchor = try scope.resolve()
        let ring = try SecretStoreError.translating { () throws(KeyringError) in
            try TemporaryKeyring(
                for: .probe, in: anchor, lifetime: KeyTimeout(Self.lifetime), permissions: scope.permissions)
        }
        let keyring = ring.keyring
        // A program that resolves the scope now must find the keyring.
        let now = try scope.resolve()
        let isFound = try SecretStoreError.translating { () throws(KeyringError) in try now.links(Key(keyring)) }
        guard isFound else { throw SecretStoreError(.unreadableAfterWrite) }
        isTimeLeftKnown = try Self.storeAndReadBack(in: .keyring(keyring.serial, isOpenToOwner: scope.access == .owner))
        do throws(KeyringError) {
            try ring.remove()
        } catch {
            throw SecretStoreError(error)
        }
    }

    private static func storeAndReadBack(in scope: SecretScope) throws(SecretStoreError) -> Bool {
        let secret = SecretBytes(capacity: 16) { secret in
            for _ in 0..<16 { secret.append(.random(in: 0 ... .max)) }
        }
        try SecretStore(scope, namespace: "probe").set(secret, for: item, lasting: Lifetime(lifetime))
        let store = try SecretStore(scope, namespace: "probe")
        guard let found = try store.get(item), found.isEqual(to: secret) else {
            throw SecretStoreError(.unreadableAfterWrite)
        }
        let expiry = try store.items().first?.expiry
        guard try store.delete(item), try !store.contains(item) else { throw SecretStoreError(.unexpected) }
        if case .after? = expiry { return true }
        return false
    }
}

extension SecretStoreError {
    /// Runs `body` and converts the kernel's error to the store's.
    static func translating<Result: ~Copyable>(
        _ body: () throws(KeyringError) -> Result
    ) throws(SecretStoreError) -> Result {
        do throws(KeyringError) {
            return try body()
        } catch {
            throw SecretStoreError(error)
        }
    }
}
