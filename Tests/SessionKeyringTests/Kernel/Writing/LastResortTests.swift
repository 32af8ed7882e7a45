import Foundation
import Keyutils
import TestSupport
import Testing

@testable import SessionKeyring

private let item = ItemIdentity.password(service: "last")

/// Each test runs as a separate user and uses up that user's key quota.
@Suite(
    "Last resorts without room for a lease", .tags(.kernel, .root),
    .enabled(if: isRoot, "needs root, to become several users")
)
struct LastResortTests {
    /// Uses up the user's key quota, including keys that the kernel frees late.
    private static func useAllKeys() throws {
        try Keyring.resolve(.sessionKeyring).addKeyring("filling").fillQuota()
    }

    @Test("a deletion in a ring that it may not write to is forbidden and keeps the item")
    func deletion() async {
        await #expect(processExitsWith: .exitCode(0)) {
            let store = try SecretStore.inNewSession(of: 60_183)
            try blocking { try store.blockingUpdate(item, lasting: .scope) { (_: String?) in "1" } }
            let ring = try Keyring.resolve(.sessionKeyring).search(keyring: "skr:default")
            try Self.useAllKeys()
            try Key(ring).setPermissions(KeyPermissions.possessorAll.subtracting(.possessorWrite))
            succeed(4, try storeError { try store.delete(item) }?.code == .forbidden)
            succeed(5, try store.get(item) == "1")
            try Key(ring).setPermissions(.possessorAll)
            succeed(6, try store.delete(item))
            succeed(7, try !store.contains(item))
        }
    }

    @Test("makeRoom removes four expired items at a time")
    func expired() async {
        await #expect(processExitsWith: .exitCode(0)) {
            let store = try SecretStore.inNewSession(of: 60_184)
            try store.storeExpired((0..<7).map { .password(service: "brief", account: "\($0)") })
            let ring = try Keyring.resolve(.sessionKeyring).search(keyring: "skr:default")
            succeed(3, try ring.members().count == 7)
            try Self.useAllKeys()
            guard let backend = store.backend as? KernelBackend else { exit(4) }
            let hasRoom = try backend.makeRoom(Effort())
            succeed(5, hasRoom)
            succeed(6, try ring.members().count == 3)
        }
    }

    enum Write: Int, CaseIterable { case set, add, update }

    private static func make(
        _ write: Write, in store: SecretStore, mayUseLastResorts: Bool
    ) throws(SecretStoreError) {
        let effort = Effort(mayUseLastResorts: mayUseLastResorts)
        let bytes: [UInt8] = [2]
        switch write {
        case .set: try store.backend.set(bytes.span.bytes, for: item, timeout: nil, nil, effort, after: nil).get()
        case .add: try store.backend.add(bytes.span.bytes, for: item, timeout: nil, nil, effort).get()
        case .update: _ = try store.backend.beginUpdate(of: item, lasting: .seconds(1), effort).get()
        }
    }

    @Test(
        "only an attempt that may use the last resorts removes expired items to make room",
        arguments: Write.allCases)
    func notAllowed(write: Write) async {
        await #expect(processExitsWith: .exitCode(0)) { [number = write.rawValue as Int] in
            guard let write = Write(rawValue: number) else { exit(2) }
            let store = try SecretStore.inNewSession(of: [60_373, 60_374, 60_375][number])
            try store.storeExpired((0..<6).map { .password(service: "brief", account: "\($0)") })
            let ring = try Keyring.resolve(.sessionKeyring).search(keyring: "skr:default")
            try Self.useAllKeys()
            let error = try storeError { try Self.make(write, in: store, mayUseLastResorts: false) }
            succeed(5, error?.code == .quotaExceeded)
            succeed(6, try ring.members().count == 6)
            // The kernel frees removed keys late.
            succeed(7, becomesTrue { (try? Self.make(write, in: store, mayUseLastResorts: true)) != nil })
            succeed(8, try ring.members().count < 6)
            if write != .update { succeed(9, try store.get(item) == [2] as [UInt8]) }
        }
    }

    @Test("with a full quota, add fails, and a fetch starts unwatched only as a last resort")
    func nothingMakesRoom() async {
        await #expect(processExitsWith: .exitCode(0)) {
            let store = try SecretStore.inNewSession(of: 60_376, with: .password(service: "other"))
            try Self.useAllKeys()
            let error = try storeError { try Self.make(.add, in: store, mayUseLastResorts: true) }
            succeed(3, error?.code == .quotaExceeded)
            for mayUseLastResorts in [false, true] {
                let effort = Effort(mayUseLastResorts: mayUseLastResorts)
                do throws(SecretStoreError) {
                    let isWatched = try store.backend.beginFetch(of: item, reserving: nil, effort).get() != nil
                    succeed(4, mayUseLastResorts && !isWatched)
                } catch {
                    succeed(5, !mayUseLastResorts && error.code == .quotaExceeded)
                }
            }
        }
    }

    @Test("without room for a lease, an item whose lease is held is neither deleted nor expired")
    func held() async {
        await #expect(processExitsWith: .exitCode(0)) {
            let store = try SecretStore.inNewSession(of: 60_377, with: item)
            let update = try store.backend.beginUpdate(of: item, lasting: .seconds(600))
            try Self.useAllKeys()
            let uses: [(Effort) throws -> Void] = [
                { _ = try store.backend.delete(item, $0, after: nil).get() },
                { _ = try store.backend.expire(item, timeout: .longest, $0).get() },
            ]
            for use in uses {
                succeed(3, try storeError { try use(Effort()) }?.code == .contended)
            }
            succeed(4, try store.get(item) == "old" && store.attributes(of: item)?.expiry == .never)
            withExtendedLifetime(update) {}
        }
    }

    @Test("making room keeps expired items whose lease is held")
    func heldExpired() async {
        await #expect(processExitsWith: .exitCode(0)) {
            let store = try SecretStore.inNewSession(of: 60_378)
            let items = (0..<3).map { ItemIdentity.password(service: "brief", account: "\($0)") }
            try store.storeExpired(items)
            let session = try Keyring.resolve(.sessionKeyring)
            let leases = LeaseRing(
                try session.search(keyring: NamespaceRings.leasesName), permissions: .possessorAll)
            let first = try leases.acquire(
                "default:\(items[0].keyDescription)", lasting: .seconds(600), waiting: .zero)
            let second = try leases.acquire(
                "default:\(items[1].keyDescription)", lasting: .seconds(600), waiting: .zero)
            try Self.useAllKeys()
            guard let backend = store.backend as? KernelBackend else { exit(3) }
            let hasRoom = try backend.makeRoom(Effort())
            succeed(4, hasRoom)
            succeed(5, try session.search(keyring: "skr:default").members().count == 2)
            _ = consume first
            _ = consume second
        }
    }
}
