import Keyutils
import SessionKeyring
import Threads

/// A backend with an injected fault, to show that the checks notice it.
struct FaultyBackend: SecretBackend {
    private let whole: any SecretBackend
    private let fault: InjectedFault
    private let state = Locked(State())

    private struct State: Sendable {
        var calls = 0
        /// An earlier value of each item.
        var old: [ItemIdentity: [UInt8]] = [:]
    }

    init(wrapping whole: any SecretBackend, fault: InjectedFault) {
        self.whole = whole
        self.fault = fault
    }

    /// Whether this call goes wrong, as one of every `interval` calls does.
    private func goesWrong(_ kind: InjectedFault, oneOf interval: Int) -> Bool {
        guard fault == kind else { return false }
        return state.withLock { state in
            state.calls += 1
            return state.calls % interval == 0
        }
    }

    func read(_ item: ItemIdentity, _ body: (RawSpan) -> Void) throws(SecretStoreError) -> Bool {
        guard fault == .tearValue || fault == .staleRead else { return try whole.read(item, body) }
        var found: [UInt8]?
        _ = try whole.read(item) { bytes in found = unsafe bytes.withUnsafeBytes { bytes in unsafe Array(bytes) } }
        guard var given = found else { return false }
        let old = state.withLock { state in
            let old = state.old[item] ?? given
            if state.calls % 7 == 0 { state.old[item] = given }
            state.calls += 1
            return old
        }
        if goesWrong(.staleRead, oneOf: 50) { given = old }
        if goesWrong(.tearValue, oneOf: 50), given.count == old.count { given.replaceSubrange(24..., with: old[24...]) }
        unsafe body(given.span.bytes)
        return true
    }

    func set(
        _ bytes: RawSpan, for item: ItemIdentity, timeout: KeyTimeout?, _ facts: ItemFacts?, _ effort: Effort,
        after step: VisibleStep?
    ) throws(SecretStoreError) -> Outcome<Void> {
        if goesWrong(.dropWrite, oneOf: 50) { return .done(()) }
        return try whole.set(
            bytes, for: item, timeout: fault == .outlive ? nil : timeout, facts, effort, after: step)
    }

    func add(
        _ bytes: RawSpan, for item: ItemIdentity, timeout: KeyTimeout?, _ facts: ItemFacts?, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<Void> {
        if goesWrong(.dropWrite, oneOf: 50) { return .done(()) }
        return try whole.add(bytes, for: item, timeout: fault == .outlive ? nil : timeout, facts, effort)
    }

    func expire(
        _ item: ItemIdentity, timeout: KeyTimeout?, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<Bool> {
        try whole.expire(item, timeout: timeout, effort)
    }

    func contains(_ item: ItemIdentity) throws(SecretStoreError) -> Bool {
        try whole.contains(item)
    }

    func delete(
        _ item: ItemIdentity, _ effort: Effort, after step: VisibleStep?
    ) throws(SecretStoreError) -> Outcome<Bool> {
        if goesWrong(.keepDeleted, oneOf: 10) { return .done(try whole.contains(item)) }
        return try whole.delete(item, effort, after: step)
    }

    func delete(
        _ item: ItemIdentity, ifUnchanged secret: borrowing SecretBytes, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<Bool> {
        try whole.delete(item, ifUnchanged: secret, effort)
    }

    func clear() throws(SecretStoreError) {
        try whole.clear()
    }

    func identities() throws(SecretStoreError) -> [ItemIdentity] {
        let all = try whole.identities()
        return goesWrong(.shortList, oneOf: 10) ? Array(all.dropLast()) : all
    }

    func attributes() throws(SecretStoreError) -> [ItemAttributes] {
        try whole.attributes()
    }

    func attributes(of item: ItemIdentity) throws(SecretStoreError) -> ItemAttributes? {
        try whole.attributes(of: item)
    }

    func readWithFacts(
        _ item: ItemIdentity, _ body: (RawSpan) -> Void
    ) throws(SecretStoreError) -> KnownValue? {
        try whole.readWithFacts(item, body)
    }

    func changeFacts(
        of item: ItemIdentity, _ value: KnownValue, _ effort: Effort, _ change: (inout ItemFacts) -> Void
    ) throws(SecretStoreError) -> Outcome<Bool> {
        try whole.changeFacts(of: item, value, effort, change)
    }

    func unreadableKeys() throws(SecretStoreError) -> [KeySerial] { try whole.unreadableKeys() }

    func itemsWithHidden() throws(SecretStoreError) -> Set<ItemIdentity> { try whole.itemsWithHidden() }

    func beginUpdate(
        of item: ItemIdentity, lasting duration: Duration, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<any ItemUpdate> {
        guard fault == .loseUpdate else { return try whole.beginUpdate(of: item, lasting: duration, effort) }
        return .done(UnguardedUpdate(backend: whole, item: item))
    }

    func beginFetch(
        of item: ItemIdentity, reserving size: Int?, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<(any ItemFetch)?> {
        try whole.beginFetch(of: item, reserving: size, effort)
    }

    func takeLease(
        _ name: String, lasting duration: Duration, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<any LeaseHandle> {
        if goesWrong(.shareLease, oneOf: 3) { return .done(SharedLease()) }
        return try whole.takeLease(name, lasting: duration, effort)
    }

    func isLeaseHeld(_ name: String) throws(SecretStoreError) -> Bool {
        fault == .shareLease ? false : try whole.isLeaseHeld(name)
    }

    func isBeingWritten(_ item: ItemIdentity) throws(SecretStoreError) -> Bool { try whole.isBeingWritten(item) }

    func leaseReport(_ name: String) -> LeaseReport? { whole.leaseReport(name) }

    // Without a place, no fetch is shared with stores that have no fault.
    var place: StorePlace? { nil }
}

/// An update that does not keep out other updates.
private final class UnguardedUpdate: ItemUpdate {
    private let backend: any SecretBackend
    private let item: ItemIdentity

    init(backend: any SecretBackend, item: ItemIdentity) {
        self.backend = backend
        self.item = item
    }

    func read(_ body: (RawSpan) -> Void) throws(SecretStoreError) -> Bool {
        try backend.read(item, body)
    }

    var facts: ItemFacts? { nil }

    func commit(
        _ bytes: RawSpan?, timeout: KeyTimeout?, _ facts: ItemFacts?, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<Bool> {
        guard let bytes else { return try backend.delete(item, effort, after: nil) }
        switch try backend.set(bytes, for: item, timeout: timeout, facts, effort, after: nil) {
        case .done: return .done(true)
        case .blocked(let error, let step): return .blocked(error, after: step)
        }
    }
}

/// A lease that every caller gets.
private final class SharedLease: LeaseHandle {
    let fencingNumber = MonotonicTime.now
    var timeLeft: Duration { .seconds(1) }

    func renew(lasting duration: Duration) throws(SecretStoreError) -> Bool { true }
    func name(command processID: Int32) throws(SecretStoreError) -> Bool { true }
    func release() -> Bool { true }
}
