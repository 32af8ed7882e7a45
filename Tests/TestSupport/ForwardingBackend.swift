import Keyutils
import SessionKeyring

/// A backend that forwards every call to another backend, except the calls that it implements itself.
package protocol ForwardingBackend: SecretBackend {
    var whole: any SecretBackend { get }
}

extension ForwardingBackend {
    package func read(_ item: ItemIdentity, _ body: (RawSpan) -> Void) throws(SecretStoreError) -> Bool {
        try whole.read(item, body)
    }

    package func set(
        _ bytes: RawSpan, for item: ItemIdentity, timeout: KeyTimeout?, _ attempt: inout BackendAttempt
    ) throws(SecretStoreError) {
        try whole.set(bytes, for: item, timeout: timeout, &attempt)
    }

    package func add(
        _ bytes: RawSpan, for item: ItemIdentity, timeout: KeyTimeout?, _ attempt: inout BackendAttempt
    ) throws(SecretStoreError) {
        try whole.add(bytes, for: item, timeout: timeout, &attempt)
    }

    package func expire(
        _ item: ItemIdentity, timeout: KeyTimeout?, _ attempt: inout BackendAttempt
    ) throws(SecretStoreError) -> Bool {
        try whole.expire(item, timeout: timeout, &attempt)
    }

    package func contains(_ item: ItemIdentity) throws(SecretStoreError) -> Bool { try whole.contains(item) }

    package func delete(_ item: ItemIdentity, _ attempt: inout BackendAttempt) throws(SecretStoreError) -> Bool {
        try whole.delete(item, &attempt)
    }

    package func clear() throws(SecretStoreError) { try whole.clear() }
    package func identities() throws(SecretStoreError) -> [ItemIdentity] { try whole.identities() }
    package func attributes() throws(SecretStoreError) -> [ItemAttributes] { try whole.attributes() }

    package func attributes(of item: ItemIdentity) throws(SecretStoreError) -> ItemAttributes? {
        try whole.attributes(of: item)
    }

    package func beginUpdate(
        of item: ItemIdentity, lasting duration: Duration, _ attempt: inout BackendAttempt
    ) throws(SecretStoreError) -> any ItemUpdate {
        try whole.beginUpdate(of: item, lasting: duration, &attempt)
    }

    package func beginFetch(
        of item: ItemIdentity, _ attempt: inout BackendAttempt
    ) throws(SecretStoreError) -> (any ItemFetch)? {
        try whole.beginFetch(of: item, &attempt)
    }

    package func takeLease(
        _ name: String, lasting duration: Duration, _ attempt: inout BackendAttempt
    ) throws(SecretStoreError) -> any LeaseHandle {
        try whole.takeLease(name, lasting: duration, &attempt)
    }

    package func isLeaseHeld(_ name: String) throws(SecretStoreError) -> Bool { try whole.isLeaseHeld(name) }

}
