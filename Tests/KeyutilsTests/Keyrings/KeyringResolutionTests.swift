import Glibc
import Keyutils
import SessionKeyringTesting
import Testing
import Threads

@Suite("Resolving special ids", .tags(.threads))
struct KeyringResolutionTests {
    @Test("a thread keyring and a process keyring do not exist until they are created, and then stay the same")
    func ownKeyrings() async {
        // If a thread has a thread keyring, each thread that it starts gets its own one. A separate process
        // rules that out.
        await #expect(processExitsWith: .success) {
            try ThreadTeam.run(1) { _ in
                expectFailure(.notFound) { () throws(KeyringError) in _ = try Keyring.resolve(.threadKeyring) }
                let ring = try Keyring.resolve(.threadKeyring, create: true)
                #expect(!ring.serial.isSpecial)
                #expect(try Keyring.resolve(.threadKeyring) == ring)
                #expect(try Key(ring).describe().name == "_tid")
            }
            expectFailure(.notFound) { () throws(KeyringError) in _ = try Keyring.resolve(.processKeyring) }
            let ring = try Keyring.resolve(.processKeyring, create: true)
            #expect(try Keyring.resolve(.processKeyring) == ring)
            #expect(try Key(ring).describe().name == "_pid")
        }
    }

    @Test("two threads have two thread keyrings")
    func twoThreads() throws {
        let rings = Locked<[Keyring]>([])
        try ThreadTeam.run(2) { _ in
            let ring = try Keyring.resolve(.threadKeyring, create: true)
            rings.withLock { $0.append(ring) }
        }
        #expect(Set(rings.withLock { $0 }).count == 2)
    }

    @Test("the user's keyrings are found by the real user id")
    func userKeyrings() throws {
        let user = try Keyring.resolve(.userKeyring)
        let session = try Keyring.resolve(.userSessionKeyring)
        #expect(!user.serial.isSpecial)
        #expect(try Key(user).describe().name == "_uid.\(getuid())")
        #expect(try Key(session).describe().name == "_uid_ses.\(getuid())")
    }

    @Test("a session keyring resolves to one serial, which can be used instead")
    func session() throws {
        let ring = try Keyring.resolve(.sessionKeyring)
        #expect(!ring.serial.isSpecial)
        #expect(try Keyring.resolve(.sessionKeyring) == ring)
        #expect(try Keyring.resolve(ring.serial) == ring)
    }

    @Test("the group keyring is not implemented, and an authorisation key exists only in an upcall")
    func neverThere() {
        expectFailure(.invalidArgument) { () throws(KeyringError) in _ = try Keyring.resolve(.groupKeyring) }
        expectFailure(.notFound) { () throws(KeyringError) in _ = try Keyring.resolve(.requestKeyAuthorization) }
        expectFailure(.invalidArgument) { () throws(KeyringError) in
            _ = try Keyring.resolve(KeySerial(rawValue: -100))
        }
    }

    @Test(
        "an ordinary user has a persistent keyring, and can't get another user's",
        .enabled(if: geteuid() == 0 && Capability.has(.persistentKeyrings))
    )
    func persistent() async {
        await #expect(processExitsWith: .success) {
            let session = try OrdinaryUser.becomeInNewSession(60_130)
            let ring = try Keyring.persistent(linkingInto: session)
            #expect(try Key(ring).describe().name == "_persistent.60130")
            #expect(try session.links(Key(ring)))
            #expect(try Keyring.persistent(ofUser: 60_130, linkingInto: session) == ring)
            let key = try ring.add("key", [6])
            #expect(try session.search(.user, "key") == key)
            if case .left = try KeyTable.snapshot()[ring.serial]?.expiry {
            } else {
                Issue.record("a persistent keyring has a timeout")
            }
            expectFailure(.notPermitted) { () throws(KeyringError) in
                _ = try Keyring.persistent(ofUser: 60_131, linkingInto: session)
            }
            try Key(ring).invalidate()
        }
    }
}
