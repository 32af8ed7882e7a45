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
}
