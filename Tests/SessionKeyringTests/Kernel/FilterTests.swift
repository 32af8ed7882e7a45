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
                try TemporaryKeyring(for: .scratch, in: session, lifetime: .longest).remove()
            }
            succeed(5, error?.code == .notPermitted)
            succeed(6, try session.members().isEmpty)
        }
    }

    private static let (fetched, refetched) = (ItemIdentity.password(service: "f"), ItemIdentity.password(service: "r"))
    private static let fresh = ItemIdentity.password(service: "fresh")
    private static let changes: [String: @Sendable (SecretStore) throws -> Void] = [
        "set": { try $0.set("new", for: fetched) }, "add": { try $0.add("new", for: fetched) },
        "delete": { try $0.delete(fresh) },
        "delete unchanged": { _ = try $0.deleteUnchanged(fresh, SecretBytes(utf8: "old")) },
        "update": { try $0.blockingUpdate(refetched, lasting: .scope) { (_: String?) in "new" } },
        "update that deletes": { try $0.blockingUpdate(fresh, lasting: .scope) { (_: String?) in nil } },
    ]

    @Test(
        "each kind of change ends fetches and facts, even if the kernel refuses to unlink keys",
        arguments: changes.keys.sorted())
    func unlinkRefused(change: String) async {
        await #expect(processExitsWith: .exitCode(0)) { [change = change as String] in
            let store = try SecretStore.inNewSession(with: Self.refetched)
            try store.set("old", for: Self.fresh, lasting: Lifetime(refreshAfter: .seconds(600)))
            guard let first = try store.backend.beginFetch(of: Self.fetched),
                let second = try store.backend.beginFetch(of: Self.refetched)
            else { exit(2) }
            // KEYCTL_UNLINK
            guard test_filter_install(9, ENOMEM) == 0 else { exit(3) }
            try Self.changes[change]?(store)
            let hidden = try [Self.fetched.watch, Self.refetched.watch, Self.fresh.companion].filter {
                try store.backend.contains($0)
            }
            succeed(5, hidden.count == 2)
            withExtendedLifetime((first, second)) {}
        }
    }
}
