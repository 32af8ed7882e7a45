import Foundation
import Keyutils
import SessionKeyring
import TestSupport
import Testing

private let item = ItemIdentity.password(service: "in place")

/// Each test runs as a separate user whose quota has no room for a second value.
@Suite(
    "Updates that can't write in place", .tags(.kernel, .ordinaryUser),
    .enabled(if: isRoot, "needs root, to become several users")
)
struct InPlaceUpdateTests {
    @Test("a blocked commit loses a lease in its last quarter; earlier, it returns false", arguments: [false, true])
    func notWritten(isLate: Bool) async {
        await #expect(processExitsWith: .exitCode(0)) { [isLate = isLate as Bool] in
            try OrdinaryUser.becomeInNewSession(isLate ? 60_261 : 60_262)
            let store = try SecretStore()
            let old = [UInt8](repeating: 1, count: 15_000)
            let new = [UInt8](repeating: 2, count: 15_000)
            try store.set(old, for: item, timeout: .seconds(600))
            let update = try store.backend.beginUpdate(of: item, lasting: isLate ? .milliseconds(140) : .seconds(60))
            let isThere = try update.read { _ in }
            succeed(2, isThere)
            if isLate {
                usleep(110_000)
            } else {
                let leases = try Keyring.resolve(.sessionKeyring).search(keyring: NamespaceRings.leasesName)
                // After this, nothing can be written through the lease.
                try leases.search(keyring: "default:\(item.keyDescription)").restrict()
            }
            var attempt = BackendAttempt(mayUseLastResorts: true)
            do throws(SecretStoreError) {
                let isWritten = try Self.commit(new, update, &attempt)
                succeed(3, !isWritten && !isLate)
            } catch {
                succeed(4, error.code == .leaseLost && isLate)
            }
            succeed(5, try store.get(item) == old)
            exit(0)
        }
    }

    enum Obstacle: Int, CaseIterable { case noLastResort, otherPermissions, cleared }

    @Test("an update that may not write in place keeps its lease and changes nothing", arguments: Obstacle.allCases)
    func kept(obstacle: Obstacle) async {
        await #expect(processExitsWith: .exitCode(0)) { [number = obstacle.rawValue as Int] in
            guard let obstacle = Obstacle(rawValue: number) else { exit(2) }
            try OrdinaryUser.becomeInNewSession([60_379, 60_380, 60_381][number])
            let session = try Keyring.resolve(.sessionKeyring)
            let store = try SecretStore()
            let old = [UInt8](repeating: 1, count: 15_000)
            let new = [UInt8](repeating: 2, count: 15_000)
            try store.set(old, for: item, timeout: .seconds(600))
            let update = try store.backend.beginUpdate(of: item, lasting: .seconds(600))
            let isThere = try update.read { _ in }
            succeed(3, isThere)
            let key = try session.search(keyring: "skr:default").search(.user, item.keyDescription)
            switch obstacle {
            case .noLastResort: break
            case .otherPermissions:
                try key.setPermissions(KeyPermissions.possessorAll.subtracting(.possessorSetAttribute))
            case .cleared:
                // The link keeps the key charged to the quota and writable.
                try session.link(key)
                try store.clear()
            }
            for _ in 0..<2 {
                var attempt = BackendAttempt(mayUseLastResorts: obstacle != .noLastResort)
                do throws(SecretStoreError) {
                    let isWritten = try Self.commit(new, update, &attempt)
                    succeed(4, !isWritten && obstacle == .cleared)
                } catch {
                    succeed(5, error.code == .quotaExceeded && obstacle != .cleared)
                }
            }
            let expected: [UInt8]? = obstacle == .cleared ? nil : old
            succeed(6, try store.get(item) == expected)
            if obstacle == .noLastResort {
                var attempt = BackendAttempt(mayUseLastResorts: true)
                let isWritten = try Self.commit(new, update, &attempt)
                succeed(7, try isWritten && store.get(item) == new)
            }
            exit(0)
        }
    }

    private static func commit(
        _ bytes: [UInt8], _ update: any ItemUpdate, _ attempt: inout BackendAttempt
    ) throws(SecretStoreError) -> Bool {
        try update.commit(bytes.span.bytes, timeout: nil, &attempt)
    }
}
