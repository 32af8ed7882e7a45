import Foundation
import Keyutils
import SessionKeyringTesting
import TestSupport
import Testing

@testable import SessionKeyring

private let item = ItemIdentity.password(service: "full")

private func value(_ byte: UInt8, count: Int = 15_000) -> [UInt8] { [UInt8](repeating: byte, count: count) }

/// The error code of one attempt that may use the last resorts; `nil` if it succeeds.
private func failure(_ body: (Effort) throws -> Void) throws -> SecretStoreError.Code? {
    try storeError { try body(Effort()) }?.code
}

/// Fills the quota with items that expire in one second, and waits until they have.
private func fillWithExpired(_ store: SecretStore) throws {
    var failures = 0
    while failures < 5 {
        do throws(SecretStoreError) {
            let brief = ItemIdentity.password(service: "brief", account: UUID().uuidString)
            let effort = Effort(mayUseLastResorts: false)
            try store.backend.set(
                [1].span.bytes, for: brief, timeout: try? KeyTimeout(.seconds(1)), nil, effort, after: nil
            ).get()
            failures = 0
        } catch {
            succeed(20, error.code == .quotaExceeded)
            failures += 1
            // The kernel frees quota late.
            usleep(30_000)
        }
    }
    succeed(21, try becomesTrue(within: 2.1) { try store.items().isEmpty })
}

/// Each test runs as a separate user whose quota of 20,000 bytes has no room for a second value.
@Suite(
    "Writes without room for a second value", .tags(.kernel, .root),
    .enabled(if: isRoot, "needs root, to become several users")
)
struct FullQuotaTests {
    enum Write: Int, CaseIterable { case set, update, taskUpdate }

    @Test(
        "a write without room for both values fails; the old value keeps its timeout, and can be expired and deleted",
        arguments: Write.allCases)
    func refused(write: Write) async {
        await #expect(processExitsWith: .exitCode(0)) { [number = write.rawValue as Int] in
            guard let write = Write(rawValue: number) else { exit(2) }
            try OrdinaryUser.becomeInNewSession([60_104, 60_112, 60_185][number])
            let session = try Keyring.resolve(.sessionKeyring)
            // A task can continue on any thread, and not all threads have this session.
            try Key(session).setPermissions([.possessorAll, .userAll])
            let store = try SecretStore(.keyring(session.serial, isOpenToOwner: true))
            try store.set(value(1), for: item, lasting: .seconds(600))
            do {
                switch write {
                case .set: try store.set(value(2), for: item, lasting: .seconds(60))
                case .update:
                    try blocking { try store.blockingUpdate(item, lasting: .scope) { (_: [UInt8]?) in value(2) } }
                case .taskUpdate: try await store.update(item, lasting: .scope) { (_: [UInt8]?) in value(2) }
                }
                exit(3)
            } catch let error as SecretStoreError {
                guard error.code == .quotaExceeded, let quota = error.quota else { exit(4) }
                succeed(5, quota.bytes > 15_000 && quota.maximumBytes == 20_000)
            }
            succeed(6, try store.get(item) == value(1))
            succeed(8, try (store.items().first?.timeLeft?.atLeast ?? .zero) > .seconds(500))
            succeed(9, try store.expire(item, timeout: .seconds(6_000)))
            succeed(11, try (store.items().first?.timeLeft?.atLeast ?? .zero) > .seconds(3_000))
            succeed(12, try store.delete(item))
            try store.set(value(2), for: item)
            succeed(13, try store.get(item) == value(2))
        }
    }

    @Test("an update that the quota refuses keeps its lease, and succeeds once there is room")
    func keptUpdate() async {
        await #expect(processExitsWith: .exitCode(0)) {
            let store = try SecretStore.inNewSession(of: 60_186)
            try store.set(value(1, count: 8_000), for: item, lasting: .seconds(600))
            try store.set(value(1, count: 8_000), for: .password(service: "filler"))
            let update = try store.backend.beginUpdate(of: item, lasting: .seconds(600))
            let isThere = try update.read { _ in }
            succeed(3, isThere)
            for mayUseLastResorts in [false, true] {
                let effort = Effort(mayUseLastResorts: mayUseLastResorts)
                let error = try storeError {
                    _ = try update.commit(value(2, count: 8_000).span.bytes, timeout: nil, nil, effort).get()
                }
                succeed(5, error?.code == .quotaExceeded)
            }
            succeed(6, try store.get(item) == value(1, count: 8_000))
            succeed(7, try store.delete(.password(service: "filler")))
            // The kernel frees quota late.
            let isWritten = becomesTrue {
                (try? update.commit(value(2, count: 8_000).span.bytes, timeout: nil)) == true
            }
            succeed(8, try isWritten && store.get(item) == value(2, count: 8_000))
        }
    }

    @Test("expired items make room for the result of an update and of a fetch")
    func roomForResults() async {
        await #expect(processExitsWith: .exitCode(0)) {
            let store = try SecretStore.inNewSession(of: 60_187)
            let brief = ItemIdentity.password(service: "brief")
            let bytes = value(2, count: 12_000)
            func expire() throws {
                try store.set(value(1, count: 12_000), for: brief, lasting: .seconds(1))
                succeed(2, try becomesTrue(within: 2.1) { try !store.contains(brief) })
            }
            do {
                let update = try store.backend.beginUpdate(of: item, lasting: .seconds(600))
                try expire()
                succeed(3, becomesTrue { (try? update.commit(bytes.span.bytes, timeout: nil)) == true })
            }
            succeed(4, try store.get(item) == bytes)
            succeed(5, try store.delete(item))
            guard let fetch = try store.backend.beginFetch(of: item) else { exit(6) }
            succeed(7, becomesTrue { (try? expire()) != nil })
            succeed(8, becomesTrue { (try? fetch.store(bytes.span.bytes, timeout: nil)) == true })
            succeed(9, try store.get(item) == bytes)
        }
    }

    @Test("expired items make room for a fetch and for a lease", arguments: [false, true])
    func roomForLeases(isFetch: Bool) async {
        await #expect(processExitsWith: .exitCode(0)) { [isFetch = isFetch as Bool] in
            let store = try SecretStore.inNewSession(of: isFetch ? 60_189 : 60_190)
            try fillWithExpired(store)
            var attempts = 0
            let isDone = try becomesTrue {
                attempts += 1
                // The kernel frees quota late, and the first attempt raises the update flag.
                usleep(30_000)
                var isDone = false
                let code = try failure { effort in
                    if isFetch {
                        isDone = try store.backend.beginFetch(of: item, reserving: nil, effort).get() != nil
                    } else {
                        _ = try store.backend.takeLease("job", lasting: .seconds(5), effort).get()
                        isDone = true
                    }
                }
                succeed(3, code == nil || code == .quotaExceeded || code == .contended)
                return isDone
            }
            succeed(4, isDone && attempts < 30)
        }
    }

    @Test("a late set succeeds if its value stays, even without room for a lease")
    func lateSet() async {
        await #expect(processExitsWith: .exitCode(0)) {
            let store = try SecretStore.inNewSession(of: 60_191)
            try blocking { try store.blockingUpdate(item, lasting: .scope) { (_: [UInt8]?) in value(1, count: 10) } }
            guard let backend = store.backend as? KernelBackend else { exit(2) }
            let filler = value(1, count: 10)
            for number in 0..<200 {
                guard (try? Keyring.thread.add(.user, "\(number)", payload: filler.span.bytes)) != nil else { break }
            }
            func set(_ late: Key) throws -> SecretStoreError.Code? {
                try failure { effort in
                    let bytes = value(1, count: 10)
                    try store.backend.set(
                        bytes.span.bytes, for: item, timeout: nil, nil, effort, after: .placed(late)
                    ).get()
                }
            }
            guard let key = try backend.withKey(of: item, { _, key in key }) else { exit(3) }
            succeed(4, try set(key) == nil)
            succeed(5, try set(Key(Keyring.thread)) == .quotaExceeded)
        }
    }

    @Test("a secret that could never fit is tooLarge, however it is stored; a smaller one is quotaExceeded")
    func limit() async {
        await #expect(processExitsWith: .exitCode(0)) {
            let store = try SecretStore.inNewSession(of: 60_188)
            func failureOfSet(_ secret: [UInt8]) throws -> SecretStoreError.Code? {
                try failure {
                    try store.backend.set(secret.span.bytes, for: item, timeout: nil, nil, $0, after: nil).get()
                }
            }
            // Each name ends with a NUL, and the link to its key takes 4 bytes.
            let names = [item.keyDescription, "skr:default", NamespaceRings.leasesName]
            let limit = try KeyQuota.current().maximumBytes - names.reduce(0) { $0 + $1.utf8.count + 5 }
            succeed(3, try failureOfSet(value(1, count: limit)) == .quotaExceeded)
            let large = value(1, count: limit + 1)
            let tooLarge = SecretStoreError.Code.tooLarge(size: limit + 1, limit: limit)
            succeed(4, try failureOfSet(large) == tooLarge)
            // A secret of only NULs takes one more byte.
            succeed(5, try failureOfSet(value(0, count: limit)) == .tooLarge(size: limit, limit: limit - 1))
            let failureOfAdd = try failure {
                try store.backend.add(large.span.bytes, for: item, timeout: nil, nil, $0).get()
            }
            succeed(6, failureOfAdd == tooLarge)
            guard let fetch = try store.backend.beginFetch(of: item) else { exit(7) }
            usleep(30_000)
            succeed(8, try failure { _ = try fetch.store(large.span.bytes, timeout: nil, nil, $0).get() } == tooLarge)
            let update = try store.backend.beginUpdate(of: item, lasting: .seconds(60))
            _ = try update.read { _ in }
            succeed(9, try failure { _ = try update.commit(large.span.bytes, timeout: nil, nil, $0).get() } == tooLarge)
        }
    }
}
