import Glibc
import Keyutils
import SessionKeyring
import SessionKeyringTesting
import Testing
import Threads

/// A defect that the conformance suite must find.
private enum Breakage: CaseIterable {
    case dropsWrites, tearsValues, answersStale, ignoresTimeouts, replacesOnAdd, deletesNothing, listsNothing,
        foldsNames, grantsToAll, keepsFetches, blocksThread, listsHidden

    /// The description of the check that must find this defect.
    var check: String {
        switch self {
        case .dropsWrites, .answersStale: "set replaces the value"
        case .tearsValues: "get returns exactly the bytes that were set"
        case .ignoresTimeouts: "an expired item is absent for every operation"
        case .replacesOnAdd: "add creates an item, and never replaces one"
        case .deletesNothing: "delete removes one item, and returns true only once"
        case .listsNothing: "items lists names, sizes and expiry, sorted by name"
        case .foldsNames: "items with hostile names stay distinct, and the names come back unchanged"
        case .grantsToAll: "a lease has one holder at a time"
        case .keepsFetches: "a fetched value is not stored if the item changed during the fetch"
        case .blocksThread: "a backend does not wait for the holder of an item, and no call succeeds without effect"
        case .listsHidden: "the facts about a value are not listed, and end with it"
        }
    }
}

/// A backend with one deliberate defect, or without one.
private struct BrokenBackend: SecretBackend {
    let breakage: Breakage?
    let whole = InMemoryBackend()
    let first = InMemoryBackend()
    let writes = Locked(0)

    func read(_ item: ItemIdentity, _ body: (RawSpan) -> Void) throws(SecretStoreError) -> Bool {
        let backend = breakage == .answersStale ? first : whole
        return try backend.read(folded(item)) { bytes in
            body(
                breakage == .tearsValues && bytes.byteCount > 100 ? bytes.extracting(first: bytes.byteCount / 2) : bytes
            )
        }
    }

    func set(
        _ bytes: RawSpan, for item: ItemIdentity, timeout: KeyTimeout?, _ facts: ItemFacts?, _ effort: Effort,
        after step: VisibleStep?
    ) throws(SecretStoreError) -> Outcome<Void> {
        guard try write(bytes, for: item, effort) else { return .done(()) }
        return try whole.set(
            bytes, for: folded(item), timeout: breakage == .ignoresTimeouts ? nil : timeout, facts, effort,
            after: step)
    }

    func add(
        _ bytes: RawSpan, for item: ItemIdentity, timeout: KeyTimeout?, _ facts: ItemFacts?, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<Void> {
        if breakage == .replacesOnAdd { return try set(bytes, for: item, timeout: timeout, facts, effort, after: nil) }
        guard try write(bytes, for: item, effort) else { return .done(()) }
        return try whole.add(
            bytes, for: folded(item), timeout: breakage == .ignoresTimeouts ? nil : timeout, facts, effort)
    }

    /// Prepares a write, and returns false if the write is to be dropped.
    private func write(
        _ bytes: RawSpan, for item: ItemIdentity, _ effort: Effort
    ) throws(SecretStoreError) -> Bool {
        let number = writes.nextNumber()
        // The first write prepares the check.
        if breakage == .blocksThread, number > 1 { usleep(2_100_000) }
        if breakage == .dropsWrites, number % 3 == 0 { return false }
        if try !first.contains(item) { _ = try first.set(bytes, for: item, timeout: nil, nil, effort, after: nil) }
        return true
    }

    func expire(
        _ item: ItemIdentity, timeout: KeyTimeout?, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<Bool> {
        try whole.expire(folded(item), timeout: timeout, effort)
    }

    func readWithFacts(
        _ item: ItemIdentity, _ body: (RawSpan) -> Void
    ) throws(SecretStoreError) -> KnownValue? {
        try whole.readWithFacts(folded(item), body)
    }

    func changeFacts(
        of item: ItemIdentity, _ value: KnownValue, _ effort: Effort, _ change: (inout ItemFacts) -> Void
    ) throws(SecretStoreError) -> Outcome<Bool> {
        try whole.changeFacts(of: folded(item), value, effort, change)
    }

    func contains(_ item: ItemIdentity) throws(SecretStoreError) -> Bool { try whole.contains(folded(item)) }

    func delete(
        _ item: ItemIdentity, _ effort: Effort, after step: VisibleStep?
    ) throws(SecretStoreError) -> Outcome<Bool> {
        if breakage == .deletesNothing { return .done(try whole.contains(item)) }
        _ = try first.delete(item, effort, after: step)
        return try whole.delete(folded(item), effort, after: step)
    }

    func delete(
        _ item: ItemIdentity, ifUnchanged secret: borrowing SecretBytes, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<Bool> {
        if breakage == .deletesNothing { return .done(try whole.contains(item)) }
        return try whole.delete(folded(item), ifUnchanged: secret, effort)
    }

    func beginUpdate(
        of item: ItemIdentity, lasting duration: Duration, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<any ItemUpdate> {
        let lasting = breakage == .grantsToAll ? Duration.nanoseconds(1) : duration
        return try whole.beginUpdate(of: folded(item), lasting: lasting, effort)
    }

    func beginFetch(
        of item: ItemIdentity, reserving size: Int?, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<(any ItemFetch)?> {
        let fetch = try whole.beginFetch(of: item, reserving: size, effort)
        return breakage == .keepsFetches ? .done(KeptFetch(backend: whole, item: item)) : fetch
    }

    func takeLease(
        _ name: String, lasting duration: Duration, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<any LeaseHandle> {
        try whole.takeLease(breakage == .grantsToAll ? "\(writes.nextNumber())" : name, lasting: duration, effort)
    }

    func isLeaseHeld(_ name: String) throws(SecretStoreError) -> Bool { try whole.isLeaseHeld(name) }
    func leaseReport(_ name: String) -> LeaseReport? { whole.leaseReport(name) }
    var place: StorePlace? { whole.place }

    func clear() throws(SecretStoreError) {
        try first.clear()
        try whole.clear()
    }

    func identities() throws(SecretStoreError) -> [ItemIdentity] {
        if breakage == .listsHidden { return try whole.identities() + hidden() }
        return breakage == .listsNothing ? [] : try whole.identities()
    }

    private func hidden() throws(SecretStoreError) -> [ItemIdentity] {
        var found: [ItemIdentity] = []
        for item in try whole.identities() where try whole.readWithFacts(item, { _ in })?.facts != nil {
            found.append(item.companion)
        }
        return found
    }

    func attributes() throws(SecretStoreError) -> [ItemAttributes] {
        breakage == .listsNothing ? [] : try whole.attributes()
    }

    func attributes(of item: ItemIdentity) throws(SecretStoreError) -> ItemAttributes? {
        breakage == .listsNothing ? nil : try whole.attributes(of: item)
    }

    func unreadableKeys() throws(SecretStoreError) -> [KeySerial] { try whole.unreadableKeys() }
    func itemsWithHidden() throws(SecretStoreError) -> Set<ItemIdentity> { try whole.itemsWithHidden() }
    func isBeingWritten(_ item: ItemIdentity) throws(SecretStoreError) -> Bool { try whole.isBeingWritten(item) }

    private func folded(_ item: ItemIdentity) -> ItemIdentity {
        breakage == .foldsNames ? .password(service: item.service.lowercased().filter(\.isASCII) + "x") : item
    }
}

/// A fetch that stores its value even if the item has changed since the fetch began.
private final class KeptFetch: ItemFetch {
    let backend: InMemoryBackend
    let item: ItemIdentity

    init(backend: InMemoryBackend, item: ItemIdentity) { (self.backend, self.item) = (backend, item) }

    func renew() {}

    func isUntouched(_ key: Int32?) throws(SecretStoreError) -> Bool { true }

    func store(
        _ bytes: RawSpan, timeout: KeyTimeout?, _ facts: ItemFacts?, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<FetchStorage> {
        _ = try backend.set(bytes, for: item, timeout: timeout, facts, effort, after: nil)
        return .done(.all)
    }
}

@Suite("The conformance suite finds broken backends")
struct BrokenBackendTests {
    @Test("each defect fails the check for that behaviour", arguments: Breakage.allCases)
    private func caught(breakage: Breakage) async throws {
        let check = try #require(BackendConformance.checks.first { $0.description == breakage.check })
        await #expect(throws: BackendConformance.Failure.self) {
            try await check.run(on: SecretStore(backend: BrokenBackend(breakage: breakage)))
        }
    }

    @Test(
        "the same backend without a defect passes the checks that find the defects",
        arguments: BackendConformance.checks.filter { check in
            Breakage.allCases.contains { $0.check == check.description }
        })
    func control(check: BackendConformance.Check) async throws {
        try await check.run(on: SecretStore(backend: BrokenBackend(breakage: nil)))
    }
}

extension Locked<Int> {
    fileprivate func nextNumber() -> Int {
        withLock { count in
            count += 1
            return count
        }
    }
}
