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
                succeed(5, try storeError(use)?.code == .unavailable)
            }
        }
    }

    @Test("a temporary keyring whose timeout can't be set is not created")
    func noTimeout() async {
        await #expect(processExitsWith: .exitCode(0)) {
            let session = try TestSession.join()
            // KEYCTL_SET_TIMEOUT
            guard test_filter_install(15, EPERM) == 0 else { exit(3) }
            let error = try keyringError {
                try TemporaryKeyring(prefix: "skr-test", in: session, lifetime: .longest).remove()
            }
            succeed(5, error?.code == .notPermitted)
            succeed(6, try session.members().isEmpty)
        }
    }

    @Test("each kind of change throws the error if the kernel refuses an unlink", arguments: 0..<6)
    func unlinkRefused(number: Int) async {
        await #expect(processExitsWith: .exitCode(0)) { [number = number as Int] in
            let (fetched, refetched) = (ItemIdentity.password(service: "f"), ItemIdentity.password(service: "r"))
            let store = try SecretStore.inNewSession(with: refetched)
            let fresh = ItemIdentity.password(service: "fresh")
            try store.set("old", for: fresh, refreshAfter: .seconds(600))
            guard let first = try store.backend.beginFetch(of: fetched),
                let second = try store.backend.beginFetch(of: refetched)
            else { exit(2) }
            // KEYCTL_UNLINK
            guard test_filter_install(9, ENOMEM) == 0 else { exit(3) }
            let changes: [() throws -> Void] = [
                { try store.set("new", for: fetched) }, { try store.add("new", for: fetched) },
                { try store.delete(fresh) }, { _ = try store.deleteUnchanged(fresh, SecretBytes(utf8: "old")) },
                { try store.blockingUpdate(refetched, timeout: nil) { (_: String?) in "new" } },
                { try store.blockingUpdate(fresh, timeout: nil) { (_: String?) in nil } },
            ]
            succeed(4, changes.count == 6)
            succeed(5, try storeError(changes[number])?.underlying?.code == .outOfMemory)
            withExtendedLifetime((first, second)) {}
        }
    }
}
