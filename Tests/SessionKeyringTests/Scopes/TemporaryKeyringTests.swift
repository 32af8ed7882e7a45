import Keyutils
import SessionKeyringTesting
import TestSupport
import Testing

@testable import SessionKeyring

@Suite("A temporary keyring", .tags(.kernel))
struct TemporaryKeyringTests {
    private func make(in anchor: Keyring) throws -> TemporaryKeyring {
        let temporary = try TemporaryKeyring(for: .scratch, in: anchor, lifetime: .longest)
        try temporary.keyring.add(.user, "item", payload: [1].span.bytes)
        return temporary
    }

    @Test("it stays linked to its anchor, with a timeout, until it is removed or deinitialised")
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

    @Test("it has the requested permissions, or the kernel's default ones")
    func permissions() throws {
        let scratch = try ScratchKeyring()
        let permissions: KeyPermissions = [.possessorAll, .userAll]
        let usual = try scratch.keyring.addKeyring("usual")
        let plain = try make(in: scratch.keyring)
        let open = try TemporaryKeyring(
            for: .scratch, in: scratch.keyring, lifetime: .longest, permissions: permissions)
        let (plainRing, openRing) = (plain.keyring, open.keyring)
        #expect(try Key(plainRing).describe().permissions == Key(usual).describe().permissions)
        #expect(try Key(openRing).describe().permissions == permissions)
        try plain.remove()
        try open.remove()
    }

    @Test("it is emptied when deinitialised even if another keyring links to it")
    func emptied() throws {
        let scratch = try ScratchKeyring()
        let (anchor, others) = (try scratch.keyring.addKeyring("anchor"), try scratch.keyring.addKeyring("others"))
        func forget() throws -> Keyring {
            let temporary = try make(in: anchor)
            let ring = temporary.keyring
            try others.link(Key(ring))
            withExtendedLifetime(temporary) {}
            return ring
        }
        let ring = try forget()
        #expect(try others.members() == [ring.serial])
        #expect(try ring.members().isEmpty)
        #expect(try anchor.members().isEmpty)
    }

    @Test("a failure to link it is an error and leaves no keyring in the anchor or the thread")
    func unlinkable() throws {
        let scratch = try ScratchKeyring()
        let anchor = try scratch.keyring.addKeyring("anchor")
        try Key(anchor).setPermissions(.possessorAll.subtracting(.possessorWrite))
        // This creates the thread keyring if it does not exist yet.
        Staging.discard(Key(try Keyring.thread.addKeyring("staged")))
        let staged = try Keyring.thread.members()
        let error = try keyringError {
            try TemporaryKeyring(for: .scratch, in: anchor, lifetime: .longest).remove()
        }
        #expect(error?.code == .accessDenied)
        #expect(try anchor.members().isEmpty)
        #expect(try Keyring.thread.members() == staged)
    }

    @Test("remove throws the kernel error if it can't empty or unlink the keyring", arguments: [false, true])
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
