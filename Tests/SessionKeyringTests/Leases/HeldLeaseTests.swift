import CTestFilters
import Foundation
import Keyutils
import SessionKeyringTesting
import TestSupport
import Testing
import Threads

@testable import SessionKeyring

/// Tests that a lease stops its late holder.
///
/// A holder that is stopped right before its write has already looked at the clock. Only the lease itself can still
/// prevent the write.
@Suite("Leases that are rings", .tags(.kernel, .threads))
final class HeldLeaseTests {
    private let scratch: ScratchKeyring
    private let leases: LeaseRing
    private let items: Keyring

    init() throws {
        scratch = try ScratchKeyring()
        leases = LeaseRing(try scratch.keyring.addKeyring("leases"), permissions: .possessorAll)
        items = try scratch.keyring.addKeyring("items")
    }

    private func stage() throws -> Key {
        try Keyring.thread.add(.user, "item", payload: [1].span.bytes)
    }

    @Test("a key placed under a lease arrives, and a key removed under it is gone")
    func held() throws {
        let lease = try leases.take(lasting: .seconds(60))
        let key = try stage()
        let isPublished = try lease.place(key, in: items)
        #expect(isPublished)
        #expect(try items.members() == [key.serial])
        let isRemoved = try lease.remove(key, from: items)
        #expect(isRemoved)
        #expect(try items.members().isEmpty)
        let isReleased = lease.release()
        #expect(isReleased)
        #expect(try leases.look("job") == .free)
        #expect(try leases.keyring.members().isEmpty)
    }

    @Test("reading a record throws for a key that isn't a keyring, and returns nil if it is missing")
    func unreadableRecord() throws {
        let key = try items.add(.user, "no keyring", payload: [1].span.bytes)
        #expect { _ = try leases.record(of: Keyring(key.serial)) } throws: {
            ($0 as? KeyringError)?.code == .notKeyring
        }
        #expect(try leases.record(of: items) == nil)
    }

    @Test("neither a blocked attempt nor a later one that succeeds leaves anything staged")
    func staged() throws {
        let held = try leases.take(lasting: .seconds(60))
        let staged = try Keyring.thread.members()
        let blockage = try leases.acquire("job", lasting: .seconds(60), Effort()).blockage
        #expect(blockage == .itemLease)
        #expect(try Keyring.thread.members() == staged)
        let isReleased = held.release()
        #expect(isReleased)
        let next = try leases.acquire("job", lasting: .seconds(60), Effort(isFirst: false))
        let isTaken = next.blockage == nil
        #expect(isTaken)
        #expect(try Keyring.thread.members() == staged)
        #expect(try leases.look("job") == .held)
        _ = consume next
    }

    @Test("a renewal that the kernel refuses throws, and the lease is still held")
    func renewalFails() async {
        await #expect(processExitsWith: .exitCode(0)) {
            let session = try TestSession.join()
            let leases = LeaseRing(try session.addKeyring("leases"), permissions: .possessorAll)
            guard var lease = try leases.acquire("job", lasting: .seconds(60), waiting: .zero) else { exit(3) }
            // KEYCTL_UPDATE
            guard test_filter_install(2, ENOMEM) == 0 else { exit(4) }
            expectOutOfMemory(5) { _ = try lease.renew(lasting: .seconds(60)) }
            let isHeld = lease.isHeld
            succeed(7, isHeld)
            exit(0)
        }
    }

    @Test("a lease that can't be renewed is no longer held, whatever time it had left")
    func notRenewed() throws {
        var lease = try leases.take(lasting: .seconds(60))
        try Key(lease.ring).invalidate()
        let isRenewed = try lease.renew(lasting: .seconds(60))
        #expect(!isRenewed)
        let isHeld = lease.isHeld
        #expect(!isHeld)
    }

    @Test("a lease that has expired can't be renewed, and another holder can take it")
    func renewedLate() throws {
        var late = try leases.take(lasting: .milliseconds(20))
        usleep(30_000)
        let isRenewed = try late.renew(lasting: .seconds(600))
        #expect(!isRenewed)
        let next = try leases.take(lasting: .seconds(1))
        let isHeld = next.isHeld
        #expect(isHeld)
    }

    @Test("an item that is placed exclusively does not replace another one with its name")
    func exclusive() throws {
        let lease = try leases.take(lasting: .seconds(60))
        let first = try lease.place(try stage(), in: items, exclusively: true)
        #expect(first)
        #expect(throws: KeyringError(errno: EEXIST, in: .move)) {
            _ = try lease.place(try stage(), in: items, exclusively: true)
        }
        let again = try lease.place(try stage(), in: items)
        #expect(again)
        #expect(try items.members().count == 1)
    }

    @Test("a report states how long a lease has been held, unless its record has an impossible time")
    func reportedTime() {
        func duration(acquired: BootTime) -> Duration? {
            LeaseReport(LeaseRecord(holder: .current, acquired: acquired, deadline: .now()), userID: 0).duration
        }
        #expect(duration(acquired: BootTime(nanoseconds: 0)) == nil)
        #expect(duration(acquired: .now() + BootTime(.seconds(60))) == nil)
        #expect(duration(acquired: BootTime(nanoseconds: 1)) != nil)
        #expect(duration(acquired: .now()) ?? .seconds(60) < .seconds(60))
    }

    @Test(
        "nothing is written or removed under a lease that has run out, even if nobody has taken it",
        arguments: [false, true])
    func late(isTaken: Bool) throws {
        let there = try items.add(.user, "there", payload: [1].span.bytes)
        let late = try leases.take(lasting: .milliseconds(20))
        usleep(30_000)
        let next = try isTaken ? leases.take(lasting: .seconds(10)) : nil
        let isPublished = try late.place(try stage(), in: items)
        let isRemoved = try late.remove(there, from: items)
        #expect(!isPublished && !isRemoved)
        #expect(try items.members() == [there.serial])
        if !isTaken {
            // The quota of what was not written is not needed any more.
            let left = try late.ring.members().count
            #expect(left == 0)
        }
        _ = next?.release()
    }

    @Test("a late release does not affect the new holder of the lease, which has a higher fencing number")
    func lateRelease() throws {
        let late = try leases.take(lasting: .milliseconds(20))
        let next = try leases.take(lasting: .seconds(10))
        let isLater = next.fencingNumber > late.fencingNumber
        #expect(isLater)
        let isReleased = late.release()
        #expect(!isReleased)
        #expect(try leases.look("job") == .held)
        let isStillHeld = next.isHeld
        #expect(isStillHeld)
        _ = next.release()
    }

    @Test("a missing destination is distinguished from a lost lease")
    func noDestination() throws {
        let lease = try leases.take(lasting: .seconds(60))
        try scratch.keyring.unlink(Key(items))
        let key = try stage()
        do throws(KeyringError) {
            _ = try lease.place(key, in: items)
            Issue.record("it was published")
        } catch {
            #expect(error.code == .notFound || error.code == .accessDenied)
        }
        let left = try lease.ring.members().count
        #expect(left == 1)
        _ = lease.release()
    }

    @Test("a killed holder loses its lease immediately, and a stopped one keeps it", arguments: [SIGKILL, SIGSTOP])
    func deadHolder(signal: CInt) async throws {
        let leases = leases.keyring
        await withHolder(of: "job", in: self.leases) { holder in
            let leases = LeaseRing(leases, permissions: .possessorAll)
            #expect(try leases.look("job") == .held)
            kill(holder, signal)
            let wait: Duration = signal == SIGKILL ? .seconds(10) : .milliseconds(400)
            let next = try leases.acquire("job", lasting: .seconds(5), waiting: wait)
            let isTaken = next != nil
            #expect(isTaken == (signal == SIGKILL))
            _ = next?.release()
        }
    }

    @Test("a lease is held as long as its command runs, even if its holder is dead")
    func livingCommand() async throws {
        let command = Process()
        command.executableURL = URL(fileURLWithPath: "/bin/sleep")
        command.arguments = ["600"]
        try command.run()
        await withHolder(of: "job", in: leases, command: command.processIdentifier) { kill($0, SIGKILL) }
        #expect(try leases.look("job") == .held)
        // SIGKILL, because the command has inherited the blocked signals of this thread.
        kill(command.processIdentifier, SIGKILL)
        command.waitUntilExit()
        #expect(try leases.look("job") == .beingCollected)
    }

    @Test("10 late holders of 10 ms leases never overlap while other processes list a large ring")
    func lateHolders() async throws { try await lateHolders(lasting: 1) }

    @Test("10 late holders of 10 ms leases never overlap for 3 s", .tags(.long))
    func lateHoldersForLong() async throws { try await lateHolders(lasting: 3) }

    /// Takes leases in ten processes for this many seconds, while two others list a large ring.
    private func lateHolders(lasting seconds: Int) async throws {
        let ring = try scratch.keyring.addKeyring("large")
        for number in 0..<(isRoot ? 500 : 50) { try ring.add(.user, "n\(number)", payload: [1].span.bytes) }
        try ring.link(Key(leases.keyring))
        let (serial, large) = (leases.keyring.serial.rawValue, ring.serial.rawValue)
        let starts = try scratch.keyring.addKeyring("starts").serial.rawValue
        let seed = testSeed
        print("seed \(seed)")
        let log = FileManager.default.temporaryDirectory.appendingPathComponent("leases-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: log) }
        _ = FileManager.default.createFile(atPath: log.path, contents: nil)
        try await concurrently(12) { process -> Void in
            await #expect(processExitsWith: .exitCode(0)) {
                [
                    serial = serial as Int32, large = large as Int32, starts = starts as Int32,
                    process = process as Int, seed = seed as UInt64, path = log.path as String,
                    seconds = seconds as Int
                ] in
                // The time begins when all processes have started.
                let meeting = Keyring(KeySerial(rawValue: starts))
                try meeting.add(.user, "\(process)", payload: [1].span.bytes)
                guard try becomesTrue(within: 30, { try meeting.members().count == 12 }) else { exit(5) }
                let end = ContinuousClock.now + .seconds(seconds)
                var random = Choices(seed: seed, stream: UInt64(process))
                let leases = LeaseRing(Keyring(KeySerial(rawValue: serial)), permissions: .possessorAll)
                let file = open(path, O_WRONLY | O_APPEND)
                while ContinuousClock.now < end {
                    guard process < 10 else {
                        _ = try Keyring(KeySerial(rawValue: large)).members()
                        continue
                    }
                    let lease = try leases.acquire("job", lasting: .milliseconds(10), waiting: .seconds(20))
                    guard let lease else { exit(2) }
                    var lastHeld = lease.fencingNumber
                    let work = UInt32.random(in: 0..<11_500, using: &random)
                    usleep(work)
                    let now = UInt64(clock_gettime_nsec_boottime())
                    if lease.isHeld { lastHeld = max(lastHeld, now) }
                    let line = "\(lease.fencingNumber) \(lastHeld)\n"
                    _ = lease.release()
                    _ = write(file, line, line.utf8.count)
                }
                exit(0)
            }
        }
        let held = try String(contentsOf: log, encoding: .utf8).split(separator: "\n").map { line in
            line.split(separator: " ").map { UInt64($0) ?? 0 }
        }.sorted { $0[0] < $1[0] }
        let overlapping = zip(held, held.dropFirst()).filter { $0[1] > $1[0] }
        print("\(held.count) leases, \(overlapping.count) overlapping pairs")
        // Each of the ten processes takes one, even if it gets it late.
        #expect(held.count >= 20)
        #expect(overlapping.isEmpty)
    }

    @Test("a keyring with a lease's name that can't be closed is an error, and keeps its keys")
    func unclosable() throws {
        let ring = try leases.keyring.addKeyring("job")
        let kept = try ring.add(.user, "kept", payload: [1].span.bytes)
        try Key(ring).setPermissions(.possessorAll.subtracting(.possessorSetAttribute))
        #expect(throws: KeyringError.self) {
            let lease = try leases.acquire("job", lasting: .seconds(1), waiting: .zero)
            _ = lease?.release()
        }
        #expect(try ring.members() == [kept.serial])
    }

    @Test("a lease name held by an unsearchable keyring is an error long before the wait ends, not a hang")
    func unsearchable() throws {
        let ring = try leases.keyring.addKeyring("job")
        try Key(ring).setPermissions([.possessorSetAttribute])
        let start = ContinuousClock.now
        #expect(throws: KeyringError.self) {
            let lease = try leases.acquire("job", lasting: .seconds(1), waiting: .seconds(60))
            _ = lease?.release()
        }
        #expect(ContinuousClock.now - start < .seconds(40))
    }
}

private func clock_gettime_nsec_boottime() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
}

/// Runs `body` while another process holds the lease `name`, and kills that process at the end.
private func withHolder(
    of name: String, in leases: LeaseRing, command: Int32 = 0, _ body: @escaping @Sendable (pid_t) throws -> Void
) async {
    let serial = leases.keyring.serial.rawValue
    let isDone = Locked(false)
    Thread.detachNewThread {
        defer { isDone.withLock { $0 = true } }
        // If an ordinary user has no session keyring, a new thread can use the test's rings only after it has
        // resolved one.
        _ = try? Keyring.resolve(.sessionKeyring)
        // The holder publishes its process id in a key, because an exit test doesn't report it.
        let deadline = ContinuousClock.now + .seconds(600)
        var holder: pid_t = 0
        while holder == 0, ContinuousClock.now < deadline {
            usleep(2_000)
            let number = try? Keyring(KeySerial(rawValue: serial)).search(.user, "holder").withPayload { bytes in
                bytes.withUnsafeBytes { pid_t(String(decoding: $0, as: UTF8.self)) }
            }
            holder = number ?? 0
        }
        guard holder > 0 else {
            Issue.record("nobody holds the lease")
            return
        }
        #expect(throws: Never.self) { try body(holder) }
        kill(holder, SIGKILL)
    }
    await #expect(processExitsWith: .signal(SIGKILL)) {
        [serial = serial as Int32, name = name as String, command = command as Int32] in
        let leases = LeaseRing(Keyring(KeySerial(rawValue: serial)), permissions: .possessorAll)
        guard var lease = try leases.acquire(name, lasting: .seconds(3_600), waiting: .seconds(5)) else { exit(2) }
        if command != 0 { guard try lease.name(command: command) else { exit(3) } }
        try leases.keyring.add(.user, "holder", payload: Array("\(getpid())".utf8).span.bytes)
        while lease.isHeld { usleep(1_000) }
        exit(4)
    }
    while !isDone.withLock({ $0 }) { usleep(1_000) }
    try? leases.keyring.unlink(leases.keyring.search(.user, "holder"))
}
