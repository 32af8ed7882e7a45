import Foundation
import Keyutils
import SessionKeyring
import SessionKeyringTesting
import Testing
import Threads

private let item = ItemIdentity.password(service: "api")
private let other = ItemIdentity.password(service: "other")

private let haveNotifications = (try? KeyringCapabilities.query().contains(.notifications)) ?? false

/// Tests of notifications, which few kernels have; the kernel lab has them and runs these tests.
@Suite(
    "Changes that the kernel reports",
    .tags(.kernel),
    .enabled(if: haveNotifications, "this kernel has no notifications"),
    .serialized
)
struct KernelLabChangesTests {
    @Test("the changes of items are reported in order")
    func changes() async throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        try store.set("0", for: other)
        var changes = try store.changes().makeAsyncIterator()
        try store.set("1", for: item, timeout: .seconds(60))
        #expect(await changes.next() == .stored(item))
        try store.set("2", for: item)
        #expect(await changes.next() == .stored(item))
        try store.delete(item)
        #expect(await changes.next() == .deleted(item))
        try store.delete(other)
        #expect(await changes.next() == .deleted(other))
        try store.clear()
        #expect(await changes.next() == .cleared)
    }

    @Test("the changes end when the keyring of the items is gone")
    func end() async throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        try store.set("0", for: item)
        let changes = try store.changes()
        try Key(scratch.keyring.search(keyring: "skr:default")).invalidate()
        for await change in changes { #expect(change != .stored(item)) }
    }

    @Test("if an item is gone before its change is read, a missed change is reported")
    func missed() async throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        try store.set("0", for: item)
        var changes = try store.changes().makeAsyncIterator()
        try store.set("1", for: item)
        try store.delete(item)
        // Longer than the kernel needs to collect the item's key.
        usleep(100_000)
        #expect(await changes.next() == .missed)
    }

    @Test("a waiter gets a lease as soon as it is released, however long it was held")
    func waiting() async throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        var waits: [Duration] = []
        for round in 0..<5 {
            let begun = Locked(false)
            let released = Locked<ContinuousClock.Instant?>(nil)
            Thread.detachNewThread {
                let held = try? store.blockingLease("job", lasting: .seconds(60), waiting: .seconds(60))
                begun.withLock { $0 = true }
                // Long enough for the backoff to have grown.
                usleep(400_000)
                released.withLock { $0 = .now }
                _ = consume held
            }
            while !begun.withLock({ $0 }) { usleep(1_000) }
            let lease = try await Self.take("job", in: store, blocking: round % 2 == 0)
            #expect(lease)
            waits.append(try #require(released.withLock { $0 }).duration(to: .now))
        }
        // Without notifications, every waiter would look again after 100 ms. A busy machine may delay some waits,
        // but not all.
        #expect(try #require(waits.min()) < .milliseconds(50), "\(waits)")
    }

    private static func take(_ name: String, in store: SecretStore, blocking: Bool) async throws -> Bool {
        if blocking { return try takeBlocking(name, in: store) }
        let lease = try await store.lease(name, lasting: .seconds(1), waiting: .seconds(20))
        return lease.release()
    }

    private static func takeBlocking(_ name: String, in store: SecretStore) throws -> Bool {
        try store.blockingLease(name, lasting: .seconds(1), waiting: .seconds(20)).release()
    }
}
