import Foundation
import Keyutils
import SessionKeyring
import SessionKeyringTesting
import TestSupport
import Testing
import Threads

private let item = ItemIdentity.password(service: "api")

@Suite("Tasks that wait for others", .tags(.kernel, .threads), .aheadOfOthers)
struct WaitingTests {
    /// Starts an update on a separate thread, which holds the item until `isEnough` is signalled.
    ///
    /// - Returns: a semaphore that is signalled when the update has ended.
    private func holding(
        _ item: ItemIdentity = item, of store: SecretStore, until isEnough: DispatchSemaphore
    ) -> DispatchSemaphore {
        let (holds, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        Thread.detachNewThread {
            _ = try? store.blockingUpdate(item, lasting: .scope, within: .seconds(60)) { (_: String?) in
                holds.signal()
                _ = isEnough.wait(timeout: .now() + 60)
                return "updated"
            }
            ended.signal()
        }
        holds.wait()
        return ended
    }

    /// Makes this many calls in tasks while an update holds the item, and checks that they end only after the update.
    private func expectWaiting(
        _ count: Int, for item: ItemIdentity, of store: SecretStore,
        at location: SourceLocation = #_sourceLocation,
        _ call: @escaping @Sendable (Int) async throws -> Void
    ) async throws {
        let isEnough = DispatchSemaphore(value: 0)
        let ended = holding(item, of: store, until: isEnough)
        let through = Locked(0)
        let tasks = (0..<count).map { number in
            Task {
                try await call(number)
                through.withLock { $0 += 1 }
            }
        }
        // The pool has as many threads as there are processors. If they were blocked, this task could not continue.
        for _ in 0..<10 { try await Task.sleep(for: .milliseconds(10)) }
        #expect(through.withLock { $0 } == 0, sourceLocation: location)
        isEnough.signal()
        for task in tasks { try await task.value }
        #expect(through.withLock { $0 } == count, sourceLocation: location)
        blocking { ended.wait() }
    }

    @Test("a task waits for the process that replaces a ring in the middle of its removal")
    func givenBackByOther() async throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        try store.set("1", for: item)
        let ring = try scratch.keyring.search(keyring: "skr:default")
        try Key(ring).setPermissions([.possessorAll, .userRead])
        try ring.restrict()
        let makers = LeaseRing(scratch.keyring, permissions: .possessorAll)
        let name = "skr-making:skr:default"
        guard let lease = try makers.acquire(name, lasting: .milliseconds(300), waiting: .zero) else {
            Issue.record("the lease is free")
            return
        }
        try await store.set("2", for: item, waiting: .seconds(600))
        #expect(try store.get(item) == "2")
        #expect(try scratch.keyring.search(keyring: "skr:default") != ring)
        let isReleased = lease.release()
        #expect(!isReleased, "the lease had expired")
    }

    @Test("a lease whose holder has died or is late is free for the first task that tries")
    func abandoned() async throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        var free = 0
        for _ in 0..<10 {
            let abandoned = try await store.lease("job", lasting: .milliseconds(10), waiting: .seconds(60))
            try await Task.sleep(for: .milliseconds(20))
            let isFree = try await store.tryLease("job") != nil
            if isFree { free += 1 }
            let isReleased = abandoned.release()
            #expect(!isReleased)
        }
        // On a busy machine, the kernel may take longer to collect the abandoned lease.
        #expect(free > 0)
    }

    @Test("100 tasks that wait for an update block no thread, and none of their writes is lost")
    func noThread() async throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        try await expectWaiting(100, for: item, of: store) { number in
            switch number % 4 {
            case 0: try await store.set("set", for: item, waiting: .seconds(60))
            case 1: _ = try await store.delete(item, waiting: .seconds(60))
            case 2: _ = try await store.expire(item, timeout: .seconds(600), waiting: .seconds(60))
            default:
                _ = try await store.update(item, lasting: .scope, waiting: .seconds(60)) { (old: String?) in
                    old ?? "new"
                }
            }
        }
    }

    /// The calls under test, by description, each with the item that another caller holds.
    private static let forms: [String: (ItemIdentity, @Sendable (SecretStore) async throws -> Void)] = [
        "set": (item, { try await $0.set("new", for: item, waiting: .seconds(60)) }),
        "set of bytes": (item, { try await $0.set(SecretBytes(utf8: "n"), for: item, waiting: .seconds(60)) }),
        "delete": (item, { try await $0.delete(item, waiting: .seconds(60)) }),
        "expire": (item, { try await $0.expire(item, timeout: .seconds(60), waiting: .seconds(60)) }),
        "a slot's save": (
            item, { try await $0.slot(for: item, as: String.self).save("new", waiting: .seconds(60)) }
        ),
        "a slot's delete": (
            item, { try await $0.slot(for: item, as: String.self).delete(waiting: .seconds(60)) }
        ),
        "a slot's update": (
            item,
            {
                try await $0.slot(for: item, as: String.self)
                    .update(lasting: .scope, within: .seconds(1), waiting: .seconds(60)) { $0 }
            }
        ),
    ]

    @Test("each form waits for an update without blocking a thread of the pool", arguments: forms.keys.sorted())
    func eachForm(name: String) async throws {
        let (held, call) = try #require(Self.forms[name])
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        try store.set("before", for: held)
        try await expectWaiting(8, for: held, of: store) { _ in try await call(store) }
    }

    @Test("a task cancelled while it waits throws CancellationError immediately and changes nothing")
    func cancelled() async throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        try store.set("before", for: item)
        let isEnough = DispatchSemaphore(value: 0)
        let ended = holding(of: store, until: isEnough)
        let calls: [@Sendable () async throws -> Void] = [
            { try await store.set("late", for: item, waiting: .seconds(60)) },
            { try await store.delete(item, waiting: .seconds(60)) },
            { try await store.update(item, lasting: .scope, waiting: .seconds(60)) { (_: String?) in "late" } },
            { _ = try await store.withLease("job", waiting: .seconds(60)) { _ in } },
        ]
        let lease = try await store.tryLease("job", lasting: .seconds(60))
        let tasks = calls.map { call in Task { try await call() } }
        // Nothing reports that the tasks are waiting.
        try await Task.sleep(for: .milliseconds(100))
        for task in tasks { task.cancel() }
        for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
        #expect(try store.get(item) == "before")
        isEnough.signal()
        blocking { ended.wait() }
        _ = lease?.release()
    }

    @Test("a task that waits without success gets an error after its limit")
    func inVain() async throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        try store.set("before", for: item)
        let isEnough = DispatchSemaphore(value: 0)
        let ended = holding(of: store, until: isEnough)
        let start = ContinuousClock.now
        await #expect { try await store.set("late", for: item, waiting: .milliseconds(200)) } throws: {
            ($0 as? SecretStoreError)?.code == .contended
        }
        #expect(ContinuousClock.now - start >= .milliseconds(200))
        isEnough.signal()
        blocking { ended.wait() }
    }

    @Test("an error that an update's closure throws does not cause another attempt", arguments: [true, false])
    func closureThrows(isInTask: Bool) async throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        let calls = Locked(0)
        let change: @Sendable (String?) throws -> String? = { _ in
            calls.withLock { $0 += 1 }
            throw SecretStoreError(.contended)
        }
        await #expect {
            if isInTask {
                try await store.update(item, lasting: .scope, change)
            } else {
                try blocking { try store.blockingUpdate(item, lasting: .scope, change) }
            }
        } throws: { ($0 as? SecretStoreError)?.code == .contended }
        #expect(calls.withLock { $0 } == 1)
    }

    @Test("a lease is renewed while the closure runs, and is released after it, even if it throws")
    func withLease() async throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        let number = try await store.withLease("job", lasting: .milliseconds(300), waiting: .seconds(5)) { lease in
            try await Task.sleep(for: .milliseconds(500))
            let isHeld = lease.isHeld
            #expect(isHeld)
            let isFree = try await store.tryLease("job", lasting: .seconds(1)) != nil
            #expect(!isFree)
            return lease.fencingNumber
        }
        struct Failure: Error {}
        await #expect(throws: Failure.self) {
            try await store.withLease("job", waiting: .seconds(5)) { lease in
                let later = lease.fencingNumber
                #expect(later > number)
                throw Failure()
            }
        }
        #expect(throws: Failure.self) {
            try blocking { try store.withBlockingLease("job", waiting: .seconds(5)) { _ in throw Failure() } }
        }
        #expect(try blocking { try store.withBlockingLease("job", waiting: .zero) { $0.isHeld } })
    }

    @Test("a closure can change the state of its actor")
    func actors() async throws {
        let scratch = try ScratchKeyring()
        let counter = Counter(store: try scratch.store())
        try await counter.count()
        try await counter.count()
        #expect(await counter.calls == 4)
    }

    private actor Counter {
        let store: SecretStore
        var calls = 0

        init(store: SecretStore) { self.store = store }

        func count() async throws {
            try await store.update(item, lasting: .scope) { (old: Int?) in
                calls += 1
                return (old ?? 0) + 1
            }
            try await store.withLease("job", waiting: .seconds(5)) { _ in calls += 1 }
        }
    }

    @Test("tryLease grants a free lease even while another process creates the rings")
    func ringsBeingMade() async throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        let makers = LeaseRing(scratch.keyring, permissions: .possessorAll)
        let name = "skr-making:" + NamespaceRings.leasesName
        func isGranted(inTask: Bool) async throws -> Bool {
            let made = DispatchSemaphore(value: 0)
            let start = ContinuousClock.now
            let holder = Locked<Maker?>(Maker(try makers.acquire(name, lasting: .seconds(10), waiting: .zero)))
            Thread.detachNewThread {
                usleep(30_000)
                holder.withLock { $0 = nil }
                made.signal()
            }
            var isGranted = false
            do {
                if inTask {
                    isGranted = try await store.tryLease("job") != nil
                } else {
                    isGranted = try blocking { try store.blockingTryLease("job") != nil }
                }
            } catch let error as SecretStoreError where error.code == .contended {}
            #expect(becomesTrue { made.wait(timeout: .now()) == .success })
            // On a busy machine, the maker can end too late; the store waits for it for 100 ms.
            #expect(isGranted || ContinuousClock.now - start > .milliseconds(100))
            return isGranted
        }
        for isInTask in [true, false] {
            var isDone = false
            for _ in 1...10 where !isDone {
                isDone = try await isGranted(inTask: isInTask)
                try scratch.keyring.clear()
            }
            #expect(isDone)
        }
    }

    @Test("a wrapping backend reports leases and shares fetches as the whole one does")
    func wrapping() async throws {
        let scratch = try ScratchKeyring()
        let kernel = try scratch.store().backend
        let wrapper = Wrapper(whole: kernel)
        let lease = try await SecretStore(backend: wrapper).lease("job", waiting: .zero)
        #expect(wrapper.leaseReport("job") != nil)
        #expect(wrapper.place != nil && wrapper.place == kernel.place)
        withExtendedLifetime(lease) {}
    }

    @Test("a lease that is lost while its closure runs is reported")
    func lostLease() throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        let error = try storeError {
            try store.withBlockingLease("job", waiting: .zero) { _ in
                // All leases are lost with their ring.
                try scratch.keyring.search(.keyring, NamespaceRings.leasesName).invalidate()
                // Longer than the kernel needs to collect the ring.
                usleep(200_000)
            }
        }
        #expect(error?.code == .leaseLost)
    }
}

/// Holds a lease until this object is released.
private final class Maker: Sendable {
    private let lease: HeldLease?
    init(_ lease: consuming HeldLease?) { self.lease = lease }
}

private struct Wrapper: ForwardingBackend {
    let whole: any SecretBackend
}
