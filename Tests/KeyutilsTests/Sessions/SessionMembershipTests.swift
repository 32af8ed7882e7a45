import Dispatch
import Foundation
import Keyutils
import SessionKeyringTesting
import Testing
import Threads

// Most of these tests join in a new thread: the session is only that thread's, and ends with it.
@Suite("Joining sessions", .tags(.threads))
struct SessionMembershipTests {
    @Test("joining an anonymous session gives the thread a new, empty session keyring")
    func anonymous() throws {
        try ThreadTeam.run(1) { _ in
            let before = try Keyring.resolve(.sessionKeyring)
            let first = try SessionMembership.joinAnonymous()
            let second = try SessionMembership.joinAnonymous()
            #expect(Set([before, first, second]).count == 3)
            #expect(try Keyring.resolve(.sessionKeyring) == second)
            #expect(try Key(second).describe().name == "_ses")
            #expect(try second.members() == [])
        }
    }

    @Test("an existing thread does not get the new session, but a thread that starts later does")
    func otherThreads() throws {
        try ThreadTeam.run(1) { _ in
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
            // The thread gets its credentials when it starts, so it must have started before this thread
            // joins a session.
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
    }

    @Test("a named session can be joined again by name once its user has search permission")
    func named() async {
        await #expect(processExitsWith: .success) {
            try blocking {
                let name = "skr-session-\(getpid())"
                let holder = try Keyring.resolve(.processKeyring, create: true)
                let first = try SessionMembership.join(named: name)
                #expect(try Key(first).describe().name == name)
                try holder.link(Key(first))
                try SessionMembership.joinAnonymous()
                // The kernel gives the user no search permission on a new session, so this call skips it and creates
                // another one.
                #expect(try SessionMembership.join(named: name) != first)
                try Key(first).setPermissions([.possessorAll, .userView, .userSearch])
                try SessionMembership.joinAnonymous()
                #expect(try SessionMembership.join(named: name) == first)
                #expect(try Keyring.resolve(.sessionKeyring) == first)
                // A thread that is in the session already stays in it.
                #expect(try SessionMembership.join(named: name) == first)
            }
        }
    }

    @Test("an empty session name, or one with a NUL or a leading dot, leaves the session unchanged")
    func wrongNames() throws {
        try ThreadTeam.run(1) { _ in
            let session = try SessionMembership.joinAnonymous()
            expectFailure(.invalidArgument) { () throws(KeyringError) in try SessionMembership.join(named: "") }
            expectFailure(.invalidArgument) { () throws(KeyringError) in try SessionMembership.join(named: "a\0b") }
            expectFailure(.notPermitted) { () throws(KeyringError) in try SessionMembership.join(named: ".ima") }
            #expect(try Keyring.resolve(.sessionKeyring) == session)
        }
    }

    @Test("a session can't be given to a parent that has several threads")
    func giveToParent() async {
        await #expect(processExitsWith: .success) {
            try blocking {
                try SessionMembership.joinAnonymous()
                // The parent is the test run, which has several threads.
                expectFailure(.notPermitted) { () throws(KeyringError) in try SessionMembership.giveToParent() }
            }
        }
    }

    @Test("a revoked session is reported as revoked, and is not replaced")
    func revoked() throws {
        try ThreadTeam.run(1) { _ in
            let session = try SessionMembership.joinAnonymous()
            try Key(session).revoke()
            expectFailure(.revoked) { () throws(KeyringError) in _ = try Keyring.resolve(.sessionKeyring) }
            expectFailure(.revoked) { () throws(KeyringError) in
                _ = try Keyring.resolve(.sessionKeyring, create: true)
            }
        }
    }
}
