import Foundation
import Keyutils
import SessionKeyringTesting
import Testing
import Threads

/// Tests of notifications, which few kernels have: see `KernelLabTests.swift`.
@Suite("Watching keys", .enabled(if: Capability.has(.notifications)))
struct KernelLabWatcherTests {
    /// The next `count` events.
    private func take(_ count: Int, of watcher: KeyWatcher) async -> [KeyEvent] {
        var events: [KeyEvent] = []
        if count == 0 { return events }
        for await event in watcher.events {
            events.append(event)
            if events.count == count { break }
        }
        return events
    }

    @Test("a watched ring reports links, unlinks and clearing, in order")
    func ring() async throws {
        let scratch = try ScratchKeyring()
        let ring = try scratch.keyring.addKeyring("watched")
        let watcher = try KeyWatcher()
        try watcher.watch(Key(ring))
        let first = try ring.add("first")
        let second = try scratch.keyring.add("second")
        try ring.link(second)
        try ring.unlink(first)
        try ring.clear()
        let events = await take(4, of: watcher)
        #expect(events.map(\.change) == [.linked(first), .linked(second), .unlinked(first), .cleared])
        #expect(events.allSatisfy { $0.key == Key(ring) })
    }

    @Test("a move is reported as an unlink and a link")
    func move() async throws {
        let scratch = try ScratchKeyring()
        let from = try scratch.keyring.addKeyring("from")
        let to = try scratch.keyring.addKeyring("to")
        let key = try from.add("key")
        let watcher = try KeyWatcher()
        try watcher.watch(Key(from))
        try watcher.watch(Key(to))
        try from.move(key, to: to)
        let events = await take(2, of: watcher)
        let changes = Dictionary(uniqueKeysWithValues: events.map { ($0.key, $0.change) })
        #expect(changes == [Key(from): .unlinked(key), Key(to): .linked(key)])
    }

    @Test("a watched key reports updates, attribute changes, revocation and removal")
    func key() async throws {
        let scratch = try ScratchKeyring()
        let key = try scratch.keyring.add("key")
        let watcher = try KeyWatcher()
        try watcher.watch(key)
        try scratch.keyring.add("key", [2])
        try key.update(with: [3])
        try key.setTimeout(KeyTimeout(.seconds(600)))
        try key.revoke()
        try scratch.keyring.unlink(key)
        let events = await take(5, of: watcher)
        #expect(events.map(\.change) == [.updated, .updated, .attributesChanged, .revoked, .watchRemoved])
        #expect(events.allSatisfy { $0.key == key })
    }

    @Test("an invalidated key reports its invalidation and its removal")
    func invalidated() async throws {
        let scratch = try ScratchKeyring()
        let key = try scratch.keyring.add("key")
        let watcher = try KeyWatcher()
        try watcher.watch(key)
        try key.invalidate()
        #expect(await take(2, of: watcher).map(\.change) == [.invalidated, .watchRemoved])
    }

    @Test("a watched ring does not report in-place changes of its members")
    func membersInPlace() async throws {
        let scratch = try ScratchKeyring()
        let ring = try scratch.keyring.addKeyring("watched")
        let key = try ring.add("key")
        let watcher = try KeyWatcher()
        try watcher.watch(Key(ring))
        try key.update(with: [2])
        try key.setTimeout(.longest)
        try ring.clear()
        #expect(await take(1, of: watcher).map(\.change) == [.cleared])
    }

    @Test("neither a ring nor a key reports that the key has expired")
    func expiry() async throws {
        let scratch = try ScratchKeyring()
        let ring = try scratch.keyring.addKeyring("watched")
        let key = try ring.add("key")
        let watcher = try KeyWatcher()
        try watcher.watch(Key(ring))
        try watcher.watch(key)
        try key.setTimeout(KeyTimeout(.seconds(1)))
        #expect(try becomesTrue { () throws in (try? key.payloadSize()) == nil })
        let next = try ring.add("next")
        #expect(await take(2, of: watcher).map(\.change) == [.attributesChanged, .linked(next)])
    }

    @Test("a key that is no longer watched reports nothing more")
    func stopWatching() async throws {
        let scratch = try ScratchKeyring()
        let one = try scratch.keyring.addKeyring("one")
        let other = try scratch.keyring.addKeyring("other")
        let watcher = try KeyWatcher()
        try watcher.watch(Key(one))
        try watcher.watch(Key(other))
        try watcher.stopWatching(Key(one))
        try one.add("unseen")
        try other.clear()
        let events = await take(2, of: watcher)
        #expect(events.map(\.key) == [Key(one), Key(other)])
        #expect(events.map(\.change) == [.watchRemoved, .cleared])
    }

    @Test("watching twice, watching a missing key and stopping an unwatched key are errors")
    func errors() async throws {
        let scratch = try ScratchKeyring()
        let ring = scratch.keyring
        let watcher = try KeyWatcher()
        try watcher.watch(Key(ring))
        expectFailure(.other) { () throws(KeyringError) in try watcher.watch(Key(ring)) }
        expectFailure(.notFound) { () throws(KeyringError) in try watcher.watch(Key(KeySerial(rawValue: 1))) }
        let key = try ring.add("key")
        expectFailure(.other) { () throws(KeyringError) in try watcher.stopWatching(key) }
    }

    @Test("events that arrive one by one, with pauses, are all delivered")
    func oneByOne() async throws {
        let scratch = try ScratchKeyring()
        let ring = try scratch.keyring.addKeyring("watched")
        let watcher = try KeyWatcher()
        try watcher.watch(Key(ring))
        for number in 0..<5 {
            try await Task.sleep(for: .milliseconds(20))
            let key = try ring.add("key \(number)")
            #expect(await take(1, of: watcher).map(\.change) == [.linked(key)])
        }
    }

    @Test("events that nobody takes in time are lost, and the loss is reported", arguments: [50, 3_000])
    func overflow(burst: Int) async throws {
        let scratch = try ScratchKeyring()
        let ring = try scratch.keyring.addKeyring("watched")
        let watcher = try KeyWatcher()
        try watcher.watch(Key(ring))
        // Small bursts overflow the stream, large ones the kernel's queue.
        for number in 1...3_000 {
            try ring.clear()
            if number % burst == 0 { try await Task.sleep(for: .milliseconds(5)) }
        }
        let events = await take(KeyWatcher.queueCapacity, of: watcher)
        #expect(events.contains { $0.change == .eventsLost && $0.key == nil })
        #expect(events.allSatisfy { $0.change == .cleared || $0.change == .eventsLost })
    }

    @Test(
        "the kernel drops events that exceed its buffer, and the loss is reported",
        .enabled(if: Capability.isKernelLab, "it takes a processor for itself")
    )
    func kernelOverflow() async throws {
        let scratch = try ScratchKeyring()
        var watcher: KeyWatcher? = try KeyWatcher()
        let events = try #require(watcher?.events)
        try watcher?.watch(Key(scratch.keyring))
        try aheadOfAll {
            for _ in 0..<600 { try scratch.keyring.clear() }
        }
        var changes: [KeyEvent.Change] = []
        for await event in events {
            changes.append(event.change)
            // The first read fetches all pending events, so this loses none.
            watcher = nil
        }
        #expect(Set(changes) == [.cleared, .eventsLost])
    }

    /// Runs `body` with real-time priority, so that nothing else runs on the lab's only processor meanwhile.
    private func aheadOfAll(_ body: () throws -> Void) throws {
        var priority = sched_param()
        priority.sched_priority = 1
        let outcome = sched_setscheduler(0, SCHED_FIFO, &priority)
        try #require(outcome == 0)
        defer {
            priority.sched_priority = 0
            sched_setscheduler(0, SCHED_OTHER, &priority)
        }
        try body()
    }

    @Test("the events end when the watcher is gone")
    func end() async throws {
        var watcher: KeyWatcher? = try KeyWatcher()
        let events = try #require(watcher?.events)
        watcher = nil
        var count = 0
        for await _ in events { count += 1 }
        #expect(count == 0)
    }

    @Test("a wait ends on an event, on timeout or on cancellation, and takes the event")
    func queue() async throws {
        let scratch = try ScratchKeyring()
        let queue = try KeyEventQueue()
        try queue.watch(Key(scratch.keyring))
        let (brief, long) = (Duration.milliseconds(100), Duration.seconds(600))
        for isTaken in [false, true] {
            if isTaken {
                try scratch.keyring.add("a")
                #expect(await seconds { await queue.waitInTask(upTo: long) } < 60)
                try scratch.keyring.add("b")
                #expect(await seconds { queue.wait(upTo: long) } < 60)
            }
            #expect((0.1..<60).contains(await seconds { await queue.waitInTask(upTo: brief) }))
            #expect((0.1..<60).contains(await seconds { queue.wait(upTo: brief) }))
        }
        for isEarly in [false, true] {
            let isOver = Locked(false)
            let waiter = Task {
                while isEarly && !Task.isCancelled { await Task.yield() }
                await queue.waitInTask(upTo: long)
                isOver.withLock { $0 = true }
            }
            if !isEarly { try await Task.sleep(for: brief) }
            let endsByItself = isOver.withLock { $0 }
            #expect(!endsByItself)
            waiter.cancel()
            #expect(await seconds { await waiter.value } < 60)
        }
    }

    @Test("a queue closes both ends of its pipe")
    func closed() throws {
        var queue: KeyEventQueue? = try KeyEventQueue()
        var state = stat()
        try #require(fstat(#require(queue?.descriptor), &state) == 0)
        func openEnds() throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count {
                (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)"))
                    == "pipe:[\(state.st_ino)]"
            }
        }
        #expect(try openEnds() == 2)
        queue = nil
        #expect(try openEnds() == 0)
    }

    private func seconds(_ body: () async -> Void) async -> Double {
        let begun = ContinuousClock.now
        await body()
        return (ContinuousClock.now - begun) / .seconds(1)
    }
}
