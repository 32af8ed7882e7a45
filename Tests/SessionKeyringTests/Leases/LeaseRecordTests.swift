import Foundation
import Keyutils
import SessionKeyringTesting
import Testing
import Threads

@testable import SessionKeyring

@Suite("What a lease says")
struct LeaseRecordTests {
    @Test(
        "the hash is the one of earlier versions, FNV-1a of 64 bits",
        arguments: [("", 0xCBF2_9CE4_8422_2325), ("a", 0xAF63_DC4C_8601_EC8C), ("foobar", 0x8594_4171_F739_67E8)]
            as [(String, UInt64)])
    func hash(text: String, hash: UInt64) {
        #expect(LeaseRecord.hash(of: Array(text.utf8).span.bytes) == hash)
    }

    @Test("a record is read as it was written, in the form of earlier versions, and nothing else is a record")
    func payload() throws {
        let holder = LeaseHolder.current
        var records = [LeaseRecord](
            repeating: LeaseRecord(
                holder: holder, acquired: BootTime(nanoseconds: 5), deadline: BootTime(nanoseconds: 7)),
            count: 3)
        records[1].command = LeaseHolder(processID: 17, startTime: 19, namespaces: holder.namespaces)
        records[2].overwrite = LeaseRecord.Overwrite(key: KeySerial(rawValue: 23), expiry: 29, hash: 31)
        for record in records {
            var bytes: [UInt8] = try record.withPayload { payload in payload.withUnsafeBytes { Array($0) } }
            let read = LeaseRecord(payload: bytes.span.bytes)
            #expect(read == record)
            #expect(bytes.count == 96 && bytes.starts(with: [0x73, 0x6C, 0x2D, 0x72, 0x6B, 0x73, 1, 0]))
            let short = LeaseRecord(payload: Array(bytes.dropLast()).span.bytes)
            bytes[0] += 1
            let other = LeaseRecord(payload: bytes.span.bytes)
            #expect(short == nil && other == nil)
        }
    }

    @Test("a lease is over after its deadline, or if that is further away than any lease lasts")
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

    @Test("a lease is over once its holder and its command are dead for certain")
    func abandoned() {
        let alive = LeaseHolder.current
        let dead = LeaseHolder(
            processID: alive.processID, startTime: alive.startTime + 1, namespaces: alive.namespaces)
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
        var attempt = BackendAttempt(mayUseLastResorts: false)
        let lease = try InMemoryBackend().takeLease("job", lasting: .seconds(30), &attempt)
        let left = LeaseRenewer(lease, lasting: .seconds(30)).millisecondsLeft
        #expect(left > 9_000 && left <= 10_001)
        #expect(LeaseRenewer(lease, lasting: .milliseconds(2)).millisecondsLeft <= 2)
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

    @Test("a command is named in the kernel's leases alone, also in those of a fetch", .tags(.kernel))
    func command() throws {
        let scratch = try ScratchKeyring()
        let kernel = try scratch.store().backend
        let inMemory = try InMemoryBackend().takeLease("job", lasting: .seconds(30))
        let inKernel = try kernel.takeLease("job", lasting: .seconds(30))
        let ofFetch = FetchLease(try kernel.takeLease("fetch", lasting: .seconds(30)), watching: nil, refusal: nil)
        for (lease, isNamed) in [(inMemory, false), (inKernel, true), (ofFetch, true)] as [(any LeaseHandle, Bool)] {
            #expect(try LeaseRenewer(lease, lasting: .seconds(30)).name(command: getpid()) == isNamed)
        }
    }

    @Test(
        "a process has ended if it is a zombie without other threads",
        arguments: [("Z", 1, true), ("Z", 2, false), ("X", 1, true), ("S", 1, false), ("R", 2, false)]
            as [(String, Int, Bool)])
    func processStatus(state: String, threads: Int, hasEnded: Bool) throws {
        // As in proc_pid_stat(5); the name of the program may contain spaces and parentheses.
        let line = "17 (a) Z (b) \(state) 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 \(threads) 0 4711 18 19\n"
        let status = try #require(ProcessStatus(line: Array(line.utf8)))
        #expect(status.startTime == 4711)
        #expect(status.hasEnded == hasEnded)
    }

    @Test(
        "a status is not read if a field is missing or not a number",
        arguments: [
            "", "17 (a", "17 (a) Z 1 2", "17 (a) Z 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 1 0",
            "17 (a) Z 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 1 0 x",
            "17 (a) Z 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 x 0 1",
        ])
    func unreadableStatus(line: String) {
        #expect(ProcessStatus(line: Array(line.utf8)) == nil)
    }
}

/// Notes for how long it is renewed.
private final class CountedLease: LeaseHandle {
    let renewals = Locked<[Duration]>([])
    let fencingNumber: UInt64 = 1
    let timeLeft = Duration.seconds(1)

    func renew(lasting duration: Duration) throws(SecretStoreError) -> Bool {
        renewals.withLock { $0.append(duration) }
        return true
    }

    func release() -> Bool { true }
}
