import Glibc
import Keyutils
import SessionKeyring
import SessionKeyringTesting
import Testing
import Threads

/// What a backend may do wrong.
private enum Breakage: CaseIterable {
    case dropsWrites, tearsValues, answersStale, ignoresTimeouts, replacesOnAdd, deletesNothing, listsNothing,
        foldsNames, grantsToAll, keepsFetches, keepsThread, listsSentinels, tellsNothing, tellsOfSentinels

    /// The check that is about it.
    var check: String {
        switch self {
        case .dropsWrites, .answersStale: "set replaces the value"
        case .tearsValues: "what is set is what is got, byte for byte"
        case .ignoresTimeouts: "an item is gone when its timeout has passed, and everything takes it for absent"
        case .replacesOnAdd: "add refuses to replace, and creates where there is none"
        case .deletesNothing: "delete removes one item and says so once"
        case .listsNothing: "items tells names, sizes and expiry, sorted"
        case .foldsNames: "hostile names name items of their own, and come back as they were"
        case .grantsToAll: "a lease is held by one at a time"
        case .keepsFetches: "what a fetch brings is not stored over what happened to the item meanwhile"
        case .keepsThread: "without waiting, nobody waits for who has the item, and what is done is done"
        case .listsSentinels: "what the store keeps beside an item is in no list, and works like an item"
        case .tellsNothing, .tellsOfSentinels: "changes are told in their order, unless the backend tells of none"
        }
    }
}

/// A backend that is broken on purpose, or not.
private struct BrokenBackend: SecretBackend {
    let breakage: Breakage?
    let whole = InMemoryBackend()
    let first = InMemoryBackend()
    let writes = Locked(0)

    func withoutWaiting(lastResorts: Bool) -> any SecretBackend { self }

    func read(_ item: ItemIdentity, _ body: (RawSpan) -> Void) throws(SecretStoreError) -> Bool {
        let backend = breakage == .answersStale ? first : whole
        return try backend.read(folded(item)) { bytes in
            body(
                breakage == .tearsValues && bytes.byteCount > 100 ? bytes.extracting(first: bytes.byteCount / 2) : bytes
            )
        }
    }

    func publish(
        _ bytes: RawSpan,
        for item: ItemIdentity,
        timeout: KeyTimeout?,
        ifAbsent: Bool
    ) throws(SecretStoreError) {
        let number = writes.nextNumber()
        if breakage == .keepsThread { usleep(2_100_000) }
        if breakage == .dropsWrites, number % 3 == 0 { return }
        if try !first.contains(item) { try first.publish(bytes, for: item, timeout: timeout, ifAbsent: false) }
        try whole.publish(
            bytes, for: folded(item), timeout: breakage == .ignoresTimeouts ? nil : timeout,
            ifAbsent: ifAbsent && breakage != .replacesOnAdd
        )
    }

    func expire(_ item: ItemIdentity, timeout: KeyTimeout?) throws(SecretStoreError) -> Bool {
        try whole.expire(folded(item), timeout: timeout)
    }

    func contains(_ item: ItemIdentity) throws(SecretStoreError) -> Bool { try whole.contains(folded(item)) }

    func delete(_ item: ItemIdentity) throws(SecretStoreError) -> Bool {
        if breakage == .deletesNothing { return try whole.contains(item) }
        _ = try first.delete(item)
        return try whole.delete(folded(item))
    }

    func beginUpdate(
        of item: ItemIdentity, lasting duration: Duration, waiting limit: Duration
    ) throws(SecretStoreError) -> (any ItemUpdate)? {
        let lasting = breakage == .grantsToAll ? Duration.nanoseconds(1) : duration
        return try whole.beginUpdate(of: folded(item), lasting: lasting, waiting: limit)
    }

    func beginFetch(of item: ItemIdentity) throws(SecretStoreError) -> any ItemFetch {
        let fetch = try whole.beginFetch(of: item)
        return breakage == .keepsFetches ? KeptFetch(backend: whole, item: item) : fetch
    }

    func tryLease(_ name: String, lasting duration: Duration) throws(SecretStoreError) -> (any LeaseHandle)? {
        try whole.tryLease(breakage == .grantsToAll ? "\(writes.nextNumber())" : name, lasting: duration)
    }

    func isLeaseHeld(_ name: String) throws(SecretStoreError) -> Bool { try whole.isLeaseHeld(name) }

    func clear() throws(SecretStoreError) {
        try first.clear()
        try whole.clear()
    }

    func identities() throws(SecretStoreError) -> [ItemIdentity] {
        if breakage == .listsSentinels { return try whole.identities() + sentinels() }
        return breakage == .listsNothing ? [] : try whole.identities()
    }

    private func sentinels() throws(SecretStoreError) -> [ItemIdentity] {
        var found: [ItemIdentity] = []
        for item in try whole.identities() where try whole.contains(item.freshnessSentinel) {
            found.append(item.freshnessSentinel)
        }
        return found
    }

    func changes() throws(SecretStoreError) -> SecretChanges {
        switch breakage {
        case .tellsNothing: SecretChanges(AsyncStream { $0.finish() })
        case .tellsOfSentinels:
            SecretChanges(AsyncStream { $0.yield(.stored(.password(service: "service").freshnessSentinel)) })
        default: try whole.changes()
        }
    }

    func attributes() throws(SecretStoreError) -> [ItemAttributes] {
        breakage == .listsNothing ? [] : try whole.attributes()
    }

    func attributes(of item: ItemIdentity) throws(SecretStoreError) -> ItemAttributes? {
        breakage == .listsNothing ? nil : try whole.attributes(of: item)
    }

    private func folded(_ item: ItemIdentity) -> ItemIdentity {
        breakage == .foldsNames ? .password(service: item.service.lowercased().filter(\.isASCII) + "x") : item
    }
}

/// A fetch that is stored whatever has happened.
private final class KeptFetch: ItemFetch {
    let backend: InMemoryBackend
    let item: ItemIdentity

    init(backend: InMemoryBackend, item: ItemIdentity) { (self.backend, self.item) = (backend, item) }

    func store(_ bytes: RawSpan, timeout: KeyTimeout?) throws(SecretStoreError) -> Bool {
        try backend.publish(bytes, for: item, timeout: timeout, ifAbsent: false)
        return true
    }
}

@Suite("The conformance suite finds what is broken")
struct BrokenBackendTests {
    @Test("each breakage fails the check that is about it", arguments: Breakage.allCases)
    private func caught(breakage: Breakage) async throws {
        let check = try #require(BackendConformance.checks.first { $0.description == breakage.check })
        await #expect(throws: BackendConformance.Failure.self) {
            try await check.run(on: SecretStore(backend: BrokenBackend(breakage: breakage)))
        }
    }

    @Test("the same backend without a breakage passes all checks", arguments: BackendConformance.checks)
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
