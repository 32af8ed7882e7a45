import CTestFilters
import Foundation
import Keyutils
import SessionKeyringTesting
import TestSupport
import Testing

@testable import SessionKeyring

@Suite("Interrupted leases", .tags(.kernel))
final class InterruptedLeaseTests {
    private let scratch: ScratchKeyring
    private let leases: LeaseRing
    private let items: Keyring

    init() throws {
        scratch = try ScratchKeyring()
        leases = LeaseRing(try scratch.keyring.addKeyring("leases"), permissions: .possessorAll)
        items = try scratch.keyring.addKeyring("items")
    }

    enum Taking: CaseIterable { case restricted, cleared, invalidated }

    @Test(
        "a holder whose lease was taken early places, makes and removes nothing",
        arguments: Taking.allCases)
    func takenEarly(as taking: Taking) throws {
        let there = try items.add(.user, "there", payload: [1].span.bytes)
        let lease = try leases.take(lasting: .seconds(60))
        guard let made = try lease.makeKeyring("made", permissions: .possessorAll) else {
            Issue.record("it is not held")
            return
        }
        try scratch.keyring.link(Key(made))
        try lease.ring.restrict()
        if taking != .restricted { try lease.ring.clear() }
        if taking == .invalidated { try Key(lease.ring).invalidate() }
        let staged = try Keyring.thread.members()
        let isPlaced = try lease.place(Keyring.thread.add(.user, "item", payload: [1].span.bytes), in: items)
        let isMade = try lease.makeKeyring("late", permissions: .possessorAll) != nil
        let isRemoved = try lease.remove(there, from: items)
        #expect(!isPlaced && !isMade && !isRemoved)
        #expect(try items.members() == [there.serial])
        #expect(try Keyring.thread.members() == staged)
        switch taking {
        case .restricted:
            // A wrong destination is reported in any case.
            do throws(KeyringError) {
                _ = try lease.moveOut(Key(made), to: Keyring(there.serial))
                Issue.record("a key is not a destination")
            } catch {
                #expect(error.code == .notKeyring)
            }
        case .cleared, .invalidated:
            let isOut = try lease.moveOut(Key(made), to: items)
            #expect(!isOut)
        }
        _ = lease.release()
    }

    @Test("a lease record keeps the command and the renewed deadline")
    func notes() throws {
        var lease = try leases.take(lasting: .seconds(60))
        let ring = lease.ring
        let acquired = try leases.record(of: ring)?.acquired
        let isNamed = try lease.name(command: getpid())
        let start = BootTime.now()
        let isRenewed = try lease.renew(lasting: .seconds(120))
        #expect(isNamed && isRenewed)
        let record = try #require(try leases.record(of: ring))
        #expect(record.command == .current)
        #expect(record.acquired == acquired)
        #expect(record.deadline >= start + BootTime(.seconds(120)))
        _ = lease.release()
    }

    @Test("releasing an expired lease returns false, and its name becomes free")
    func releasedLate() throws {
        let late = try leases.take(lasting: .milliseconds(20))
        usleep(30_000)
        let isReleased = late.release()
        #expect(!isReleased)
        #expect(try becomesTrue(within: 60) { try leases.look("job") == .free })
    }

    @Test("a waiter stages nothing while it is blocked, and gets the full duration once the name is free")
    func nextAttempt() throws {
        let held = try leases.take(lasting: .seconds(60))
        let before = try Set(Keyring.thread.members())
        for isFirst in [true, false, false] {
            let effort = Effort(mayUseLastResorts: false, isFirst: isFirst)
            let blockage = try leases.acquire("job", lasting: .seconds(60), effort).blockage
            #expect(blockage == .itemLease)
            #expect(try Set(Keyring.thread.members()) == before)
        }
        let start = BootTime.now()
        try leases.keyring.move(Key(held.ring), to: scratch.keyring)
        guard case .done(let next) = try leases.acquire("job", lasting: .seconds(60), Effort(isFirst: false)) else {
            Issue.record("it is not free")
            return
        }
        let ring = next.ring
        let record = try #require(try leases.record(of: ring))
        #expect(record.acquired >= start)
        #expect(record.deadline == record.acquired + BootTime(.seconds(60)))
        #expect(try Set(Keyring.thread.members()) == before)
        for key in [Key(ring), try ring.search(.user, "by")] {
            #expect(try key.describe().permissions == .possessorAll)
        }
        _ = next.release()
    }

    /// The blockage of an attempt to take the lease.
    private func blockage(lasting duration: Duration = .seconds(60)) throws -> Blockage? {
        try leases.acquire("job", lasting: duration, Effort(), else: .namedLease).blockage
    }

    @Test("a blocked attempt reports a holder, or a name that the kernel has not freed")
    func reasons() throws {
        let held = try leases.take(lasting: .seconds(60))
        #expect(try blockage() == .namedLease)
        _ = held.release()
        // The lease is so short that it expires before the holder can rely on it.
        #expect(try blockage(lasting: .milliseconds(1)) == .leaseCollection)
    }

    @Test("a dead lease and a keyring without a record count as being collected")
    func deadName() throws {
        try Key(leases.keyring.addKeyring("job")).revoke()
        #expect(try leases.look("job") == .beingCollected)
        #expect(try blockage() == .leaseCollection)
        _ = try leases.keyring.addKeyring("empty")
        #expect(try leases.look("empty") == .beingCollected)
    }

    @Test("a lease in a nested ring is ignored, and a name that the kernel refuses is waited for")
    func nested() throws {
        let inner = LeaseRing(try leases.keyring.addKeyring("nested"), permissions: .possessorAll)
        let lease = try inner.take(lasting: .seconds(60))
        #expect(try leases.look("job") == .free)
        #expect(try leases.report("job") == nil)
        // The kernel's search skips the dead lease of that name, but the kernel refuses a second one next to it.
        try Key(leases.keyring.addKeyring("job")).revoke()
        #expect(try leases.look("job") == .free)
        #expect(try blockage() == .leaseCollection)
        _ = lease.release()
    }

    @Test("looking for a lease in a dead lease ring throws")
    func deadRing() throws {
        try Key(leases.keyring).revoke()
        #expect { _ = try leases.look("job") } throws: { ($0 as? KeyringError)?.code == .revoked }
    }

    @Test("a report names the holder of a lease, and is nil once the lease has expired")
    func report() throws {
        let held = try leases.take(lasting: .seconds(60))
        let report = try #require(try leases.report("job"))
        #expect(report.processID == getpid() && report.userID == geteuid())
        _ = held.release()
        let late = try leases.take("late", lasting: .milliseconds(20))
        usleep(30_000)
        #expect(try leases.report("late") == nil)
        _ = late.release()
    }

    @Test("a sweep removes expired leases that have its prefix, and skips held and dead ones")
    func sweep() throws {
        let held = try leases.take("job 1", lasting: .seconds(60))
        let late = try leases.take("job 2", lasting: .milliseconds(20))
        let other = try leases.take("other", lasting: .milliseconds(20))
        let (lateRing, otherRing) = (late.ring, other.ring)
        try Key(leases.keyring.addKeyring("job 3")).revoke()
        usleep(30_000)
        try leases.sweep(prefix: "job")
        #expect(throws: KeyringError.self) { try lateRing.members() }
        #expect(try otherRing.members().count == 1)
        #expect(try !otherRing.isRestricted())
        _ = (late.release(), other.release())
        let isReleased = held.release()
        #expect(isReleased)
    }

    @Test("a forked child neither holds nor releases its parent's lease")
    func forkedChild() async {
        await #expect(processExitsWith: .exitCode(0)) {
            let leases = LeaseRing(try TestSession.join().addKeyring("leases"), permissions: .possessorAll)
            guard let lease = try leases.acquire("job", lasting: .seconds(60), waiting: .zero) else { exit(2) }
            let child = test_fork()
            if child == 0 {
                let isHeld = lease.isHeld
                let isReleased = lease.release()
                _exit(isHeld || isReleased ? 3 : 0)
            }
            var status = CInt()
            let ended = waitpid(child, &status, 0)
            succeed(4, child > 0 && ended == child && status == 0)
            succeed(5, try leases.look("job") == .held)
            let isReleased = lease.release()
            succeed(6, isReleased)
            exit(0)
        }
    }

    @Test("a lease whose record is hidden for a moment is still held")
    func hiddenRecord() async {
        await #expect(processExitsWith: .exitCode(0)) {
            let leases = LeaseRing(try TestSession.join().addKeyring("leases"), permissions: .possessorAll)
            guard let lease = try leases.acquire("job", lasting: .seconds(3_600), waiting: .zero) else { exit(2) }
            let record = try lease.ring.search(.user, "by")
            try record.setPermissions(.possessorAll.subtracting(.possessorSearch).union(.userSetAttribute))
            let looking = PausedProcess {
                guard try leases.look("job") == .held else { _exit(3) }
            }
            // KEYCTL_READ of the lease ring, before and after the search for the record.
            succeed(4, looking.run(upTo: 11, count: 2))
            try record.setPermissions(.possessorAll)
            succeed(5, looking.end() == 0)
            let isReleased = lease.release()
            succeed(6, isReleased)
            exit(0)
        }
    }

    @Test("a lease operation that the kernel refuses throws and leaves nothing staged")
    func failing() async {
        await #expect(processExitsWith: .exitCode(0)) {
            let session = try TestSession.join()
            let leases = LeaseRing(try session.addKeyring("leases"), permissions: .possessorAll)
            guard let lease = try leases.acquire("job", lasting: .seconds(60), waiting: .zero) else { exit(2) }
            let staged = try Keyring.thread.members()
            let key = try Keyring.thread.add(.user, "item", payload: [1].span.bytes)
            // KEYCTL_MOVE
            guard test_filter_install(30, ENOMEM) == 0 else { exit(3) }
            expectOutOfMemory(10) { _ = try lease.place(key, in: session) }
            succeed(11, try Keyring.thread.members() == staged)
            expectOutOfMemory(12) { try takeOnce("other", in: leases) }
            succeed(13, try Keyring.thread.members() == staged)
            // KEYCTL_SETPERM
            guard test_filter_install(5, ENOMEM) == 0 else { exit(4) }
            expectOutOfMemory(14) { _ = try lease.makeKeyring("made", permissions: .possessorAll) }
            succeed(15, try Keyring.thread.members() == staged)
            expectOutOfMemory(16) { try takeOnce("other", in: leases) }
            succeed(17, try Keyring.thread.members() == staged)
            // KEYCTL_SEARCH
            guard test_filter_install(10, ENOMEM) == 0 else { exit(5) }
            expectOutOfMemory(18) { _ = try leases.look("job") }
            exit(0)
        }
    }

    @Test("a lease that can't be invalidated is emptied, and sweep, look and items throw")
    func notInvalidated() async {
        await #expect(processExitsWith: .exitCode(0)) {
            let session = try TestSession.join()
            let leases = LeaseRing(try session.addKeyring("leases"), permissions: .possessorAll)
            let store = try SecretStore()
            let named = try store.backend.takeLease("late", lasting: .milliseconds(20))
            let late = try leases.take(lasting: .milliseconds(20))
            usleep(30_000)
            // KEYCTL_INVALIDATE
            guard test_filter_install(21, ENOMEM) == 0 else { exit(3) }
            expectOutOfMemory(10) { try leases.sweep(prefix: "job") }
            let ring = late.ring
            succeed(11, try ring.isRestricted() && ring.members().isEmpty)
            expectOutOfMemory(12) { _ = try leases.look("job") }
            expectOutOfMemory(13) { _ = try store.items() }
            withExtendedLifetime(named) {}
            exit(0)
        }
    }
}

private func takeOnce(_ name: String, in leases: LeaseRing) throws {
    _ = try leases.acquire(name, lasting: .seconds(60), Effort())
}
