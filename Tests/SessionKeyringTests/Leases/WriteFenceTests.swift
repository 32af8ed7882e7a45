import Keyutils
import SessionKeyring
import SessionKeyringTesting
import Testing

/// A holder that is stopped right before its write has looked at the clock already: only the fence is left to stop it.
@Suite("Fences", .tags(.kernel))
final class WriteFenceTests {
    private let scratch: ScratchKeyring
    private let leases: Keyring
    private let items: Keyring

    init() throws {
        scratch = try ScratchKeyring()
        leases = try scratch.keyring.addKeyring("leases")
        items = try scratch.keyring.addKeyring("items")
    }

    private func makeFence() throws(KeyringError) -> WriteFence {
        try WriteFence(prefix: "test/", in: leases, permissions: .possessorAll, lasting: .seconds(60))
    }

    private func stage() throws -> Key {
        let bytes: [UInt8] = [1]
        return try Keyring.thread.add(.user, "item", payload: bytes.span.bytes)
    }

    private func take(_ name: String, lasting duration: Duration) throws -> ExactLease {
        let lease = try ExactLease.acquire(
            name, in: leases, permissions: .possessorAll, lasting: duration, waiting: .seconds(5))
        guard let lease else { throw KeyringError(.alreadyExists, in: .move) }
        return lease
    }

    @Test("what passes an open fence arrives")
    func open() throws {
        let fence = try makeFence()
        let key = try stage()
        #expect(try fence.pass(key, to: items) { true })
        #expect(try items.members() == [key.serial])
        #expect(try fence.remove(key, from: items) { true })
        #expect(try items.members().isEmpty)
    }

    @Test("nothing passes a closed fence, late as it may come")
    func closed() throws {
        let fence = try makeFence()
        try WriteFence.close(fence.keyring, in: leases)
        let key = try stage()
        #expect(try !fence.pass(key, to: items) { true })
        #expect(try items.members().isEmpty)
    }

    @Test("what is inside when the fence is closed stays out")
    func closedAround() throws {
        let fence = try makeFence()
        let key = try stage()
        // The clock was looked at; the close comes right behind.
        let isThrough = try fence.pass(key, to: items) {
            try? WriteFence.close(fence.keyring, in: leases)
            return true
        }
        #expect(!isThrough)
        #expect(try items.members().isEmpty)
    }

    @Test("nothing is removed through a closed fence")
    func closedForRemoval() throws {
        let fence = try makeFence()
        let bytes: [UInt8] = [1]
        let key = try items.add(.user, "item", payload: bytes.span.bytes)
        try WriteFence.close(fence.keyring, in: leases)
        #expect(try !fence.remove(key, from: items) { true })
        #expect(try items.members() == [key.serial])
    }

    @Test("whoever takes a lease that has run out closes its holder's fence first")
    func takenOver() throws {
        let fence = try makeFence()
        var late = try take("job", lasting: .milliseconds(50))
        let isAttached = try late.attach(fence.keyring.serial)
        #expect(isAttached)
        let next = try take("job", lasting: .seconds(10))
        let isLater = next.fencingNumber > late.fencingNumber
        #expect(isLater)
        let key = try stage()
        #expect(try !fence.pass(key, to: items) { true })
        #expect(try items.members().isEmpty)
    }

    @Test("a late release does not hit whoever holds the lease by then")
    func lateRelease() throws {
        let late = try take("job", lasting: .milliseconds(20))
        let next = try take("job", lasting: .seconds(10))
        _ = consume late
        let isHeld = try ExactLease.isHeld("job", in: leases)
        #expect(isHeld)
        _ = consume next
    }

    @Test("a destination that is gone is told apart from a closed fence")
    func noDestination() throws {
        let fence = try makeFence()
        try scratch.keyring.unlink(Key(items))
        let key = try stage()
        #expect(throws: KeyringError.self) { try fence.pass(key, to: items) { true } }
        #expect(try fence.keyring.members().isEmpty)
    }
}
