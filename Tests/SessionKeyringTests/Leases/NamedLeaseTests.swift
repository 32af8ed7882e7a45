import Foundation
import Keyutils
import SessionKeyringTesting
import TestSupport
import Testing

@testable import SessionKeyring

@Suite("Named leases in the kernel", .tags(.kernel))
struct NamedLeaseTests {
    private let kernel: ScratchStore
    private var store: SecretStore { kernel.store }

    init() throws { kernel = try ScratchStore() }

    @Test("taking or checking a lease is forbidden if an unsearchable keyring has its name")
    func unsearchable() throws {
        _ = try store.backend.takeLease("other", lasting: .seconds(60))
        let leases = try kernel.scratch.keyring.search(keyring: NamespaceRings.leasesName)
        try Key(leases.addKeyring("default:lease:job")).setPermissions([.possessorSetAttribute])
        let uses: [() throws -> Void] = [
            { _ = try store.blockingTryLease("job") }, { _ = try store.backend.isLeaseHeld("job") },
        ]
        for use in uses { #expect { try use() } throws: { ($0 as? SecretStoreError)?.code == .forbidden } }
    }

    @Test("a lease is taken in a new ring if the known ring was removed, which loses its leases")
    func removedRing() throws {
        func removeRing() throws {
            let ring = try kernel.scratch.keyring.search(keyring: NamespaceRings.leasesName)
            try kernel.scratch.keyring.unlink(Key(ring))
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

    @Test(
        "listing items and making room remove the expired lease of a ring maker, but no held lease",
        arguments: [false, true])
    func sweeping(isList: Bool) throws {
        let held = try store.backend.takeLease("held", lasting: .seconds(60))
        let makers = LeaseRing(kernel.scratch.keyring, permissions: .possessorAll)
        let maker = try makers.take("skr-making:x", lasting: .milliseconds(20))
        let ring = maker.ring
        usleep(30_000)
        let backend = try #require(store.backend as? KernelBackend)
        #expect(try isList ? store.items().isEmpty : backend.makeRoom(Effort()))
        #expect(throws: KeyringError.self) { try ring.members() }
        #expect(held.release())
        _ = maker.release()
    }

    @Test("lease names may be longer than key names, and different long names are different leases")
    func longNames() throws {
        let names = ["a", "b"].map { String(repeating: "x", count: 5_000) + $0 }
        let held = try names.map { try store.backend.takeLease($0, lasting: .seconds(60)) }
        for name in names { #expect(try store.backend.isLeaseHeld(name)) }
        #expect(held[0].release())
        #expect(try !store.backend.isLeaseHeld(names[0]) && store.backend.isLeaseHeld(names[1]))
    }

    @Test("a long lease name becomes its hash in hexadecimal digits")
    func shortenedName() throws {
        let backend = try #require(store.backend as? KernelBackend)
        let long = String(repeating: "x", count: 300)
        let hash = FNV1a.hash(of: Array("default:\(long)".utf8).span.bytes)
        #expect(backend.itemLeases.name(for: long) == "default:#\(String(hash, radix: 16))")
        #expect(backend.itemLeases.name(for: "x") == "default:x")
    }

    @Test("a released lease is not held, and can't be renewed, named or released again")
    func afterRelease() throws {
        let lease = try store.backend.takeLease("job", lasting: .seconds(60))
        #expect(lease.release())
        #expect(lease.timeLeft == .zero)
        #expect(try !lease.renew(lasting: .seconds(60)))
        #expect(try !LeaseRenewer(lease, lasting: .seconds(60)).name(command: getpid()))
        #expect(!lease.release())
    }
}
