import Foundation
import Keyutils
import TestSupport
import Testing

@testable import SessionKeyring

private let item = ItemIdentity.password(service: "last")

/// Each test is a user of its own, of which every key is used.
@Suite(
    "Without room for a lease", .tags(.kernel, .ordinaryUser),
    .enabled(if: isRoot, "needs root, to become several users")
)
struct LastResortTests {
    /// Uses every key that the user may have, those too that the kernel gives back late.
    private static func useAllKeys() throws {
        let ring = try Keyring.resolve(.sessionKeyring).addKeyring("filling")
        let payload: [UInt8] = [1]
        var number = 0
        for _ in 0..<2 {
            for _ in 0..<10 { _ = GracePeriod.pass() }
            while (try? ring.add(.user, "filler \(number)", payload: payload.span.bytes)) != nil { number += 1 }
        }
    }

    @Test("a deletion tells what it was not allowed to delete")
    func deletion() async {
        await #expect(processExitsWith: .exitCode(0)) {
            try OrdinaryUser.becomeInNewSession(60_183)
            let store = try SecretStore()
            try blocking { try store.blockingUpdate(item, timeout: nil) { (_: String?) in "1" } }
            let ring = try Keyring.resolve(.sessionKeyring).search(keyring: "skr:default")
            try Self.useAllKeys()
            try Key(ring).setPermissions(KeyPermissions.possessorAll.subtracting(.possessorWrite))
            do {
                try store.delete(item)
                exit(3)
            } catch let error as SecretStoreError {
                succeed(4, error.code == .forbidden)
            }
            succeed(5, try store.get(item) == "1")
            try Key(ring).setPermissions(.possessorAll)
            succeed(6, try store.delete(item))
            succeed(7, try !store.contains(item))
            exit(0)
        }
    }

    @Test("four expired items at a time make room")
    func expired() async {
        await #expect(processExitsWith: .exitCode(0)) {
            try OrdinaryUser.becomeInNewSession(60_184)
            let store = try SecretStore()
            let items = (0..<7).map { ItemIdentity.password(service: "brief", account: "\($0)") }
            for item in items { try store.set("1", for: item, timeout: .seconds(1)) }
            guard try becomesTrue(within: 2, { try items.allSatisfy { try !store.contains($0) } }) else { exit(2) }
            let ring = try Keyring.resolve(.sessionKeyring).search(keyring: "skr:default")
            succeed(3, try ring.members().count == 7)
            try Self.useAllKeys()
            guard let backend = store.backend as? KernelBackend else { exit(4) }
            var attempt = BackendAttempt(mayUseLastResorts: true)
            let hasRoom = try backend.makeRoom(&attempt)
            succeed(5, hasRoom)
            succeed(6, try ring.members().count == 3)
            exit(0)
        }
    }
}
