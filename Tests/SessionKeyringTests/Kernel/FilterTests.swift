import CTestFilters
import Foundation
import Keyutils
import SessionKeyring
import SessionKeyringTesting
import TestSupport
import Testing

@Suite("A kernel that refuses calls", .tags(.kernel))
struct FilterTests {
    @Test("a seccomp filter that hides the key facility is reported as such, with a hint", arguments: [EPERM, ENOSYS])
    func hidden(error: CInt) async {
        await #expect(processExitsWith: .exitCode(0)) { [error = error as CInt] in
            try TestSession.join()
            let store = try SecretStore()
            try store.set("x", for: .password(service: "s"))
            guard test_filter_install(-1, error) == 0 else { exit(3) }
            for use in [
                { _ = try SecretStore() }, { _ = try SecretStore(.user) }, { _ = try SecretStore(.persistent) },
                { _ = try store.get(.password(service: "s"), as: String.self) },
                { try store.set("y", for: .password(service: "s")) }, { try store.delete(.password(service: "s")) },
                { try store.add("y", for: .password(service: "t")) }, { try store.clear() }, { _ = try store.items() },
            ] as [() throws -> Void] {
                do {
                    try use()
                    exit(4)
                } catch let error as SecretStoreError {
                    succeed(5, error.code == .unavailable)
                }
            }
            exit(0)
        }
    }

    @Test("a temporary keyring whose timeout can't be set is not created")
    func noTimeout() async {
        await #expect(processExitsWith: .exitCode(0)) {
            let session = try TestSession.join()
            // KEYCTL_SET_TIMEOUT
            guard test_filter_install(15, EPERM) == 0 else { exit(3) }
            do throws(KeyringError) {
                try TemporaryKeyring(prefix: "skr-test", in: session, lifetime: .longest).remove()
                exit(4)
            } catch {
                succeed(5, error.code == .notPermitted)
            }
            succeed(6, try session.members().isEmpty)
            exit(0)
        }
    }

    @Test("if the kernel refuses a move, the old item stays and nothing remains staged")
    func moveRefused() async {
        await #expect(processExitsWith: .exitCode(0)) {
            try TestSession.join()
            let store = try SecretStore()
            let item = ItemIdentity.password(service: "s")
            try store.set("old", for: item)
            guard test_filter_install(30, ENOMEM) == 0 else { exit(3) }
            do {
                try store.set("new", for: item)
                exit(4)
            } catch let error as SecretStoreError {
                succeed(5, error.code == .unexpected && error.underlying?.code == .outOfMemory)
            }
            succeed(6, try store.get(item) == "old")
            succeed(7, try Keyring.resolve(.threadKeyring).members().isEmpty)
            exit(0)
        }
    }

    @Test("a set that can't search for the update flag keeps the old item and leaves nothing staged")
    func searchRefused() async {
        await #expect(processExitsWith: .exitCode(0)) {
            let session = try TestSession.join()
            let store = try SecretStore()
            let item = ItemIdentity.password(service: "s")
            try store.set("old", for: item)
            let ring = try session.search(keyring: "skr:default")
            let members = try ring.members()
            // KEYCTL_SEARCH
            guard test_filter_install(10, ENOMEM) == 0 else { exit(3) }
            do {
                try store.set("new", for: item)
                exit(4)
            } catch let error as SecretStoreError {
                succeed(5, error.underlying?.code == .outOfMemory)
            }
            succeed(6, try ring.members() == members)
            succeed(7, try Keyring.resolve(.threadKeyring).members().isEmpty)
            exit(0)
        }
    }

    @Test("a set or deletion throws the error if the kernel refuses an unlink")
    func unlinkRefused() async {
        await #expect(processExitsWith: .exitCode(0)) {
            try TestSession.join()
            let store = try SecretStore()
            let (deleted, unchanged) = (ItemIdentity.password(service: "d"), ItemIdentity.password(service: "u"))
            for item in [deleted, unchanged] { try store.set("old", for: item, refreshAfter: .seconds(600)) }
            let fetched = ItemIdentity.password(service: "f")
            guard let fetch = try store.backend.beginFetch(of: fetched) else { exit(2) }
            // KEYCTL_UNLINK
            guard test_filter_install(9, ENOMEM) == 0 else { exit(3) }
            for use in [
                { try store.set("new", for: fetched) }, { try store.delete(deleted) },
                { _ = try store.deleteUnchanged(unchanged, SecretBytes(utf8: "old")) },
            ] as [() throws -> Void] {
                do {
                    try use()
                    exit(4)
                } catch let error as SecretStoreError {
                    succeed(5, error.underlying?.code == .outOfMemory)
                }
            }
            withExtendedLifetime(fetch) {}
            exit(0)
        }
    }
}
