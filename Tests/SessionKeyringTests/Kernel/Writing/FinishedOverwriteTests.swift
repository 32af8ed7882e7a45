import CTestFilters
import Foundation
import Keyutils
import SessionKeyring
import SessionKeyringTesting
import TestSupport
import Testing

private let item = ItemIdentity.password(service: "begun")

/// Leaves the state of a holder that was killed right after writing a payload in place.
private func leaveOverwrite(of key: Key, with secret: String, in leases: Keyring, expiry: UInt64) throws -> Keyring {
    let hash = LeaseRecord.hash(of: Array(secret.utf8).span.bytes)
    let words: [UInt64] = [
        0x0001_736B_722D_6C73, 1, 0, 0, 1, 1, 0, 0, UInt64(UInt32(bitPattern: key.serial.rawValue)), expiry, hash, 0,
    ]
    let bytes = words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * UInt64($0))) } }
    let lease = try leases.addKeyring("default:\(item.keyDescription)")
    try lease.add(.user, "by", payload: bytes.span.bytes)
    return lease
}

@Suite("Unfinished in-place writes", .tags(.kernel))
struct FinishedOverwriteTests {
    enum Lie: CaseIterable { case notPinned, notAnItem, notOurs, over }

    @Test(
        "only a write to our own pinned item is finished; if its expiry has passed, it is removed",
        arguments: Lie.allCases)
    func lie(lie: Lie) throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        try store.set("1", for: item)
        let leases = try scratch.keyring.search(keyring: NamespaceRings.leasesName)
        var key = try scratch.keyring.search(keyring: "skr:default").search(.user, item.keyDescription)
        if lie == .notAnItem {
            key = try scratch.keyring.add(.user, item.keyDescription, payload: Array("1".utf8).span.bytes)
            try key.setPermissions(.possessorAll)
        }
        let permissions: KeyPermissions =
            lie == .notOurs ? .possessorAll.subtracting(.possessorSetAttribute) : .possessorAll
        if lie == .notOurs { try key.setPermissions(permissions) }
        let now = UInt64(Date().timeIntervalSince1970)
        let lease = try leaveOverwrite(of: key, with: "1", in: leases, expiry: lie == .over ? now : now + 600)
        if lie != .notPinned { try lease.link(key) }
        _ = try store.items()
        if lie == .over {
            #expect(try !store.contains(item))
        } else {
            #expect(try key.describe().permissions == permissions)
            #expect(try KeyTable.snapshot()[key.serial]?.expiry == .never)
            #expect(try store.get(item) == "1")
        }
    }

    @Test("a list that can't set the timeout of an unfinished write throws the error")
    func noTimeout() async {
        await #expect(processExitsWith: .exitCode(0)) {
            let session = try TestSession.join()
            let store = try SecretStore()
            try store.set("1", for: item)
            let leases = try session.search(keyring: NamespaceRings.leasesName)
            let key = try session.search(keyring: "skr:default").search(.user, item.keyDescription)
            let expiry = UInt64(Date().timeIntervalSince1970) + 600
            try leaveOverwrite(of: key, with: "1", in: leases, expiry: expiry).link(key)
            // KEYCTL_SET_TIMEOUT
            guard test_filter_install(15, ENOMEM) == 0 else { exit(2) }
            do throws(SecretStoreError) {
                _ = try store.items()
                exit(3)
            } catch {
                succeed(4, error.underlying?.code == .outOfMemory)
            }
            exit(0)
        }
    }
}
