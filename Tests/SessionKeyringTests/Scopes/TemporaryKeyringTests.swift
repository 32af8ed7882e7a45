import Keyutils
import SessionKeyring
import SessionKeyringTesting
import TestSupport
import Testing

@Suite("A temporary keyring", .tags(.kernel))
struct TemporaryKeyringTests {
    private func make(in anchor: Keyring) throws -> TemporaryKeyring {
        let temporary = try TemporaryKeyring(prefix: "skr-test", in: anchor, lifetime: .longest)
        let bytes: [UInt8] = [1]
        try temporary.keyring.add(.user, "item", payload: bytes.span.bytes)
        return temporary
    }

    @Test("it is linked where it was asked for, with a timeout, until it is removed or forgotten")
    func lifetime() throws {
        let scratch = try ScratchKeyring()
        let removed = try make(in: scratch.keyring)
        let ring = removed.keyring
        #expect(try scratch.keyring.members() == [ring.serial])
        let entry = try #require(try KeyTable.snapshot()[ring.serial])
        #expect(entry.expiry != .never)
        try removed.remove()
        #expect(try scratch.keyring.members().isEmpty)
        _ = try make(in: scratch.keyring)
        #expect(try scratch.keyring.members().isEmpty)
    }

    @Test("what keeps it from being emptied or unlinked is told", arguments: [false, true])
    func unremovable(isFull: Bool) throws {
        let scratch = try ScratchKeyring()
        let anchor = try scratch.keyring.addKeyring("anchor")
        let temporary = try make(in: anchor)
        let ring = temporary.keyring
        try Key(isFull ? ring : anchor).setPermissions(.possessorAll.subtracting(.possessorWrite))
        do throws(KeyringError) {
            try temporary.remove()
            Issue.record("it was removed")
        } catch {
            #expect(error.code == .accessDenied)
        }
        #expect(try ring.members().isEmpty == !isFull)
        #expect(try anchor.links(Key(ring)))
    }
}
