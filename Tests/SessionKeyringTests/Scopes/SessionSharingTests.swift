import CTestFilters
import Foundation
import Keyutils
import SessionKeyring
import SessionKeyringTesting
import TestSupport
import Testing

@Suite("A store and its session", .tags(.kernel))
struct SessionSharingTests {
    @Test("a store reports its scope and its namespace")
    func scopeAndNamespace() throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        let kernel = try SecretStore(.process, namespace: "own")
        #expect(kernel.scope == .process)
        #expect(kernel.namespace == "own")
        #expect(store.scope != nil)
        #expect(try store.sharingUserID == nil)
        let inMemory = SecretStore(backend: InMemoryBackend())
        #expect(inMemory.scope == nil)
        #expect(inMemory.namespace == nil)
        #expect(try inMemory.sharingUserID == nil)
    }

    @Test("a private session is not shared")
    func ownSession() async {
        await #expect(processExitsWith: .exitCode(0)) {
            succeed(3, try SecretStore.inNewSession().sharingUserID == nil)
            succeed(4, try SecretStore(.user).sharingUserID == nil)
        }
    }

    @Test(
        "a process without a session keyring shares one with its user's other processes", .tags(.root),
        .enabled(if: isRoot))
    func userSession() async {
        await #expect(processExitsWith: .exitCode(0)) {
            OrdinaryUser.become(60_496)
            // A process without a session gets a keyring of this name.
            try blocking { _ = try SessionMembership.join(named: "_uid_ses.60496") }
            let store = try SecretStore()
            succeed(3, try store.sharingUserID == 60_496)
            succeed(4, try SecretStore(.sharedSession).sharingUserID == 60_496)
        }
    }

    @Test("another user's session is shared with that user", .tags(.root), .enabled(if: isRoot))
    func otherUser() async {
        await #expect(processExitsWith: .exitCode(0)) {
            try TestSession.join()
            OrdinaryUser.become(60_497)
            succeed(3, try SecretStore().sharingUserID == 0)
        }
    }
}
