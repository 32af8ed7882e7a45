import Foundation
import Keyutils
import SessionKeyring
import TestSupport
import Testing

private let item = ItemIdentity.password(service: "full")

private func value(_ byte: UInt8, count: Int = 15_000) -> [UInt8] { [UInt8](repeating: byte, count: count) }

/// The error code of a set with a single attempt that may use the last resorts; `nil` if it succeeds.
private func failure(ofSetting secret: [UInt8], in store: SecretStore) -> SecretStoreError.Code? {
    var attempt = BackendAttempt(mayUseLastResorts: true)
    do throws(SecretStoreError) {
        try store.backend.set(secret.span.bytes, for: item, timeout: nil, &attempt)
        return nil
    } catch {
        return error.code
    }
}

/// Each test runs as a separate user whose quota of 20,000 bytes has no room for a second value.
@Suite(
    "Writes without room for a second value", .tags(.kernel, .ordinaryUser),
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
            try store.set(value(1), for: item, timeout: .seconds(600))
            do {
                switch write {
                case .set: try store.set(value(2), for: item, timeout: .seconds(60))
                case .update:
                    try blocking { try store.blockingUpdate(item, timeout: nil) { (_: [UInt8]?) in value(2) } }
                case .taskUpdate: try await store.update(item, timeout: nil) { (_: [UInt8]?) in value(2) }
                }
                exit(3)
            } catch let error as SecretStoreError {
                guard error.code == .quotaExceeded, let quota = error.quota else { exit(4) }
                succeed(5, quota.bytes > 15_000 && quota.maximumBytes == 20_000)
            }
            succeed(6, try store.get(item) == value(1))
            guard case .after(let left) = try store.items().first?.expiry else { exit(7) }
            succeed(8, left.atLeast > .seconds(500))
            succeed(9, try store.expire(item, timeout: .seconds(6_000)))
            guard case .after(let left) = try store.items().first?.expiry else { exit(10) }
            succeed(11, left.atLeast > .seconds(3_000))
            succeed(12, try store.delete(item))
            try store.set(value(2), for: item)
            succeed(13, try store.get(item) == value(2))
            exit(0)
        }
    }

    @Test("an update that the quota refuses keeps its lease, and succeeds once there is room")
    func keptUpdate() async {
        await #expect(processExitsWith: .exitCode(0)) {
            try OrdinaryUser.becomeInNewSession(60_186)
            let store = try SecretStore()
            try store.set(value(1, count: 8_000), for: item, timeout: .seconds(600))
            try store.set(value(1, count: 8_000), for: .password(service: "filler"))
            let update = try store.backend.beginUpdate(of: item, lasting: .seconds(600))
            let isThere = try update.read { _ in }
            succeed(3, isThere)
            for mayUseLastResorts in [false, true] {
                var attempt = BackendAttempt(mayUseLastResorts: mayUseLastResorts)
                do throws(SecretStoreError) {
                    _ = try update.commit(value(2, count: 8_000).span.bytes, timeout: nil, &attempt)
                    exit(4)
                } catch {
                    succeed(5, error.code == .quotaExceeded)
                }
            }
            succeed(6, try store.get(item) == value(1, count: 8_000))
            succeed(7, try store.delete(.password(service: "filler")))
            // The kernel frees quota late.
            let isWritten = becomesTrue {
                (try? update.commit(value(2, count: 8_000).span.bytes, timeout: nil)) == true
            }
            succeed(8, try isWritten && store.get(item) == value(2, count: 8_000))
            exit(0)
        }
    }

    @Test("expired items make room for the result of an update and of a fetch")
    func roomForResults() async {
        await #expect(processExitsWith: .exitCode(0)) {
            try OrdinaryUser.becomeInNewSession(60_187)
            let store = try SecretStore()
            let brief = ItemIdentity.password(service: "brief")
            let bytes = value(2, count: 12_000)
            func expire() throws {
                try store.set(value(1, count: 12_000), for: brief, timeout: .seconds(1))
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
            exit(0)
        }
    }

    @Test("a secret that could never fit is tooLarge; a smaller one is quotaExceeded")
    func limit() async {
        await #expect(processExitsWith: .exitCode(0)) {
            try OrdinaryUser.becomeInNewSession(60_188)
            let store = try SecretStore()
            // Each name ends with a NUL, and the link to its key takes 4 bytes.
            let names = [item.keyDescription, "skr:default", NamespaceRings.leasesName]
            let limit = try KeyQuota.current().maximumBytes - names.reduce(0) { $0 + $1.utf8.count + 5 }
            succeed(3, failure(ofSetting: value(1, count: limit), in: store) == .quotaExceeded)
            let code = failure(ofSetting: value(1, count: limit + 1), in: store)
            succeed(4, code == .tooLarge(size: limit + 1, limit: limit))
            // A secret of only NULs takes one more byte.
            let codeOfNULs = failure(ofSetting: value(0, count: limit), in: store)
            succeed(5, codeOfNULs == .tooLarge(size: limit, limit: limit - 1))
            exit(0)
        }
    }
}
