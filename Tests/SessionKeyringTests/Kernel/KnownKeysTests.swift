import Keyutils
import SessionKeyring
import SessionKeyringTesting
import Testing

private let api = ItemIdentity.password(service: "api")

/// Tests how a ring's events are interpreted, on every kernel; only the lab's kernel produces such events.
@Suite("The meaning of a ring's events", .tags(.kernel))
struct KnownKeysTests {
    private func key(_ name: String, in scratch: borrowing ScratchKeyring) throws -> Key {
        let payload: [UInt8] = [1]
        return try scratch.keyring.add(.user, name, payload: payload.span.bytes)
    }

    private func linked(_ key: Key) -> KeyEvent { KeyEvent(key: nil, change: .linked(key)) }
    private func unlinked(_ key: Key) -> KeyEvent { KeyEvent(key: nil, change: .unlinked(key)) }

    @Test("linking an item's key reports a stored item, and unlinking it reports a deleted one")
    func item() throws {
        let scratch = try ScratchKeyring()
        let key = try key(api.keyDescription, in: scratch)
        var known = KnownKeys(items: [:])
        #expect(known.change(of: linked(key)) == .stored(api))
        #expect(known.change(of: unlinked(key)) == .deleted(api))
        #expect(known.change(of: unlinked(key)) == .missed, "the unlinked key is unknown")
    }

    @Test("unlinking an item that existed before reports a deleted item")
    func present() throws {
        let scratch = try ScratchKeyring()
        let key = try key("x", in: scratch)
        var known = KnownKeys(items: [key.serial: api])
        #expect(known.change(of: unlinked(key)) == .deleted(api))
    }

    @Test("keys that are not items are not reported, neither when linked nor when unlinked")
    func foreign() throws {
        let scratch = try ScratchKeyring()
        let key = try key("another program's", in: scratch)
        var known = KnownKeys(items: [:])
        #expect(known.change(of: linked(key)) == nil)
        #expect(known.change(of: unlinked(key)) == nil)
    }

    @Test("after a clear no item is known, and a dead key or lost events are reported as missed")
    func missed() throws {
        let scratch = try ScratchKeyring()
        let key = try key(api.keyDescription, in: scratch)
        var known = KnownKeys(items: [:])
        #expect(known.change(of: linked(key)) == .stored(api))
        #expect(known.change(of: KeyEvent(key: nil, change: .cleared)) == .cleared)
        #expect(known.change(of: unlinked(key)) == .missed)
        let foreign = try self.key("another program's", in: scratch)
        #expect(known.change(of: linked(foreign)) == nil)
        #expect(known.change(of: KeyEvent(key: nil, change: .cleared)) == .cleared)
        #expect(known.change(of: unlinked(foreign)) == .missed)
        try key.revoke()
        #expect(known.change(of: linked(key)) == .missed)
        #expect(known.change(of: KeyEvent(key: nil, change: .eventsLost)) == .missed)
        for change in [KeyEvent.Change.attributesChanged, .updated, .instantiated] {
            #expect(known.change(of: KeyEvent(key: nil, change: change)) == nil)
        }
    }
}
