import Dispatch
import Foundation
import Keyutils
import SessionKeyringTesting
import Testing
import Threads

@Suite("Joining sessions")
struct SessionMembershipTests {
    @Test("an anonymous session is a new, empty keyring that the thread has from now on")
    func anonymous() async {
        await #expect(processExitsWith: .success) {
            func act() throws {
                let before = try Keyring.resolve(.sessionKeyring)
                let first = try SessionMembership.joinAnonymous()
                let second = try SessionMembership.joinAnonymous()
                #expect(Set([before, first, second]).count == 3)
                #expect(try Keyring.resolve(.sessionKeyring) == second)
                #expect(try Key(second).describe().name == "_ses")
                #expect(try second.members() == [])
            }
            try act()
        }
    }

    @Test("a thread that was there before does not get the new session; one that comes later does")
    func otherThreads() async {
        await #expect(processExitsWith: .success) {
            func act() throws {
                let before = try Keyring.resolve(.sessionKeyring)
                let begun = DispatchSemaphore(value: 0)
                let go = DispatchSemaphore(value: 0)
                let done = DispatchSemaphore(value: 0)
                let seen = Locked<Keyring?>(nil)
                Thread.detachNewThread {
                    begun.signal()
                    go.wait()
                    let ring = try? Keyring.resolve(.sessionKeyring)
                    seen.withLock { $0 = ring }
                    done.signal()
                }
                // The thread has to have its credentials before they change here.
                begun.wait()
                let joined = try SessionMembership.joinAnonymous()
                go.signal()
                done.wait()
                #expect(seen.withLock { $0 } == before)
                try ThreadTeam.run(1) { _ in
                    let ring = try Keyring.resolve(.sessionKeyring)
                    #expect(ring == joined)
                }
            }
            try act()
        }
    }

    @Test("a named session is joined again by its name, once its user may search it")
    func named() async {
        await #expect(processExitsWith: .success) {
            func act() throws {
                let name = "skr-session-\(getpid())"
                let holder = try Keyring.resolve(.processKeyring, create: true)
                let first = try SessionMembership.join(named: name)
                #expect(try Key(first).describe().name == name)
                try holder.link(Key(first))
                try SessionMembership.joinAnonymous()
                // The kernel gives a new session no search right for its user, so it is passed over.
                #expect(try SessionMembership.join(named: name) != first)
                try Key(first).setPermissions([.possessorAll, .userView, .userSearch])
                try SessionMembership.joinAnonymous()
                #expect(try SessionMembership.join(named: name) == first)
                #expect(try Keyring.resolve(.sessionKeyring) == first)
                // Whoever is in it already stays there.
                #expect(try SessionMembership.join(named: name) == first)
            }
            try act()
        }
    }

    @Test("a session's name can't be empty, hold a NUL or start with a dot, and the session stays as it was")
    func wrongNames() async {
        await #expect(processExitsWith: .success) {
            func act() throws {
                let session = try SessionMembership.joinAnonymous()
                expectFailure(.invalidArgument) { () throws(KeyringError) in try SessionMembership.join(named: "") }
                expectFailure(.invalidArgument) { () throws(KeyringError) in try SessionMembership.join(named: "a\0b") }
                expectFailure(.notPermitted) { () throws(KeyringError) in try SessionMembership.join(named: ".ima") }
                #expect(try Keyring.resolve(.sessionKeyring) == session)
            }
            try act()
        }
    }

    @Test("a parent with several threads is not given the session")
    func giveToParent() async {
        await #expect(processExitsWith: .success) {
            func act() throws {
                try SessionMembership.joinAnonymous()
                // The parent is the test run, which has several threads.
                expectFailure(.notPermitted) { () throws(KeyringError) in try SessionMembership.giveToParent() }
            }
            try act()
        }
    }

    @Test("a session that was revoked says so, and is not replaced")
    func revoked() async {
        await #expect(processExitsWith: .success) {
            func act() throws {
                let session = try SessionMembership.joinAnonymous()
                try Key(session).revoke()
                expectFailure(.revoked) { () throws(KeyringError) in _ = try Keyring.resolve(.sessionKeyring) }
                expectFailure(.revoked) { () throws(KeyringError) in
                    _ = try Keyring.resolve(.sessionKeyring, create: true)
                }
            }
            try act()
        }
    }
}
