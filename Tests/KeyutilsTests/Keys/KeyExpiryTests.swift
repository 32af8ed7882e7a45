import Keyutils
import SessionKeyringTesting
import Testing

@Suite("Expiry on the real kernel")
final class KeyExpiryTests: ScratchSuite {
    private func expiry(of key: Key) throws -> KeyTable.Entry.Expiry? {
        try KeyTable.snapshot()[key.serial]?.expiry
    }

    @Test("a key never expires without a timeout, or after its timeout was removed")
    func setAndRemove() throws {
        let key = try keyring.add("key")
        #expect(try expiry(of: key) == .never)
        try key.setTimeout(KeyTimeout(.seconds(7_000)))
        let hour = KeyTimeLeft(atLeast: .seconds(3_600), precision: .seconds(3_600))
        #expect(try expiry(of: key) == .left(hour))
        try key.removeTimeout()
        #expect(try expiry(of: key) == .never)
    }

    @Test("both kinds of in-place update clear the timeout")
    func updateClears() throws {
        let key = try keyring.add("key")
        try key.setTimeout(KeyTimeout(.seconds(7_000)))
        try keyring.add("key", [7])
        #expect(try expiry(of: key) == .never)
        try key.setTimeout(KeyTimeout(.seconds(7_000)))
        try key.update(with: [8])
        #expect(try expiry(of: key) == .never)
    }

    @Test("the longest timeout is accepted")
    func longest() throws {
        let key = try keyring.add("key")
        try key.setTimeout(.longest)
        // 7,101 weeks, which is a little less than the longest timeout.
        let left = KeyTimeLeft(atLeast: .seconds(4_294_684_800), precision: .seconds(604_800))
        #expect(try expiry(of: key) == .left(left))
    }

    @Test("a key with a timeout of one second expires in time, and then calls fail with expired")
    func expires() throws {
        let key = try keyring.add("key")
        try key.setTimeout(KeyTimeout(.seconds(1)))
        let start = ContinuousClock.now
        // The time is noted before each call, so that a delay of this thread doesn't make the key seem to live longer.
        var lastAlive = start
        let isGone = try becomesTrue { () throws in
            let now = ContinuousClock.now
            guard (try? key.payloadSize()) != nil else { return true }
            lastAlive = now
            return false
        }
        #expect(isGone)
        let limit: ContinuousClock.Instant = start + .milliseconds(1_100)
        #expect(lastAlive < limit)
        expectFailure(.expired) { () throws(KeyringError) in _ = try key.read() }
        expectFailure(.expired) { () throws(KeyringError) in _ = try keyring.search(.user, "key") }
        expectFailure(.expired) { () throws(KeyringError) in try key.setTimeout(.longest) }
        expectFailure(.expired) { () throws(KeyringError) in try key.removeTimeout() }
        expectFailure(.expired) { () throws(KeyringError) in try key.update(with: [1]) }
        expectFailure(.expired) { () throws(KeyringError) in try key.invalidate() }
        #expect(try expiry(of: key) == .expired)
        #expect(try keyring.members() == [key.serial], "an expired key stays linked for a while")
        try keyring.unlink(key)
        #expect(try keyring.members() == [])
    }

    @Test("adding a key under the name of an expired key revives the same serial")
    func revived() throws {
        let key = try keyring.add("key")
        try key.setTimeout(KeyTimeout(.seconds(1)))
        #expect(try becomesTrue { () throws in (try? key.payloadSize()) == nil })
        #expect(try keyring.add("key", [5]) == key)
        #expect(try key.bytes() == [5])
        #expect(try expiry(of: key) == .never)
    }
}
