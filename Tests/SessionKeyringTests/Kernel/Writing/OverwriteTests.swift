import CTestFilters
import Foundation
import Keyutils
import SessionKeyring
import TestSupport
import Testing

private let item = ItemIdentity.password(service: "place")

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

/// Each test runs as a separate user with a quota of 20,000 bytes.
@Suite(
    "A set without room for a second value", .tags(.kernel, .ordinaryUser),
    .enabled(if: isRoot, "needs root, to become several users")
)
struct OverwriteTests {
    @Test("a set that can't write in place is contended and changes nothing", arguments: [EPERM, EACCES])
    func keptFromWriting(error: CInt) async {
        await #expect(processExitsWith: .exitCode(0)) { [error = error as CInt] in
            try OrdinaryUser.becomeInNewSession(error == EPERM ? 60_185 : 60_186)
            let store = try SecretStore()
            try store.set(value(1), for: item)
            // KEYCTL_LINK
            guard test_filter_install(8, error) == 0 else { exit(3) }
            succeed(4, failure(ofSetting: value(2), in: store) == .contended)
            succeed(5, try store.get(item) == value(1))
            exit(0)
        }
    }

    @Test("a set that can't end a fetch of the item throws the error")
    func keptFromEndingFetch() async {
        await #expect(processExitsWith: .exitCode(0)) {
            try OrdinaryUser.becomeInNewSession(60_382)
            let store = try SecretStore()
            try store.set(value(1), for: item)
            guard let fetch = try store.backend.beginFetch(of: item) else { exit(3) }
            // KEYCTL_UNLINK
            guard test_filter_install(9, ENOMEM) == 0 else { exit(4) }
            succeed(5, failure(ofSetting: value(2), in: store) == .unexpected)
            withExtendedLifetime(fetch) {}
            exit(0)
        }
    }

    @Test("a set does not overwrite a key whose permissions were changed")
    func otherPermissions() async {
        await #expect(processExitsWith: .exitCode(0)) {
            try OrdinaryUser.becomeInNewSession(60_187)
            let store = try SecretStore()
            try store.set(value(1), for: item)
            let ring = try Keyring.resolve(.sessionKeyring).search(keyring: "skr:default")
            let key = try ring.search(.user, item.keyDescription)
            try key.setPermissions(KeyPermissions.possessorAll.subtracting(.possessorSetAttribute))
            succeed(3, failure(ofSetting: value(2), in: store) == .quotaExceeded)
            succeed(4, try store.get(item) == value(1))
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
