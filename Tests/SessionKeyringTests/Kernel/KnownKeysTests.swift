import Keyutils
import SessionKeyring
import SessionKeyringTesting
import Testing

private let api = ItemIdentity.password(service: "api")

/// The kernel's own events are for the lab alone, which has them; what they mean is tested on every kernel.
@Suite("What the kernel's events of a ring mean", .tags(.kernel))
struct KnownKeysTests {
    private func key(_ name: String, in scratch: borrowing ScratchKeyring) throws -> Key {
        let payload: [UInt8] = [1]
        return try scratch.keyring.add(.user, name, payload: payload.span.bytes)
    }

    private func linked(_ key: Key) -> KeyEvent { KeyEvent(key: nil, change: .linked(key)) }
    private func unlinked(_ key: Key) -> KeyEvent { KeyEvent(key: nil, change: .unlinked(key)) }

    @Test("an item is stored, and deleted by the number of its key")
    func item() throws {
        let scratch = try ScratchKeyring()
        let key = try key(api.keyDescription, in: scratch)
        var known = KnownKeys(items: [:])
        #expect(known.change(of: linked(key)) == .stored(api))
        #expect(known.change(of: unlinked(key)) == .deleted(api))
        #expect(known.change(of: unlinked(key)) == .missed, "nobody knows what it was")
    }

    @Test("an item that was there before is deleted")
    func present() throws {
        let scratch = try ScratchKeyring()
        let key = try key("x", in: scratch)
        var known = KnownKeys(items: [key.serial: api])
        #expect(known.change(of: unlinked(key)) == .deleted(api))
    }

    @Test("keys that are not items are not mentioned, neither when they come nor when they go")
    func foreign() throws {
        let scratch = try ScratchKeyring()
        let key = try key("another program's", in: scratch)
        var known = KnownKeys(items: [:])
        #expect(known.change(of: linked(key)) == nil)
        #expect(known.change(of: unlinked(key)) == nil)
    }

    @Test("after a clear, no item is known; of a key that is gone and of lost events, something was missed")
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
