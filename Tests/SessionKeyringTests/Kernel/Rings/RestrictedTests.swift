import CTestFilters
import Foundation
import Keyutils
import SessionKeyring
import TestSupport
import Testing

private let item = ItemIdentity.password(service: "restricted")

@Suite("Restricted sessions and rings are reported as such, with their serials", .tags(.kernel))
struct RestrictedTests {
    @Test("a restricted session accepts no namespace")
    func session() async {
        await #expect(processExitsWith: .exitCode(0)) {
            let session = try TestSession.join()
            try session.restrict()
            let store = try SecretStore()
            for use in [
                { try store.set("1", for: item) }, { try store.add("1", for: item) },
                { try store.blockingUpdate(item, lasting: .scope) { (_: String?) in "1" } },
                { _ = try store.blockingTryLease("lease", lasting: .seconds(1)) },
            ] as [() throws -> Void] {
                let error = try storeError(use)
                succeed(11, error?.detail == .restricted(session.serial))
                succeed(12, error?.description.contains("keyring \(session) is restricted") == true)
            }
        }
    }

    @Test("a restricted ring accepts no item, but its items can be read and deleted")
    func items() async {
        await #expect(processExitsWith: .exitCode(0)) {
            let store = try SecretStore.inNewSession(with: item)
            let ring = try Keyring.resolve(.sessionKeyring).search(keyring: "skr:default")
            try ring.restrict()
            succeed(3, try storeError { try store.set("new", for: item) }?.detail == .restricted(ring.serial))
            succeed(4, try store.get(item) == "old")
            succeed(5, try store.delete(item))
        }
    }

    @Test("a ring that gets an item while it is being removed is replaced, with all of its items")
    func givenBack() async {
        await #expect(processExitsWith: .exitCode(0)) {
            let session = try TestSession.join()
            let store = try SecretStore()
            try store.set("1", for: item)
            let ring = try session.search(keyring: "skr:default")
            try Key(ring).setPermissions([.possessorAll, .userRead])
            try store.set("2", for: item)
            try ring.restrict()
            succeed(2, try store.blockingUpdate(item, lasting: .scope) { (old: String?) in (old ?? "") + "3" } == "23")
            succeed(3, try store.get(item) == "23")
            try store.set("3", for: .password(service: "next"))
            succeed(4, try store.identities().count == 2)
            succeed(5, try session.search(keyring: "skr:default") != ring)
            // Replacing the ring linked it there temporarily.
            succeed(6, try !Keyring.thread.links(Key(ring)))
        }
    }

    @Test("an unsearchable keyring is reported as forbidden, not as another thread's")
    func unsearchable() async {
        await #expect(processExitsWith: .exitCode(0)) {
            let anchor = try TestSession.join().addKeyring("anchor")
            let store = try SecretStore(.keyring(anchor.serial))
            try Key(anchor).setPermissions(KeyPermissions.possessorAll.subtracting(.possessorSearch))
            let error = try storeError { _ = try store.contains(item) }
            succeed(3, error?.code == .forbidden)
            succeed(4, error?.detail == nil)
        }
    }

    @Test("a filter that forbids linking is reported as a filter", arguments: [EPERM, ENOSYS])
    func filter(error: CInt) async {
        await #expect(processExitsWith: .exitCode(0)) { [error = error as CInt] in
            let store = try SecretStore.inNewSession()
            // KEYCTL_LINK and add_key.
            guard test_filter_install(8, error) == 0, test_filter_install(-2, error) == 0 else { exit(2) }
            succeed(4, try storeError { try store.set("1", for: item) }?.code == .unavailable)
        }
    }
}
