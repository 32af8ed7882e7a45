import Keyutils
import SessionKeyringTesting
import Testing

@Suite("Expiry on the real kernel")
struct KeyExpiryTests {
    private func expiry(of key: Key) throws -> KeyTable.Entry.Expiry? {
        try KeyTable.snapshot()[key.serial]?.expiry
    }

    @Test("a key lives for ever until a timeout is set, and again when that is removed")
    func setAndRemove() throws {
        let scratch = try ScratchKeyring()
        let key = try scratch.keyring.add("key")
        #expect(try expiry(of: key) == .never)
        try key.setTimeout(KeyTimeout(.seconds(7_000)))
        #expect(try expiry(of: key) == .left(KeyTimeLeft(atLeast: .seconds(3_600), precision: .seconds(3_600))))
        try key.removeTimeout()
        #expect(try expiry(of: key) == .never)
    }

    @Test("an update in place, of either kind, clears the timeout")
    func updateClears() throws {
        let scratch = try ScratchKeyring()
        let key = try scratch.keyring.add("key")
        try key.setTimeout(KeyTimeout(.seconds(7_000)))
        try scratch.keyring.add("key", [7])
        #expect(try expiry(of: key) == .never)
        try key.setTimeout(KeyTimeout(.seconds(7_000)))
        try key.update(with: [8])
        #expect(try expiry(of: key) == .never)
    }

    @Test("the longest timeout is taken")
    func longest() throws {
        let scratch = try ScratchKeyring()
        let key = try scratch.keyring.add("key")
        try key.setTimeout(.longest)
        // 7,101 weeks and some.
        let week: Int64 = 604_800
        #expect(
            try expiry(of: key)
                == .left(KeyTimeLeft(atLeast: .seconds(7_101 * week), precision: .seconds(week)))
        )
    }

    @Test("after a timeout of one second at most one second passes until everything fails with expired")
    func expires() throws {
        let scratch = try ScratchKeyring()
        let key = try scratch.keyring.add("key")
        try key.setTimeout(KeyTimeout(.seconds(1)))
        let start = ContinuousClock.now
        // Noted before each look, so that a thread that stands makes it seem no later.
        var lastAlive = start
        let isGone = try becomesTrue { () throws in
            let now = ContinuousClock.now
            guard (try? key.payloadSize()) != nil else { return true }
            lastAlive = now
            return false
        }
        #expect(isGone)
        #expect(lastAlive - start < .milliseconds(1_100))
        expectFailure(.expired) { () throws(KeyringError) in _ = try key.read() }
        expectFailure(.expired) { () throws(KeyringError) in _ = try scratch.keyring.search(.user, "key") }
        expectFailure(.expired) { () throws(KeyringError) in try key.setTimeout(.longest) }
        expectFailure(.expired) { () throws(KeyringError) in try key.removeTimeout() }
        expectFailure(.expired) { () throws(KeyringError) in try key.update(with: [1]) }
        expectFailure(.expired) { () throws(KeyringError) in try key.invalidate() }
        #expect(try expiry(of: key) == .expired)
        #expect(try scratch.keyring.members() == [key.serial], "an expired key stays linked for a while")
        try scratch.keyring.unlink(key)
        #expect(try scratch.keyring.members() == [])
    }

    @Test("adding under the name of an expired key brings the same serial back to life")
    func revived() throws {
        let scratch = try ScratchKeyring()
        let key = try scratch.keyring.add("key")
        try key.setTimeout(KeyTimeout(.seconds(1)))
        #expect(try becomesTrue { () throws in (try? key.payloadSize()) == nil })
        #expect(try scratch.keyring.add("key", [5]) == key)
        #expect(try key.bytes() == [5])
        #expect(try expiry(of: key) == .never)
    }
}
