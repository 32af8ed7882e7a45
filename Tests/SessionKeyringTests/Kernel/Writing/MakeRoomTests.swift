import CTestFilters
import Foundation
import Keyutils
import SessionKeyringTesting
import TestSupport
import Testing

@testable import SessionKeyring

private let item = ItemIdentity.password(service: "room")

@Suite("Making room in the quota", .tags(.kernel))
struct MakeRoomTests {
    private func hasRoom(_ store: SecretStore) throws -> Bool {
        let backend = try #require(store.backend as? KernelBackend)
        return try backend.makeRoom(Effort())
    }

    @Test("if nothing can be removed, makeRoom returns false and sets no update flag")
    func nothing() throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        #expect(try !hasRoom(store))
        try store.set("1", for: item)
        #expect(try !hasRoom(store))
        #expect(try scratch.keyring.search(keyring: NamespaceRings.leasesName).members().isEmpty)
    }

    @Test("one empty ring counts as room")
    func emptyRing() throws {
        let scratch = try ScratchKeyring()
        let empty = try scratch.store(namespace: "empty")
        try empty.set("1", for: item)
        try empty.clear()
        let store = try scratch.store()
        try store.set("1", for: item)
        #expect(try hasRoom(store))
    }

    @Test("once writers know the update flag, expired items without a held lease are removed")
    func expired() throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        try store.set("living", for: item)
        let brief = (0..<6).map { ItemIdentity.password(service: "brief", account: "\($0)") }
        try store.storeExpired(brief)
        let ring = try scratch.keyring.search(keyring: "skr:default")
        let leases = try scratch.keyring.search(keyring: NamespaceRings.leasesName)

        let first = try? hasRoom(store)
        // The first call makes room only if the machine stood still in between.
        #expect(try ring.members().count == (first == nil ? 7 : 1))
        #expect(try store.get(item) == "living")
        guard first == nil else { return }
        var held: (any ItemUpdate)? = try store.backend.beginUpdate(of: brief[0], lasting: .seconds(600))
        // An expired lease that nobody asks for.
        let late = try store.backend.beginUpdate(of: item, lasting: .milliseconds(20))
        usleep(25_000)
        let staged = try Keyring.thread.members()
        #expect(try hasRoom(store))
        #expect(try ring.members().count == 2)
        #expect(try Keyring.thread.members() == staged)
        #expect(becomesTrue { (try? leases.members().count) == 2 }, "the flag, and the lease that is held")
        #expect(try !hasRoom(store))
        withExtendedLifetime((held, late)) {}
        held = nil
        #expect(try hasRoom(store))
        #expect(try ring.members().count == 1)
        #expect(try store.get(item) == "living")
    }

    @Test("an expired item that vanishes before it is locked is skipped; other errors are thrown")
    func refused() async throws {
        // At the same time, because each waits until an item has expired.
        try await concurrently(2) { await makeRoom(refusing: [ENOKEY, ENOMEM][$0]) }
    }

    private func makeRoom(refusing error: CInt) async {
        await #expect(processExitsWith: .exitCode(0)) { [error = error as CInt] in
            let store = try SecretStore.inNewSession()
            try blocking {
                try store.blockingUpdate(.password(service: "other"), lasting: .scope) { (_: String?) in "1" }
            }
            try store.storeExpired([item])
            guard let backend = store.backend as? KernelBackend else { exit(3) }
            // KEYCTL_MOVE
            guard test_filter_install(30, error) == 0 else { exit(4) }
            do throws(SecretStoreError) {
                let hasRoom = try backend.makeRoom(Effort())
                succeed(5, !hasRoom && error == ENOKEY)
            } catch let failure {
                succeed(6, failure.underlying?.code == .outOfMemory && error == ENOMEM)
            }
        }
    }
}
