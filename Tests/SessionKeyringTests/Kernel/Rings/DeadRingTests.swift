import Foundation
import Keyutils
import SessionKeyring
import SessionKeyringTesting
import Testing

/// Tests with rings that another program has revoked, invalidated or removed.
@Suite("Rings that are gone", .tags(.kernel))
struct DeadRingTests {
    @Test("processes that write after a ring was revoked lose no acknowledged write")
    func revoked() async throws { try await write(rounds: 3, processes: 4) }

    @Test("6 processes that write after each of 20 rings was revoked lose no acknowledged write", .tags(.long))
    func revokedAgain() async throws { try await write(rounds: 20, processes: 6) }

    /// Stores items at the same time in several processes, after the death of the ring, again and again.
    private func write(rounds: Int, processes: Int) async throws {
        let scratch = try ScratchKeyring()
        let serial = scratch.keyring.serial.rawValue
        let store = try scratch.store()
        for round in 0..<rounds {
            try store.set("x", for: .password(service: "before"))
            let ring = try scratch.keyring.search(keyring: "skr:default")
            switch round % 3 {
            case 0: try Key(ring).revoke()
            case 1: try Key(ring).invalidate()
            default: try scratch.keyring.unlink(Key(ring))
            }
            try await concurrently(processes) { process in
                await #expect(processExitsWith: .exitCode(0)) {
                    [serial = serial as Int32, process = process as Int, round = round as Int] in
                    let store = try SecretStore(.keyring(KeySerial(rawValue: serial)))
                    try store.set("\(round)", for: .password(service: "p\(process)"))
                }
            }
            for process in 0..<processes {
                #expect(try store.get(.password(service: "p\(process)")) == "\(round)")
            }
        }
    }

    @Test(
        "whatever happens to the leases' ring, the next operation repairs it",
        arguments: ["revoke", "invalidate", "unlink", "clear"], [false, true])
    func leasesRing(way: String, isOpenToOwner: Bool) async throws {
        let scratch = try ScratchKeyring()
        let item = ItemIdentity.password(service: "item")
        let store = try SecretStore(.keyring(scratch.keyring.serial, isOpenToOwner: isOpenToOwner))
        let uses: [(String, () async throws -> Void)] = [
            ("set", { try store.set("1", for: item) }),
            ("update", { try await store.update(item, lasting: .scope) { (_: String?) in "2" } }),
            ("add", { try store.add("1", for: .password(service: UUID().uuidString)) }),
            ("expire", { try store.expire(item, timeout: .seconds(60)) }),
            // Not `tryLease`, which doesn't wait longer for the kernel than 100 ms.
            ("lease", { try await store.lease("job", lasting: .seconds(9), waiting: .seconds(60)).release() }),
            ("list", { _ = try store.items() }),
            (
                "fetch",
                { _ = try await store.value(for: .password(service: UUID().uuidString), as: String.self) { "3" } }
            ),
            ("delete", { _ = try store.delete(item) }),
            ("clear", { try store.clear() }),
        ]
        for (_, use) in uses {
            try store.set("0", for: item)
            let held = try await store.lease("held", lasting: .seconds(9), waiting: .seconds(60))
            let ring = try scratch.keyring.search(keyring: NamespaceRings.leasesName)
            switch way {
            case "revoke": try Key(ring).revoke()
            case "invalidate": try Key(ring).invalidate()
            case "unlink": try scratch.keyring.unlink(Key(ring))
            case "clear": try ring.clear()
            default: fatalError("no such way: \(way)")
            }
            try await use()
            // A store that knows an unlinked ring can use it, if it is open to its owner, until the kernel has
            // collected it.
            if way == "unlink" { #expect(becomesTrue { (try? Key(ring).describe()) == nil }) }
            try await use()
            _ = consume held
        }
    }

    @Test("a new leases' ring is used only after 50 ms, when late holders can no longer write")
    func lateHolders() throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        let item = ItemIdentity.password(service: "item")
        try store.blockingUpdate(item, lasting: .scope) { (_: String?) in "1" }
        try Key(scratch.keyring.search(keyring: NamespaceRings.leasesName)).revoke()
        let start = ContinuousClock.now
        try store.blockingUpdate(item, lasting: .scope) { (old: String?) in (old ?? "") + "2" }
        #expect(ContinuousClock.now - start >= .milliseconds(50))
        #expect(try store.get(item) == "12")
    }

    @Test("an empty ring in the middle of its removal is replaced")
    func restricted() throws {
        let scratch = try ScratchKeyring()
        let item = ItemIdentity.password(service: "item")
        let store = try scratch.store()
        try store.set("1", for: item)
        try store.clear()
        let empty = try scratch.keyring.search(keyring: "skr:default")
        try Key(empty).setPermissions([.possessorAll, .userRead])
        try empty.restrict()
        try store.set("2", for: item)
        #expect(try store.get(item) == "2")
    }

    @Test("a restricted ring is not replaced if one of its items can't be linked into a new ring")
    func notCarriedOver() throws {
        let scratch = try ScratchKeyring()
        let (item, fixed) = (ItemIdentity.password(service: "item"), ItemIdentity.password(service: "fixed"))
        let store = try scratch.store()
        for item in [item, fixed] { try store.set("1", for: item) }
        let ring = try scratch.keyring.search(keyring: "skr:default")
        let key = try ring.search(.user, fixed.keyDescription)
        try key.setPermissions(KeyPermissions.possessorAll.subtracting(.possessorLink))
        try Key(ring).setPermissions([.possessorAll, .userRead])
        try ring.restrict()
        let error = try storeError {
            try store.backend.set([2].span.bytes, for: item, timeout: nil, nil, Effort(), after: nil).get()
        }
        #expect(error?.code == .contended)
        #expect(try scratch.keyring.search(keyring: "skr:default") == ring)
        #expect(try store.get(fixed) == "1")
        #expect(try store.get(item) == "1")
    }
}
