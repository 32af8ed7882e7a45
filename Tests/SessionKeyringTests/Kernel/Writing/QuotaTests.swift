import Foundation
import Keyutils
import SessionKeyring
import SessionKeyringTesting
import TestSupport
import Testing

private let item = ItemIdentity.password(service: "quota", account: "a")

/// Tests with an ordinary user's quota: 200 keys and 20,000 bytes.
///
/// The kernel returns freed quota late.
///
/// Each test runs as a different user.
@Suite("Quota", .tags(.kernel, .root), .enabled(if: isRoot, "needs root to become several users"))
struct QuotaTests {
    @Test(
        "100,000 sets of one 2 KB item, or pairs of set and delete, in a tight loop succeed", .tags(.long, .paced),
        arguments: [false, true])
    func setDeleteLoop(deletes: Bool) async {
        await #expect(processExitsWith: .exitCode(0)) { [deletes = deletes as Bool] in
            let store = try SecretStore.inNewSession(of: deletes ? 60_102 : 60_101)
            for round in 0..<100_000 {
                let secret = [UInt8](repeating: UInt8(round % 251 + 1), count: 2_048)
                try store.set(secret, for: item, lasting: .seconds(600))
                if round % 1_000 == 0 { succeed(3, try store.get(item) == secret) }
                if deletes { succeed(4, try store.delete(item)) }
            }
            succeed(5, try store.items().map { $0.timeLeft != nil } == (deletes ? [] : [true]))
        }
    }

    @Test(
        "a full quota is reported only after the kernel has released freed quota, however late",
        .enabled(if: ProcessInfo.processInfo.activeProcessorCount > 1, "needs two processors"),
        arguments: [false, true])
    func outwaited(inTask isInTask: Bool) async {
        await #expect(processExitsWith: .exitCode(0)) { [isInTask = isInTask as Bool] in
            try OrdinaryUser.becomeInNewSession(isInTask ? 60_109 : 60_110)
            let ring = try Keyring.resolve(.sessionKeyring).addKeyring("ring")
            // A task can continue on any thread, and not all threads have this session.
            try Key(ring).setPermissions([.possessorAll, .userAll])
            let charged = try KeyQuota.current().keys
            var looks: [Bool] = []
            var wait = Wait()
            let attempt = { (_: Effort) throws(SecretStoreError) -> Outcome<Void> in
                do throws(KeyringError) {
                    looks.append(try KeyQuota.current().keys <= charged)
                    try ring.unlink(ring.add(.user, "passing", payload: [1].span.bytes))
                } catch {
                    guard error.code == .quotaExceeded else { throw SecretStoreError(error) }
                }
                return .blocked(SecretStoreError(.quotaExceeded))
            }
            do {
                if isInTask { try await wait.runInTask(attempt) } else { try wait.run(attempt) }
            } catch let error as SecretStoreError {
                succeed(4, error.code == .quotaExceeded)
            }
            // The last attempt but one is made after the grace periods.
            exit(looks.suffix(2).contains(true) ? 0 : 3)
        }
    }

    @Test("if the quota is really full, the error reports usage and limit, and no item is lost")
    func full() async {
        await #expect(processExitsWith: .exitCode(0)) {
            let store = try SecretStore.inNewSession(of: 60_103)
            var stored: [ItemIdentity] = []
            for number in 0..<300 {
                let item = ItemIdentity.password(service: "n\(number)")
                do {
                    try store.set("value \(number)", for: item, lasting: .seconds(600))
                    stored.append(item)
                } catch let error as SecretStoreError {
                    guard error.code == .quotaExceeded, let quota = error.quota else { exit(3) }
                    succeed(4, quota.maximumKeys == 200 && quota.maximumBytes == 20_000)
                    succeed(5, quota.keys >= 199 || quota.bytes > 19_500)
                    succeed(6, "\(error)".contains("of 200 keys"))
                    break
                }
            }
            succeed(7, stored.count > 150)
            succeed(8, try store.identities().count == stored.count)
            for (number, item) in stored.enumerated() { succeed(9, try store.get(item) == "value \(number)") }
            // Without room even for a lease, a set changes nothing. A few deletes make room for one.
            _ = try? store.set("value X", for: stored[0], lasting: .seconds(300))
            for listed in try store.items() {
                succeed(12, listed.permissions == .possessorAll)
                succeed(13, (listed.timeLeft?.atLeast ?? .zero) > .seconds(500))
            }
            for item in stored[1...4] { succeed(14, try store.delete(item)) }
            try store.set("value Y", for: stored[0], lasting: .seconds(300))
            succeed(15, try store.get(stored[0]) == "value Y")
            try store.set("room again", for: .password(service: "new"))
        }
    }

    @Test(
        "expired items make room before the kernel frees them; live items and others' keys stay",
        arguments: [false, true])
    func expiredMakeRoom(isUpdated: Bool) async {
        await #expect(processExitsWith: .exitCode(0)) { [isUpdated = isUpdated as Bool] in
            let living = ItemIdentity.password(service: "living")
            let store = try SecretStore.inNewSession(of: isUpdated ? 60_105 : 60_113, with: living, "alive")
            if isUpdated {
                try blocking { try store.blockingUpdate(.password(service: "u"), lasting: .scope) { (_: Int?) in 1 } }
            }
            // This key is named like a namespace's ring, but isn't a ring, so nobody may remove it.
            let namesake = try Keyring.resolve(.sessionKeyring).add(.user, "skr:other", payload: [1].span.bytes)
            try namesake.setPermissions(.possessorAll)
            let secret = [UInt8](repeating: 1, count: 1_500)
            for generation in 0..<2 {
                for number in 0..<11 {
                    let item = ItemIdentity.password(service: "g\(generation)", account: "\(number)")
                    if number % 2 == 0 {
                        try store.set(secret, for: item, lasting: .seconds(1))
                    } else {
                        try store.add(secret, for: item, lasting: .seconds(1))
                    }
                }
                succeed(3, try store.get(living) == "alive")
                let last = ItemIdentity.password(service: "g0", account: "10")
                guard try becomesTrue(within: 1.1, { try !store.contains(last) }) else { exit(2) }
            }
            succeed(4, try store.identities().contains(living))
            succeed(5, try namesake.describe().permissions == .possessorAll)
        }
    }

    @Test("cleared namespaces leave no keys that would block the next one")
    func clearedNamespaces() async {
        await #expect(processExitsWith: .exitCode(0)) {
            try OrdinaryUser.becomeInNewSession(60_106)
            // A namespace that is not empty keeps its ring.
            let kept = try SecretStore(namespace: "kept")
            try kept.set("kept", for: item)
            // More than the 200 keys that the user can have.
            for number in 0..<240 {
                let store = try SecretStore(namespace: "n\(number)")
                try store.set("value", for: item)
                succeed(3, try store.get(item) == "value")
                try store.clear()
            }
            succeed(4, try kept.get(item) == "kept")
            succeed(5, try SecretStore(namespace: "kept").get(item) == "kept")
        }
    }

    @Test("a set that the quota refuses keeps the old value and its lifetime")
    func refusedSet() async {
        await #expect(processExitsWith: .exitCode(0)) {
            let store = try SecretStore.inNewSession(of: 60_107)
            try store.set([UInt8](repeating: 1, count: 2_000), for: item, lasting: .seconds(259_200))
            var number = 0
            let filler = [UInt8](repeating: 2, count: 1_000)
            while (try? store.set(filler, for: .password(service: "filler\(number)"))) != nil { number += 1 }
            for timeout in [60, 3_600] {
                let error = try storeError {
                    try store.set([UInt8](repeating: 3, count: 9_000), for: item, lasting: .seconds(timeout))
                }
                succeed(4, error?.code == .quotaExceeded)
                succeed(5, try store.get(item) == [UInt8](repeating: 1, count: 2_000))
                succeed(7, try (store.timeLeft(of: item)?.atLeast ?? .zero) > .seconds(100_000))
            }
        }
    }
}
