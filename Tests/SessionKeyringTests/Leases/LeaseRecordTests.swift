import SessionKeyringTesting
import Testing

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

    @Test("a lease is renewed after a third of its time")
    func renewal() throws {
        var attempt = BackendAttempt(mayUseLastResorts: false)
        let lease = try InMemoryBackend().takeLease("job", lasting: .seconds(30), &attempt)
        let left = LeaseRenewer(lease, lasting: .seconds(30)).millisecondsLeft
        #expect(left > 9_000 && left <= 10_001)
        #expect(LeaseRenewer(lease, lasting: .milliseconds(2)).millisecondsLeft <= 2)
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
