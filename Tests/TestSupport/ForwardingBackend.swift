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

    package func readWithFacts(
        _ item: ItemIdentity, _ body: (RawSpan) -> Void
    ) throws(SecretStoreError) -> KnownValue? {
        try whole.readWithFacts(item, body)
    }

    package func set(
        _ bytes: RawSpan, for item: ItemIdentity, timeout: KeyTimeout?, _ facts: ItemFacts?, _ effort: Effort,
        after step: VisibleStep?
    ) throws(SecretStoreError) -> Outcome<Void> {
        try whole.set(bytes, for: item, timeout: timeout, facts, effort, after: step)
    }

    package func add(
        _ bytes: RawSpan, for item: ItemIdentity, timeout: KeyTimeout?, _ facts: ItemFacts?, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<Void> {
        try whole.add(bytes, for: item, timeout: timeout, facts, effort)
    }

    package func expire(
        _ item: ItemIdentity, timeout: KeyTimeout?, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<Bool> {
        try whole.expire(item, timeout: timeout, effort)
    }

    package func changeFacts(
        of item: ItemIdentity, _ value: KnownValue, _ effort: Effort, _ change: (inout ItemFacts) -> Void
    ) throws(SecretStoreError) -> Outcome<Bool> {
        try whole.changeFacts(of: item, value, effort, change)
    }

    package func contains(_ item: ItemIdentity) throws(SecretStoreError) -> Bool { try whole.contains(item) }

    package func delete(
        _ item: ItemIdentity, _ effort: Effort, after step: VisibleStep?
    ) throws(SecretStoreError) -> Outcome<Bool> {
        try whole.delete(item, effort, after: step)
    }

    package func delete(
        _ item: ItemIdentity, ifUnchanged secret: borrowing SecretBytes, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<Bool> {
        try whole.delete(item, ifUnchanged: secret, effort)
    }

    package func clear() throws(SecretStoreError) { try whole.clear() }
    package func identities() throws(SecretStoreError) -> [ItemIdentity] { try whole.identities() }
    package func attributes() throws(SecretStoreError) -> [ItemAttributes] { try whole.attributes() }

    package func attributes(of item: ItemIdentity) throws(SecretStoreError) -> ItemAttributes? {
        try whole.attributes(of: item)
    }

    package func unreadableKeys() throws(SecretStoreError) -> [KeySerial] { try whole.unreadableKeys() }

    package func itemsWithHidden() throws(SecretStoreError) -> Set<ItemIdentity> { try whole.itemsWithHidden() }

    package func beginUpdate(
        of item: ItemIdentity, lasting duration: Duration, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<any ItemUpdate> {
        try whole.beginUpdate(of: item, lasting: duration, effort)
    }

    package func beginFetch(
        of item: ItemIdentity, reserving size: Int?, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<(any ItemFetch)?> {
        try whole.beginFetch(of: item, reserving: size, effort)
    }

    package func takeLease(
        _ name: String, lasting duration: Duration, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<any LeaseHandle> {
        try whole.takeLease(name, lasting: duration, effort)
    }

    package func isLeaseHeld(_ name: String) throws(SecretStoreError) -> Bool { try whole.isLeaseHeld(name) }
    package func isBeingWritten(_ item: ItemIdentity) throws(SecretStoreError) -> Bool {
        try whole.isBeingWritten(item)
    }

    package func leaseReport(_ name: String) -> LeaseReport? { whole.leaseReport(name) }
    package var place: StorePlace? { whole.place }
}
