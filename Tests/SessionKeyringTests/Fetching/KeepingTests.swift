import Keyutils
import SessionKeyringTesting
import TestSupport
import Testing
import Threads

@testable import SessionKeyring

private let item = ItemIdentity.password(service: "kept")
private let watchedLease = item.fetchLeaseName

@Suite("Storing fetched values", .tags(.threads), .aheadOfOthers)
struct KeepingTests {
    enum Moment { case before, behind }

    @Test("a fetch stores its value and keeps its lease even if the last caller leaves meanwhile")
    func lastCallerLeaves() async throws {
        let backend = WatchedBackend()
        let store = SecretStore(backend: backend)
        let gate = Gate()
        let isHeld = Locked(false)
        let caller = Task {
            try await store.value(for: item, as: String.self) {
                await gate.wait()
                return "fetched"
            }
        }
        backend.onStore.withLock { onStore in
            onStore = { moment in
                guard moment == .before else { return }
                caller.cancel()
                let isHeldNow = (try? backend.isLeaseHeld(watchedLease)) == true
                isHeld.withLock { $0 = isHeldNow }
            }
        }
        await gate.awaitWaiter()
        gate.open()
        await #expect(throws: CancellationError.self) { _ = try await caller.value }
        while try !store.contains(item) { try await Task.sleep(for: .milliseconds(1)) }
        #expect(isHeld.withLock { $0 })
    }

    @Test(
        "a waiting caller gets a value stored meanwhile; the fetching caller gets the fetched one",
        arguments: [Moment.before, .behind])
    func replaced(moment: Moment) async throws {
        let backend = WatchedBackend()
        let store = SecretStore(backend: backend)
        let gate = Gate()
        @Sendable func value() async throws -> String {
            try await store.value(for: item, as: String.self) {
                await gate.wait()
                return "fetched"
            }
        }
        backend.onStore.withLock { onStore in
            onStore = { now in if now == moment { try? store.set("newer", for: item) } }
        }
        let first = Task { try await value() }
        await gate.awaitWaiter()
        let reads = backend.reads.withLock { $0 }
        let second = Task { try await value() }
        // The second caller reads the item twice, the second time while it waits.
        while backend.reads.withLock({ $0 }) < reads + 2 { try await Task.sleep(for: .milliseconds(1)) }
        gate.open()
        #expect(try await first.value == "fetched")
        #expect(try await second.value == "newer")
    }

    @Test("if a fetch fails, its callers get a value that was stored meanwhile")
    func storedMeanwhile() async throws {
        let backend = WatchedBackend()
        let store = SecretStore(backend: backend)
        let gate = Gate()
        let fetches = Locked(0)
        @Sendable func value() async throws -> String {
            try await store.value(
                for: item, as: String.self, lasting: Lifetime(.seconds(3_600), refreshAfter: .seconds(600)),
                options: FetchOptions(retryAfter: nil)
            ) { () async throws -> String in
                fetches.withLock { $0 += 1 }
                await gate.wait()
                throw Refusal()
            }
        }
        let first = Task { try await value() }
        await gate.awaitWaiter()
        let reads = backend.reads.withLock { $0 }
        let second = Task { try await value() }
        // The second caller reads the item twice, the second time while it waits.
        while backend.reads.withLock({ $0 }) < reads + 2 { try await Task.sleep(for: .milliseconds(1)) }
        try store.set("meanwhile", for: item)
        gate.open()
        #expect(try await first.value == "meanwhile")
        #expect(try await second.value == "meanwhile")
        #expect(fetches.withLock { $0 } == 1)
    }

    @Test("an update whose commit is blocked retries the commit without beginning a new update")
    func blockedCommit() throws {
        let backend = BlockedCommits()
        let store = SecretStore(backend: backend)
        try store.blockingUpdate(item, lasting: .scope) { (_: String?) in "new" }
        #expect(try store.get(item) == "new")
        #expect(backend.updates.withLock { $0 } == 1)
    }
}

/// A backend that calls a closure before and after a fetch stores its value.
///
/// It counts the reads of the item.
private struct WatchedBackend: ForwardingBackend {
    let whole: any SecretBackend = InMemoryBackend()
    let onStore = Locked<(@Sendable (KeepingTests.Moment) -> Void)?>(nil)
    let reads = Locked(0)

    func readWithFacts(
        _ wanted: ItemIdentity, _ body: (RawSpan) -> Void
    ) throws(SecretStoreError) -> KnownValue? {
        defer { if wanted == item { reads.withLock { $0 += 1 } } }
        return try whole.readWithFacts(wanted, body)
    }

    func beginFetch(
        of item: ItemIdentity, reserving size: Int?, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<(any ItemFetch)?> {
        guard let fetch = try whole.beginFetch(of: item, reserving: size, effort).get() else { return .done(nil) }
        return .done(WatchedFetch(fetch, onStore))
    }
}

private final class WatchedFetch: ItemFetch {
    private let whole: any ItemFetch
    private let onStore: Locked<(@Sendable (KeepingTests.Moment) -> Void)?>

    init(_ whole: any ItemFetch, _ onStore: Locked<(@Sendable (KeepingTests.Moment) -> Void)?>) {
        (self.whole, self.onStore) = (whole, onStore)
    }

    func renew() { whole.renew() }

    func isUntouched(_ key: Int32?) throws(SecretStoreError) -> Bool { try whole.isUntouched(key) }

    func store(
        _ bytes: RawSpan, timeout: KeyTimeout?, _ facts: ItemFacts?, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<FetchStorage> {
        let watcher = onStore.withLock { $0 }
        watcher?(.before)
        let storage = try whole.store(bytes, timeout: timeout, facts, effort)
        watcher?(.behind)
        return storage
    }
}

/// A backend that blocks the first commit of each update and counts the updates.
private struct BlockedCommits: ForwardingBackend {
    let whole: any SecretBackend = InMemoryBackend()
    let updates = Locked(0)

    func beginUpdate(
        of item: ItemIdentity, lasting duration: Duration, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<any ItemUpdate> {
        updates.withLock { $0 += 1 }
        return .done(BlockedUpdate(try whole.beginUpdate(of: item, lasting: duration, effort).get(), of: item))
    }
}

private final class BlockedUpdate: ItemUpdate {
    private let whole: any ItemUpdate
    private let item: ItemIdentity
    private var isBlocked = true

    init(_ whole: any ItemUpdate, of item: ItemIdentity) { (self.whole, self.item) = (whole, item) }

    func read(_ body: (RawSpan) -> Void) throws(SecretStoreError) -> Bool { try whole.read(body) }

    var facts: ItemFacts? { whole.facts }

    func commit(
        _ bytes: RawSpan?, timeout: KeyTimeout?, _ facts: ItemFacts?, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<Bool> {
        if isBlocked {
            isBlocked = false
            return .blocked(SecretStoreError(.contended, item: item))
        }
        return try whole.commit(bytes, timeout: timeout, facts, effort)
    }
}
