import SessionKeyring
import Synchronization

/// A user's own backend, which counts the calls to another backend.
final class CountingBackend: SecretBackend {
    private let whole: any SecretBackend
    private let calls = Atomic(0)

    init(wrapping whole: any SecretBackend) { self.whole = whole }

    var count: Int { calls.load(ordering: .relaxed) }

    private var counted: any SecretBackend {
        calls.add(1, ordering: .relaxed)
        return whole
    }

    func read(_ item: ItemIdentity, _ body: (RawSpan) -> Void) throws(SecretStoreError) -> Bool {
        try counted.read(item, body)
    }

    func set(
        _ bytes: RawSpan, for item: ItemIdentity, timeout: KeyTimeout?, _ attempt: inout BackendAttempt
    ) throws(SecretStoreError) {
        try counted.set(bytes, for: item, timeout: timeout, &attempt)
    }

    func add(
        _ bytes: RawSpan, for item: ItemIdentity, timeout: KeyTimeout?, _ attempt: inout BackendAttempt
    ) throws(SecretStoreError) {
        try counted.add(bytes, for: item, timeout: timeout, &attempt)
    }

    func expire(
        _ item: ItemIdentity, timeout: KeyTimeout?, _ attempt: inout BackendAttempt
    ) throws(SecretStoreError) -> Bool {
        try counted.expire(item, timeout: timeout, &attempt)
    }

    func contains(_ item: ItemIdentity) throws(SecretStoreError) -> Bool { try counted.contains(item) }

    func delete(_ item: ItemIdentity, _ attempt: inout BackendAttempt) throws(SecretStoreError) -> Bool {
        try counted.delete(item, &attempt)
    }

    func clear() throws(SecretStoreError) { try counted.clear() }
    func identities() throws(SecretStoreError) -> [ItemIdentity] { try counted.identities() }
    func attributes() throws(SecretStoreError) -> [ItemAttributes] { try counted.attributes() }

    func attributes(of item: ItemIdentity) throws(SecretStoreError) -> ItemAttributes? {
        try counted.attributes(of: item)
    }

    func beginUpdate(
        of item: ItemIdentity, lasting duration: Duration, _ attempt: inout BackendAttempt
    ) throws(SecretStoreError) -> any ItemUpdate {
        try counted.beginUpdate(of: item, lasting: duration, &attempt)
    }

    func beginFetch(
        of item: ItemIdentity, _ attempt: inout BackendAttempt
    ) throws(SecretStoreError) -> (any ItemFetch)? {
        try counted.beginFetch(of: item, &attempt)
    }

    func takeLease(
        _ name: String, lasting duration: Duration, _ attempt: inout BackendAttempt
    ) throws(SecretStoreError) -> any LeaseHandle {
        try counted.takeLease(name, lasting: duration, &attempt)
    }

    func isLeaseHeld(_ name: String) throws(SecretStoreError) -> Bool { try counted.isLeaseHeld(name) }

    // A wrapper must forward these to work in full. It can forward `fetchPlace` because it does not change the bytes.
    func leaseReport(_ name: String) -> LeaseReport? { whole.leaseReport(name) }
    var fetchPlace: FetchPlace? { whole.fetchPlace }
}
