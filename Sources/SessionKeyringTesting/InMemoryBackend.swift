package import Keyutils
public import SessionKeyring
import Threads

extension SecretStore {
    /// Creates a store in memory, for tests.
    public convenience init(
        backend: InMemoryBackend, codec: any SecretCodec = JSONSecretCodec(), sealing: SecretSealing? = nil
    ) {
        self.init(backend: backend as any SecretBackend, codec: codec, sealing: sealing)
    }
}

/// A backend in this process's memory, for tests of programs that use a store.
///
/// It needs no kernel and no session. It does everything that the kernel's backend does, including
/// the limit of 32,767 bytes, and passes the same conformance suite. It is used only if you create one.
public final class InMemoryBackend: SecretBackend {
    private let state = Locked(State())
    private let now: @Sendable () -> ContinuousClock.Instant

    /// Creates an empty backend.
    ///
    /// - Parameter now: the clock by which items expire; pass your own one to make time pass in a test. Each call may
    ///   read it.
    public init(now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }) {
        self.now = now
    }

    package func read(_ item: ItemIdentity, _ body: (RawSpan) -> Void) throws(SecretStoreError) -> Bool {
        guard let entry = live(item) else { return false }
        entry.secret.bytes.withBytes(body)
        return true
    }

    package func readWithFacts(
        _ item: ItemIdentity, _ body: (RawSpan) -> Void
    ) throws(SecretStoreError) -> KnownValue? {
        let found = withState { state, time in state.live(item, at: time).map { ($0, $0.facts(at: time)) } }
        guard let (entry, facts) = found else { return nil }
        entry.secret.bytes.withBytes(body)
        return KnownValue(key: entry.number, hash: 0, facts: facts)
    }

    package func set(
        _ bytes: RawSpan, for item: ItemIdentity, timeout: KeyTimeout?, _ facts: ItemFacts?, _ effort: Effort,
        after step: VisibleStep?
    ) throws(SecretStoreError) -> Outcome<Void> {
        let entry = try entry(bytes, for: item, timeout: timeout, facts)
        return change(item) { state, _ in state.change(item, to: entry) }
    }

    package func add(
        _ bytes: RawSpan, for item: ItemIdentity, timeout: KeyTimeout?, _ facts: ItemFacts?, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<Void> {
        let entry = try entry(bytes, for: item, timeout: timeout, facts)
        let outcome = change(item) { state, time in
            guard state.live(item, at: time) == nil else { return false }
            state.change(item, to: entry)
            return true
        }
        switch outcome {
        case .done(true): return .done(())
        case .done(false): throw SecretStoreError(.duplicate, item: item)
        case .blocked(let error, _): return .blocked(error)
        }
    }

    package func expire(
        _ item: ItemIdentity, timeout: KeyTimeout?, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<Bool> {
        change(item) { state, time in
            guard state.live(item, at: time) != nil else { return false }
            state.entries[item]?.deadline = timeout.map { time + $0.duration }
            return true
        }
    }

    package func changeFacts(
        of item: ItemIdentity, _ value: KnownValue, _ effort: Effort, _ change: (inout ItemFacts) -> Void
    ) throws(SecretStoreError) -> Outcome<Bool> {
        self.change(item) { state, time in
            guard let entry = state.live(item, at: time), entry.number == value.key else { return false }
            var facts = entry.facts ?? ItemFacts()
            change(&facts)
            state.entries[item]?.facts = facts
            return true
        }
    }

    package func contains(_ item: ItemIdentity) throws(SecretStoreError) -> Bool { live(item) != nil }

    package func delete(
        _ item: ItemIdentity, _ effort: Effort, after step: VisibleStep?
    ) throws(SecretStoreError) -> Outcome<Bool> {
        change(item) { state, time in
            let wasThere = state.live(item, at: time) != nil
            state.change(item, to: nil)
            return wasThere
        }
    }

    package func delete(
        _ item: ItemIdentity, ifUnchanged secret: borrowing SecretBytes, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<Bool> {
        let copy = Secret(secret.withBytes { SecretBytes(copying: $0) })
        return change(item) { state, time in
            guard let entry = state.live(item, at: time), entry.secret.bytes.isEqual(to: copy.bytes) else {
                return false
            }
            state.change(item, to: nil)
            return true
        }
    }

    package func clear() throws(SecretStoreError) {
        withState { state, _ in state.clear() }
    }

    package func identities() throws(SecretStoreError) -> [ItemIdentity] {
        withState { state, time in state.listed(at: time).map(\.key) }
    }

    /// The items are not keys, so serial and owner are 0.
    package func attributes() throws(SecretStoreError) -> [ItemAttributes] {
        withState { state, time in
            state.listed(at: time).map { item, entry in entry.attributes(of: item, at: time) }
        }
    }

    package func attributes(of item: ItemIdentity) throws(SecretStoreError) -> ItemAttributes? {
        live(item)?.attributes(of: item, at: now())
    }

    package func unreadableKeys() throws(SecretStoreError) -> [KeySerial] { [] }

    package func itemsWithHidden() throws(SecretStoreError) -> Set<ItemIdentity> {
        withState { state, time in
            let live = state.entries.filter { $0.value.isLive(at: time) }
            return Set(
                live.compactMap { $1.facts == nil ? ItemIdentity(ofHidden: $0.keyDescription) : $0 })
        }
    }

    func entry(
        _ bytes: RawSpan, for item: ItemIdentity, timeout: KeyTimeout?, _ facts: ItemFacts? = nil
    ) throws(SecretStoreError) -> Entry {
        // If all bytes are NUL, the kernel's backend stores one more byte.
        let isAllZero = (0..<bytes.byteCount).allSatisfy {
            unsafe bytes.unsafeLoad(fromByteOffset: $0, as: UInt8.self) == 0
        }
        let limit = Key.largestUserPayload - (isAllZero ? 1 : 0)
        guard bytes.byteCount <= limit else {
            throw SecretStoreError(.tooLarge(size: bytes.byteCount, limit: limit), item: item)
        }
        return Entry(
            secret: Secret(SecretBytes(copying: bytes)), deadline: timeout.map { now() + $0.duration }, facts: facts,
            written: now())
    }

    func live(_ item: ItemIdentity) -> Entry? {
        withState { state, time in state.live(item, at: time) }
    }

    /// Changes an item, unless it is being updated.
    func change<Result>(
        _ item: ItemIdentity, _ body: (inout State, _ time: ContinuousClock.Instant) -> Result
    ) -> Outcome<Result> {
        withState { state, time in
            if state.isBeingUpdated(item, at: time) {
                return .blocked(SecretStoreError(.blocked(.itemLease), item: item))
            }
            return .done(body(&state, time))
        }
    }

    /// Runs `body` with exclusive access to the state, and with the current time.
    func withState<Result>(_ body: (inout State, _ time: ContinuousClock.Instant) -> Result) -> Result {
        // The clock is the caller's code, which must not run under the lock.
        let time = now()
        return state.withLock { state in body(&state, time) }
    }
}

extension InMemoryBackend {
    struct State: Sendable {
        var entries: [ItemIdentity: Entry] = [:]
        var leases: [Name: Grant] = [:]
        var lastFencingNumber: UInt64 = 0
        /// How often an item was written.
        private var written: Int32 = 0
        /// How often all items were deleted.
        private var clears: UInt64 = 0
        /// How often each item was written or deleted.
        private var changes: [ItemIdentity: UInt64] = [:]
        /// The number of each item's last fetch.
        private(set) var fetches: [ItemIdentity: UInt64] = [:]

        /// Stores an item; `nil` deletes it.
        mutating func change(_ item: ItemIdentity, to entry: Entry?) {
            written += 1
            entries[item] = entry
            entries[item]?.number = written
            changes[item, default: 0] += 1
        }

        /// Begins a fetch, and returns its number.
        mutating func beginFetch(of item: ItemIdentity) -> UInt64 {
            fetches[item, default: 0] += 1
            return fetches[item, default: 0]
        }

        mutating func clear() {
            entries.removeAll()
            clears += 1
        }

        func isBeingUpdated(_ item: ItemIdentity, at time: ContinuousClock.Instant) -> Bool {
            leases[Name(Self.leaseName(of: item))].map { time < $0.deadline } ?? false
        }

        static func leaseName(of item: ItemIdentity) -> String { "item:" + item.keyDescription }

        func changes(of item: ItemIdentity) -> UInt64 { clears + changes[item, default: 0] }

        func live(_ item: ItemIdentity, at time: ContinuousClock.Instant) -> Entry? {
            entries[item].flatMap { $0.isLive(at: time) ? $0 : nil }
        }

        /// The live items that the store's users have named.
        func listed(at time: ContinuousClock.Instant) -> [(key: ItemIdentity, value: Entry)] {
            entries.filter { $0.value.isLive(at: time) && ItemIdentity(keyDescription: $0.key.keyDescription) != nil }
                .map { ($0.key, $0.value) }
        }
    }

    /// A secret that lives as long as a reader uses it, whatever happens to the item.
    final class Secret: Sendable {
        let bytes: SecretBytes
        init(_ bytes: consuming SecretBytes) { self.bytes = bytes }
    }

    struct Entry: Sendable {
        let secret: Secret
        var deadline: ContinuousClock.Instant?
        var facts: ItemFacts?
        let written: ContinuousClock.Instant
        private let start = SystemTime.now()
        /// The number of the write, which no other value has.
        var number: Int32 = 0

        init(secret: Secret, deadline: ContinuousClock.Instant?, facts: ItemFacts?, written: ContinuousClock.Instant) {
            (self.secret, self.deadline, self.facts, self.written) = (secret, deadline, facts, written)
        }

        var isRefused: Bool { facts?.isRefused == true }

        /// The facts, whose times also follow this backend's clock.
        func facts(at time: ContinuousClock.Instant) -> ItemFacts? {
            guard var facts else { return nil }
            let passed = (time - written).components
            let now = Int64(start) + passed.seconds * 1_000 + passed.attoseconds / 1_000_000_000_000_000
            facts.freshness = facts.freshness.holds(at: UInt64(max(0, now))) ? .always : .never
            facts.usability = facts.usability.holds(at: UInt64(max(0, now))) ? .always : .never
            return facts
        }

        func isLive(at time: ContinuousClock.Instant) -> Bool {
            deadline.map { time < $0 } ?? true
        }

        func attributes(of item: ItemIdentity, at time: ContinuousClock.Instant) -> ItemAttributes {
            ItemAttributes(
                item: item, size: secret.bytes.count, expiry: expiry(at: time), serial: KeySerial(rawValue: 0),
                userID: 0, groupID: 0, permissions: .possessorAll)
        }

        private func expiry(at time: ContinuousClock.Instant) -> ItemAttributes.Expiry {
            guard let deadline else { return .never }
            return .after(KeyTimeLeft(atLeast: .seconds((deadline - time).components.seconds), precision: .seconds(1)))
        }
    }
}
