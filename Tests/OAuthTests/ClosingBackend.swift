import Keyutils
import SessionKeyring
import SessionKeyringTesting
import TestSupport
import Threads

/// A backend that can refuse all updates, and that grants shorter leases.
final class ClosingBackend: ForwardingBackend {
    let whole: any SecretBackend
    private let leaseDuration: Duration?
    private let isClosed = Locked(false)
    /// The processes that leases have named.
    let named = Locked<[Int32]>([])
    private let beforeFetch: @Sendable () -> Void

    init(
        whole: any SecretBackend, leaseDuration: Duration? = nil, beforeFetch: @escaping @Sendable () -> Void = {}
    ) {
        (self.whole, self.leaseDuration, self.beforeFetch) = (whole, leaseDuration, beforeFetch)
    }

    func close() { isClosed.withLock { $0 = true } }

    func beginFetch(
        of item: ItemIdentity, reserving size: Int?, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<(any ItemFetch)?> {
        beforeFetch()
        let outcome = try whole.beginFetch(of: item, reserving: size, effort)
        guard case .done(let fetch?) = outcome else { return outcome }
        return .done(ClosingFetch(whole: fetch, isClosed: isClosed))
    }

    func beginUpdate(
        of item: ItemIdentity, lasting duration: Duration, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<any ItemUpdate> {
        guard !isClosed.withLock({ $0 }) else { throw SecretStoreError(.sessionRevoked) }
        return try whole.beginUpdate(of: item, lasting: duration, effort)
    }

    func takeLease(
        _ name: String, lasting duration: Duration, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<any LeaseHandle> {
        guard case .done(let lease) = try whole.takeLease(name, lasting: leaseDuration ?? duration, effort) else {
            return .blocked(SecretStoreError(.leaseHeld))
        }
        return .done(NamedLease(whole: lease, named: named))
    }
}

private final class NamedLease: LeaseHandle {
    private let whole: any LeaseHandle
    private let named: Locked<[Int32]>

    init(whole: any LeaseHandle, named: Locked<[Int32]>) { (self.whole, self.named) = (whole, named) }

    var fencingNumber: UInt64 { whole.fencingNumber }
    var timeLeft: Duration { whole.timeLeft }

    func renew(lasting duration: Duration) throws(SecretStoreError) -> Bool { try whole.renew(lasting: duration) }

    func name(command processID: Int32) throws(SecretStoreError) -> Bool {
        named.withLock { $0.append(processID) }
        return try whole.name(command: processID)
    }

    func release() -> Bool { whole.release() }
}

private final class ClosingFetch: ItemFetch {
    private let whole: any ItemFetch
    private let isClosed: Locked<Bool>

    init(whole: any ItemFetch, isClosed: Locked<Bool>) { (self.whole, self.isClosed) = (whole, isClosed) }

    func renew() { whole.renew() }
    func isUntouched(_ key: Int32?) throws(SecretStoreError) -> Bool { try whole.isUntouched(key) }

    func store(
        _ bytes: RawSpan, timeout: KeyTimeout?, _ facts: ItemFacts?, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<FetchStorage> {
        guard !isClosed.withLock({ $0 }) else { throw SecretStoreError(.sessionRevoked) }
        return try whole.store(bytes, timeout: timeout, facts, effort)
    }
}
