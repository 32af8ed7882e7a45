import Keyutils
import SessionKeyring
import SessionKeyringTesting
import TestSupport
import Testing
import Threads

@Suite("Changes that take several steps")
struct SeveralStepsTests {
    @Test("a body runs once more if its lease was lost before the body ended")
    func lostLease() throws {
        let store = SecretStore(backend: LostLeases())
        var runs = 0
        let result = try store.holdingLease("job") { () throws(SecretStoreError) -> Int in
            runs += 1
            return runs
        }
        #expect(result == 2)
        #expect(runs == 2)
    }

    @Test("a refused lease and a refused deletion are errors, and the body does not run")
    func forbidden() throws {
        let store = SecretStore(backend: Forbidding())
        let item = ItemIdentity.password(service: "api")
        var runs = 0
        let error = try storeError {
            try store.holdingLease("job") { () throws(SecretStoreError) -> Void in runs += 1 }
        }
        #expect(error?.code == .forbidden && runs == 0)
        try store.set("old", for: item)
        #expect(try storeError { _ = try store.deleteUnchanged(item, SecretBytes(utf8: "old")) }?.code == .forbidden)
    }
}

/// A backend whose first lease is lost before its holder releases it.
private struct LostLeases: ForwardingBackend {
    let whole: any SecretBackend = InMemoryBackend()
    let count = Locked(0)

    func takeLease(
        _ name: String, lasting duration: Duration, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<any LeaseHandle> {
        let isFirst = count.withLock { count in
            count += 1
            return count == 1
        }
        let lease = try whole.takeLease(name, lasting: duration, effort).get()
        return .done(LostLease(lease, isLost: isFirst))
    }
}

private final class LostLease: LeaseHandle {
    private let whole: any LeaseHandle
    private let isLost: Bool

    init(_ whole: any LeaseHandle, isLost: Bool) { (self.whole, self.isLost) = (whole, isLost) }

    var fencingNumber: UInt64 { whole.fencingNumber }
    var timeLeft: Duration { whole.timeLeft }

    func renew(lasting duration: Duration) throws(SecretStoreError) -> Bool { try whole.renew(lasting: duration) }
    func name(command processID: Int32) throws(SecretStoreError) -> Bool { try whole.name(command: processID) }
    func release() -> Bool { whole.release() && !isLost }
}

/// A backend that refuses leases and deletions.
private struct Forbidding: ForwardingBackend {
    let whole: any SecretBackend = InMemoryBackend()

    func takeLease(
        _ name: String, lasting duration: Duration, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<any LeaseHandle> { throw SecretStoreError(.forbidden) }

    func delete(
        _ item: ItemIdentity, ifUnchanged secret: borrowing SecretBytes, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<Bool> { throw SecretStoreError(.forbidden, item: item) }
}
