import CTestFilters
import Foundation
import Keyutils
import SessionKeyringTesting
import TestSupport
import Testing
import Threads

@testable import SessionKeyring

@Suite("Lease records")
struct LeaseRecordTests {
    private let alive = LeaseHolder.current
    private var dead: LeaseHolder {
        LeaseHolder(processID: alive.processID, startTime: alive.startTime + 1, namespaces: alive.namespaces)
    }

    @Test(
        "a record encodes its numbers in order, with 0 for absent ones, and only such payloads are read",
        arguments: [false, true])
    func payload(hasCommand: Bool) throws {
        var record = LeaseRecord(
            holder: LeaseHolder(processID: 2, startTime: 3, namespaces: 5), acquired: BootTime(nanoseconds: 7),
            deadline: BootTime(nanoseconds: 11))
        if hasCommand { record.command = LeaseHolder(processID: 13, startTime: 17, namespaces: 5) }
        var bytes: [UInt8] = try record.withPayload { payload in payload.withUnsafeBytes { Array($0) } }
        let words = stride(from: 0, to: bytes.count, by: 8).map { start in
            bytes[start..<start + 8].reversed().reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        }
        let command: [UInt64] = hasCommand ? [13, 17] : [0, 0]
        #expect(words == [0x0001_736B_722D_6C73, 2, 3, 5, 7, 11] + command)
        let read = LeaseRecord(payload: bytes.span.bytes)
        #expect(read == record)
        let short = LeaseRecord(payload: Array(bytes.dropLast()).span.bytes)
        bytes[0] += 1
        let other = LeaseRecord(payload: bytes.span.bytes)
        #expect(short == nil && other == nil)
    }

    @Test("isOfOwnNamespaces requires a valid process ID, a start time and our namespaces")
    func ownNamespaces() {
        let own = LeaseHolder.current
        for (processID, startTime, namespaces, isOwn) in [
            (own.processID, own.startTime, own.namespaces, true), (1, 1, own.namespaces, true),
            (0, own.startTime, own.namespaces, false), (-1, own.startTime, own.namespaces, false),
            (own.processID, 0, own.namespaces, false), (own.processID, own.startTime, 0, false),
            (own.processID, own.startTime, own.namespaces + 1, false),
        ] as [(Int32, UInt64, UInt64, Bool)] {
            let holder = LeaseHolder(processID: processID, startTime: startTime, namespaces: namespaces)
            #expect(holder.isOfOwnNamespaces == isOwn, "\(holder)")
        }
    }

    @Test("a holder without a process is dead; one without a known start time is unknown")
    func fate() {
        let own = LeaseHolder.current
        // Process IDs end at 2^22.
        let nobody = LeaseHolder(processID: 4_194_305, startTime: 1, namespaces: own.namespaces)
        #expect(nobody.fate == .dead)
        // A stale errno from an earlier call must not matter.
        errno = ESRCH
        let fate = own.fate
        #expect(fate == .alive)
        let unknown = LeaseHolder(processID: own.processID, startTime: 0, namespaces: own.namespaces)
        #expect(unknown.fate == .unknown)
    }

    @Test("a child is recorded with its start time, which is 0 if the child does not exist")
    func child() {
        #expect(LeaseHolder(child: getpid()) == .current)
        let none = LeaseHolder(child: 4_194_305)
        #expect(none.startTime == 0)
        #expect(none.fate == .unknown)
    }

    @Test("a holder's namespaces combine its PID and time namespaces")
    func namespaces() {
        func inode(_ name: String) -> UInt64 {
            var status = stat()
            return stat("/proc/self/ns/\(name)", &status) == 0 ? UInt64(status.st_ino) : 0
        }
        #expect(LeaseHolder.current.namespaces == inode("pid") << 32 | inode("time") & 0xFFFF_FFFF)
    }

    @Test("a forked child is a separate holder")
    func forkedChild() async {
        await #expect(processExitsWith: .exitCode(0)) {
            let parent = LeaseHolder.current
            let child = test_fork()
            if child == 0 { _exit(LeaseHolder.current.processID == getpid() ? 0 : 3) }
            var status = CInt()
            let ended = waitpid(child, &status, 0)
            succeed(4, child > 0 && ended == child && status == 0)
            succeed(5, LeaseHolder.current == parent)
            exit(0)
        }
    }

    @Test("a report names the holder or its surviving command, but no process of other namespaces")
    func report() {
        let foreign = LeaseHolder(processID: 2, startTime: 2, namespaces: alive.namespaces + 1)
        let outliving = LeaseHolder(processID: 1, startTime: 1, namespaces: alive.namespaces)
        for (holder, command, processID) in [
            (alive, nil, alive.processID), (alive, outliving, alive.processID), (dead, nil, dead.processID),
            (dead, outliving, 1), (foreign, nil, nil), (foreign, outliving, nil), (dead, foreign, nil),
        ] as [(LeaseHolder, LeaseHolder?, Int32?)] {
            var record = LeaseRecord(holder: holder, acquired: .now(), deadline: .now())
            record.command = command
            let report = LeaseReport(record, userID: 7)
            #expect(report.processID == processID && report.userID == 7)
        }
    }

    @Test("a lease has expired after its deadline, or if its deadline is too far in the future")
    func over() {
        let now = BootTime.now()
        let farthest = now + BootTime(HeldLease.longest)
        for (deadline, isOver) in [
            (now, false), (BootTime(nanoseconds: now.nanoseconds - 1), true), (farthest, false),
            (farthest + BootTime(nanoseconds: 1), true),
        ] {
            let record = LeaseRecord(holder: .current, acquired: now, deadline: deadline)
            #expect(record.isOver(at: now) == isOver)
        }
    }

    @Test("a lease has expired once its holder and its command are certainly dead")
    func abandoned() {
        let foreign = LeaseHolder(
            processID: alive.processID, startTime: alive.startTime + 1, namespaces: alive.namespaces + 1)
        for (holder, command, isOver) in [
            (alive, nil, false), (dead, nil, true), (foreign, nil, false), (dead, dead, true), (dead, alive, false),
            (dead, foreign, false), (alive, dead, false),
        ] as [(LeaseHolder, LeaseHolder?, Bool)] {
            let now = BootTime.now()
            var record = LeaseRecord(holder: holder, acquired: now, deadline: now + BootTime(.seconds(60)))
            record.command = command
            #expect(record.isOver == isOver)
        }
    }

    @Test("a lease is renewed after a third of its time")
    func renewal() throws {
        let lease = try InMemoryBackend().takeLease("job", lasting: .seconds(30))
        let left = LeaseRenewer(lease, lasting: .seconds(30)).millisecondsLeft
        #expect(left > 9_000 && left <= 10_001)
        #expect(LeaseRenewer(lease, lasting: .milliseconds(2)).millisecondsLeft <= 2)
        let due = LeaseRenewer(lease, lasting: .milliseconds(3))
        usleep(2_000)
        #expect(due.millisecondsLeft == 1)
    }

    @Test("a lease is renewed once it is due, and not before")
    func renewalIfDue() {
        let lease = CountedLease()
        var early = LeaseRenewer(lease, lasting: .seconds(3_600))
        early.renewIfDue()
        #expect(lease.renewals.withLock { $0 } == [])
        var due = LeaseRenewer(lease, lasting: .milliseconds(3))
        usleep(2_000)
        due.renewIfDue()
        #expect(lease.renewals.withLock { $0 } == [.milliseconds(3)])
    }

    @Test("a command is recorded only in kernel leases, including those of a fetch", .tags(.kernel))
    func command() throws {
        let scratch = try ScratchKeyring()
        let kernel = try scratch.store().backend
        let inMemory = try InMemoryBackend().takeLease("job", lasting: .seconds(30))
        let inKernel = try kernel.takeLease("job", lasting: .seconds(30))
        let ofFetch = FetchLease(try kernel.takeLease("fetch", lasting: .seconds(30)), watching: nil)
        for (lease, isNamed) in [(inMemory, false), (inKernel, true), (ofFetch, true)] as [(any LeaseHandle, Bool)] {
            #expect(try LeaseRenewer(lease, lasting: .seconds(30)).name(command: getpid()) == isNamed)
        }
    }
}

/// Records the durations of its renewals.
private final class CountedLease: LeaseHandle {
    let renewals = Locked<[Duration]>([])
    let fencingNumber: UInt64 = 1
    let timeLeft = Duration.seconds(1)

    func renew(lasting duration: Duration) throws(SecretStoreError) -> Bool {
        renewals.withLock { $0.append(duration) }
        return true
    }

    func name(command processID: Int32) throws(SecretStoreError) -> Bool { true }
    func release() -> Bool { true }
}
