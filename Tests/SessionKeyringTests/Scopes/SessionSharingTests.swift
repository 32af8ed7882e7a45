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

    @Test(
        "a process that opens a store and then becomes another user has no access to it", .tags(.root),
        .enabled(if: isRoot), arguments: [SecretScope.session, .sharedSession, .keyring(.sessionKeyring)])
    func changedUser(scope: SecretScope) async {
        let number = [SecretScope.session, .sharedSession].firstIndex(of: scope) ?? 2
        await #expect(processExitsWith: .exitCode(0)) { [number = number as Int] in
            let user = UInt32(60_471 + number)
            OrdinaryUser.becomeForNow(user)
            // In a session, there is nothing to test.
            guard try SecretStore().sharingUserID == user else { exit(0) }
            let scopes = [SecretScope.session, .sharedSession, .keyring(.sessionKeyring)]
            let store = try SecretStore(scopes[number])
            let item = ItemIdentity.password(service: "api")
            try store.set("1", for: item, lasting: .seconds(60))
            succeed(3, try store.get(item) == "1")
            OrdinaryUser.become(60_474)
            succeed(4, try storeError { _ = try store.get(item, as: String.self) }?.code == .forbidden)
        }
    }

    @Test(
        "a store can't be opened if its process can't start a thread to look up the session", .tags(.root),
        .enabled(if: isRoot))
    func noThread() async {
        await #expect(processExitsWith: .exitCode(0)) {
            OrdinaryUser.become(60_475)
            // With another name than a login's session has, the lookup takes a thread.
            func join() throws { _ = try SessionMembership.join(named: "skr-no-thread") }
            try join()
            var limit = rlimit(rlim_cur: 0, rlim_max: 0)
            succeed(3, setrlimit(CInt(__RLIMIT_NPROC.rawValue), &limit) == 0)
            let error = try storeError { _ = try SecretStore() }
            succeed(4, error?.code == .contended && error?.detail == .noThread && error?.isLeaseHeld == false)
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
