import CTestFilters
import Foundation
import Keyutils
import TestSupport
import Testing

@testable import SessionKeyring

private let item = ItemIdentity.password(service: "item")

/// The permissions that identify a ring whose removal has begun.
private let removalPermissions: KeyPermissions = [.possessorAll, .userRead]

@Suite("Refused system calls on rings", .tags(.kernel))
struct RefusedRemovalTests {
    @Test(
        "removing an empty ring stops at a refused step, and throws unless others can cause that",
        arguments: [
            // KEYCTL_DESCRIBE, KEYCTL_SETPERM, KEYCTL_RESTRICT_KEYRING, KEYCTL_INVALIDATE
            (6, ENOMEM), (5, ENOMEM), (29, ENOMEM), (21, ENOMEM), (5, EACCES), (29, EEXIST), (29, EDQUOT),
        ] as [(CInt, CInt)])
    func emptyRing(operation: CInt, number: CInt) async {
        await #expect(processExitsWith: .exitCode(0)) { [operation = operation as CInt, number = number as CInt] in
            let session = try TestSession.join()
            let other = try SecretStore(namespace: "other")
            try other.set("1", for: item)
            try other.clear()
            let ring = try session.search(keyring: "skr:other")
            let store = try SecretStore(namespace: "own")
            try store.set("1", for: item)
            guard let backend = store.backend as? KernelBackend else { exit(2) }
            guard test_filter_install(operation, number) == 0 else { exit(3) }
            let effort = Effort()
            do throws(SecretStoreError) {
                let count = try backend.rings.removeEmptyRings(effort)
                succeed(4, count == 0 && number != ENOMEM)
            } catch {
                succeed(5, error.underlying?.code == .outOfMemory)
            }
            if operation == 6 { exit(0) }
            let expected = operation == 5 ? KeyPermissions.possessorAll : removalPermissions
            succeed(6, try Key(ring).describe().permissions == expected)
            succeed(7, try ring.isRestricted() == (operation == 21))
        }
    }

    @Test("an error while a restricted ring is replaced is thrown, and the items stay")
    func notReplaced() async {
        await #expect(processExitsWith: .exitCode(0)) {
            let store = try SecretStore.inNewSession(with: item)
            let ring = try Keyring.resolve(.sessionKeyring).search(keyring: "skr:default")
            try Key(ring).setPermissions(removalPermissions)
            try ring.restrict()
            guard let backend = store.backend as? KernelBackend else { exit(2) }
            // KEYCTL_MOVE
            guard test_filter_install(30, ENOMEM) == 0 else { exit(3) }
            let effort = Effort()
            let error = try keyringError { _ = try backend.rings.finishRemoval(ring, effort) }
            succeed(5, error?.code == .outOfMemory)
            succeed(6, try store.get(item) == "old")
        }
    }

    @Test(
        "a set that always fails with EACCES is forbidden; with ENOKEY it is unreadableAfterWrite",
        arguments: [EACCES, ENOKEY])
    func setRefused(number: CInt) async {
        await #expect(processExitsWith: .exitCode(0)) { [number = number as CInt] in
            let store = try SecretStore.inNewSession(with: item)
            // KEYCTL_MOVE
            guard test_filter_install(30, number) == 0 else { exit(3) }
            let error = try storeError { try store.set("new", for: item) }
            succeed(5, number == EACCES ? error?.code == .forbidden : error?.detail == .unreadableAfterWrite)
            succeed(6, error?.item == item)
            succeed(7, try store.get(item) == "old")
        }
    }

    @Test(
        "a clear whose ring is always gone is contended; any other error is thrown unchanged",
        arguments: [ENOKEY, EKEYREVOKED, ENOMEM])
    func clearRefused(number: CInt) async {
        await #expect(processExitsWith: .exitCode(0)) { [number = number as CInt] in
            let store = try SecretStore.inNewSession(with: item)
            // KEYCTL_CLEAR
            guard test_filter_install(7, number) == 0 else { exit(3) }
            let error = try storeError { try store.backend.clear() }
            succeed(5, number == ENOMEM ? error?.underlying?.code == .outOfMemory : error?.code == .contended)
            succeed(6, try store.get(item) == "old")
        }
    }
}
