import Foundation
import Keyutils
import SessionKeyringTesting
import TestSupport
import Testing

@testable import SessionKeyring

@Suite("Named leases of a store in the kernel", .tags(.kernel))
struct NamedLeaseTests {
    @Test("a lease whose name something bears that nobody may look at is forbidden, to take and to look at")
    func unsearchable() throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        _ = try store.backend.takeLease("other", lasting: .seconds(60))
        let leases = try scratch.keyring.search(keyring: NamespaceRings.leasesName)
        try Key(leases.addKeyring("default:lease:job")).setPermissions([.possessorSetAttribute])
        let uses: [() throws -> Void] = [
            { _ = try store.blockingTryLease("job") }, { _ = try store.backend.isLeaseHeld("job") },
        ]
        for use in uses { #expect { try use() } throws: { ($0 as? SecretStoreError)?.code == .forbidden } }
    }

    @Test("a lease is taken in a new ring where the known one was removed, and nobody holds one in that")
    func removedRing() throws {
        let scratch = try ScratchKeyring()
        let (anchor, store) = (scratch.keyring, try scratch.store())
        func removeRing() throws {
            let ring = try anchor.search(keyring: NamespaceRings.leasesName)
            try anchor.unlink(Key(ring))
            #expect(becomesTrue(within: 60) { (try? Key(ring).describe()) == nil })
        }
        let lost = try store.backend.takeLease("job", lasting: .seconds(60))
        try removeRing()
        let next = try store.backend.takeLease("job", lasting: .seconds(60))
        #expect(next.timeLeft > .zero)
        #expect(try store.backend.isLeaseHeld("job"))
        try removeRing()
        #expect(try !store.backend.isLeaseHeld("job"))
        #expect(!lost.release() && !next.release())
    }

    @Test("a list of items takes the leases that are over, those of makers of rings too, and none that is held")
    func sweeping() throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        let held = try store.backend.takeLease("held", lasting: .seconds(60))
        let makers = LeaseRing(scratch.keyring, permissions: .possessorAll)
        guard let maker = try makers.acquire("skr-making:x", lasting: .milliseconds(20), waiting: .seconds(5)) else {
            Issue.record("it is not free")
            return
        }
        let ring = maker.ring
        usleep(30_000)
        _ = try store.items()
        #expect(throws: KeyringError.self) { try ring.members() }
        #expect(held.release())
        _ = maker.release()
    }

    @Test("a lease's name may be longer than any key's, and two of them are two leases")
    func longNames() throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        let names = ["a", "b"].map { String(repeating: "x", count: 5_000) + $0 }
        let held = try names.map { try store.backend.takeLease($0, lasting: .seconds(60)) }
        for name in names { #expect(try store.backend.isLeaseHeld(name)) }
        #expect(held[0].release())
        #expect(try !store.backend.isLeaseHeld(names[0]) && store.backend.isLeaseHeld(names[1]))
    }

    @Test("a long name of a lease is the one of earlier versions: its hash, in hexadecimal digits")
    func shortenedName() throws {
        let scratch = try ScratchKeyring()
        let backend = try scratch.store().backend
        let kernel = try #require(backend as? KernelBackend)
        let long = String(repeating: "x", count: 300)
        let hash = LeaseRecord.hash(of: Array("default:\(long)".utf8).span.bytes)
        #expect(kernel.itemLeases.name(for: long) == "default:#\(String(hash, radix: 16))")
        #expect(kernel.itemLeases.name(for: "x") == "default:x")
    }

    @Test("a lease that was given back is not held, not renewed, names no command and is not given back again")
    func afterRelease() throws {
        let scratch = try ScratchKeyring()
        let lease = try scratch.store().backend.takeLease("job", lasting: .seconds(60))
        #expect(lease.release())
        #expect(lease.timeLeft == .zero)
        #expect(try !lease.renew(lasting: .seconds(60)))
        #expect(try !LeaseRenewer(lease, lasting: .seconds(60)).name(command: getpid()))
        #expect(!lease.release())
    }
}
