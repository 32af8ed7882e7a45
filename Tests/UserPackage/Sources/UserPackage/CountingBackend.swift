import SessionKeyring
import Synchronization

/// A backend of a user's own, which counts what another one is asked for.
final class CountingBackend: SecretBackend {
    private let whole: any SecretBackend
    private let calls = Atomic(0)

    init(wrapping whole: any SecretBackend) { self.whole = whole }

    var count: Int { calls.load(ordering: .relaxed) }

    private var counted: any SecretBackend {
        calls.add(1, ordering: .relaxed)
        return whole
    }

    func withoutWaiting(lastResorts: Bool) -> any SecretBackend {
        counted.withoutWaiting(lastResorts: lastResorts)
    }

    func read(_ item: ItemIdentity, _ body: (RawSpan) -> Void) throws(SecretStoreError) -> Bool {
        try counted.read(item, body)
    }

    func publish(
        _ bytes: RawSpan, for item: ItemIdentity, timeout: KeyTimeout?, ifAbsent: Bool
    ) throws(SecretStoreError) {
        try counted.publish(bytes, for: item, timeout: timeout, ifAbsent: ifAbsent)
    }

    func expire(_ item: ItemIdentity, timeout: KeyTimeout?) throws(SecretStoreError) -> Bool {
        try counted.expire(item, timeout: timeout)
    }

    func contains(_ item: ItemIdentity) throws(SecretStoreError) -> Bool { try counted.contains(item) }
    func delete(_ item: ItemIdentity) throws(SecretStoreError) -> Bool { try counted.delete(item) }
    func clear() throws(SecretStoreError) { try counted.clear() }
    func identities() throws(SecretStoreError) -> [ItemIdentity] { try counted.identities() }
    func attributes() throws(SecretStoreError) -> [ItemAttributes] { try counted.attributes() }

    func attributes(of item: ItemIdentity) throws(SecretStoreError) -> ItemAttributes? {
        try counted.attributes(of: item)
    }

    func beginUpdate(
        of item: ItemIdentity, lasting duration: Duration, waiting limit: Duration
    ) throws(SecretStoreError) -> (any ItemUpdate)? {
        try counted.beginUpdate(of: item, lasting: duration, waiting: limit)
    }

    func beginFetch(of item: ItemIdentity) throws(SecretStoreError) -> any ItemFetch {
        try counted.beginFetch(of: item)
    }

    func tryLease(_ name: String, lasting duration: Duration) throws(SecretStoreError) -> (any LeaseHandle)? {
        try counted.tryLease(name, lasting: duration)
    }

    func isLeaseHeld(_ name: String) throws(SecretStoreError) -> Bool { try counted.isLeaseHeld(name) }
    func changes() throws(SecretStoreError) -> SecretChanges { try counted.changes() }
}
