import Keyutils
import SessionKeyring

/// A backend that does what another one does, but for what it does by itself.
protocol ForwardingBackend: SecretBackend {
    var whole: any SecretBackend { get }
}

extension ForwardingBackend {
    func withoutWaiting(lastResorts: Bool) -> any SecretBackend { self }

    func read(_ item: ItemIdentity, _ body: (RawSpan) -> Void) throws(SecretStoreError) -> Bool {
        try whole.read(item, body)
    }

    func publish(
        _ bytes: RawSpan, for item: ItemIdentity, timeout: KeyTimeout?, ifAbsent: Bool
    ) throws(SecretStoreError) {
        try whole.publish(bytes, for: item, timeout: timeout, ifAbsent: ifAbsent)
    }

    func expire(_ item: ItemIdentity, timeout: KeyTimeout?) throws(SecretStoreError) -> Bool {
        try whole.expire(item, timeout: timeout)
    }

    func contains(_ item: ItemIdentity) throws(SecretStoreError) -> Bool { try whole.contains(item) }
    func delete(_ item: ItemIdentity) throws(SecretStoreError) -> Bool { try whole.delete(item) }
    func clear() throws(SecretStoreError) { try whole.clear() }
    func identities() throws(SecretStoreError) -> [ItemIdentity] { try whole.identities() }
    func attributes() throws(SecretStoreError) -> [ItemAttributes] { try whole.attributes() }

    func attributes(of item: ItemIdentity) throws(SecretStoreError) -> ItemAttributes? {
        try whole.attributes(of: item)
    }

    func beginUpdate(
        of item: ItemIdentity, lasting duration: Duration, waiting limit: Duration
    ) throws(SecretStoreError) -> (any ItemUpdate)? {
        try whole.beginUpdate(of: item, lasting: duration, waiting: limit)
    }

    func beginFetch(of item: ItemIdentity) throws(SecretStoreError) -> any ItemFetch { try whole.beginFetch(of: item) }

    func tryLease(_ name: String, lasting duration: Duration) throws(SecretStoreError) -> (any LeaseHandle)? {
        try whole.tryLease(name, lasting: duration)
    }

    func isLeaseHeld(_ name: String) throws(SecretStoreError) -> Bool { try whole.isLeaseHeld(name) }
    func changes() throws(SecretStoreError) -> SecretChanges { try whole.changes() }
}
