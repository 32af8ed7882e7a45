import Foundation
import Keyutils
import SessionKeyring
import SessionKeyringTesting
import TestSupport
import Testing
import Threads

private let item = ItemIdentity.password(service: "unchanged")

@Suite("Deleting an item that has not changed", .tags(.kernel))
struct DeleteUnchangedTests {
    @Test("an item is deleted only if it holds the given bytes", arguments: Place.allCases, [false, true])
    func compares(place: Place, isUpdated: Bool) throws {
        let kernel = try ScratchStore()
        let store = kernel.store(in: place)
        if isUpdated {
            try blocking { try store.blockingUpdate(.password(service: "n"), lasting: .scope) { (_: Int?) in 1 } }
        }
        try store.set("new", for: item)
        #expect(try !store.deleteUnchanged(item, SecretBytes(utf8: "old")))
        #expect(try !store.deleteUnchanged(item, SecretBytes(utf8: "newer")))
        #expect(try store.get(item) == "new")
        #expect(try store.deleteUnchanged(item, SecretBytes(utf8: "new")))
        #expect(try store.get(item, as: String.self) == nil)
        #expect(try !store.deleteUnchanged(item, SecretBytes(utf8: "new")))
        #expect(try !store.identities().contains(item))
        // The name can be used again.
        try store.set("again", for: item)
        #expect(try store.get(item) == "again")
    }

    @Test("deleting in a namespace whose items were never updated creates no update flag")
    func noFlag() throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        try store.set("new", for: item)
        #expect(try store.deleteUnchanged(item, SecretBytes(utf8: "new")))
        let ring = try scratch.keyring.search(keyring: "skr-leases")
        #expect(try ring.members().isEmpty)
    }

    @Test("a value that is stored at the same time is never deleted", .tags(.long))
    func storm() throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        let isDone = Locked(false)
        let deleted = Locked(0)
        let deleters = DispatchGroup()
        for _ in 0..<2 {
            ThreadTeam.start(in: deleters) {
                while !isDone.withLock({ $0 }) {
                    guard let found = try? store.bytes(of: item), !found.isEqual(to: SecretBytes(utf8: "keep")) else {
                        continue
                    }
                    if (try? store.deleteUnchanged(item, found)) == true { deleted.withLock { $0 += 1 } }
                }
            }
        }
        defer {
            isDone.withLock { $0 = true }
            deleters.wait()
            print("deleted between two sets: \(deleted.withLock { $0 })")
        }
        for round in 0..<20_000 {
            try store.set("drop", for: item)
            try store.set("keep", for: item)
            guard try store.get(item) == "keep" else {
                Issue.record("the new value was lost in round \(round)")
                break
            }
        }
    }

    @Test("an item can be deleted on a full quota", .tags(.root), .enabled(if: isRoot))
    func fullQuota() async {
        await #expect(processExitsWith: .exitCode(0)) {
            let store = try SecretStore.inNewSession(of: 60_120, with: item)
            try Keyring.resolve(.sessionKeyring).fillQuota()
            succeed(5, try !store.deleteUnchanged(item, SecretBytes(utf8: "other")))
            succeed(6, try store.deleteUnchanged(item, SecretBytes(utf8: "old")))
            succeed(7, try !store.contains(item))
        }
    }

    @Test(
        "a list of a ring that changes all the time is complete, or throws contended", .tags(.long),
        .tags(.root), .enabled(if: isRoot, "needs root, because it creates 3,000 keys"))
    func list() throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        for number in 0..<3_000 { try store.set("x", for: .password(service: "filler \(number)")) }
        try store.set("x", for: item)
        let isDone = Locked(false)
        let writers = DispatchGroup()
        ThreadTeam.start(in: writers) { while !isDone.withLock({ $0 }) { try? store.set("x", for: item) } }
        ThreadTeam.start(in: writers) {
            var number = 0
            while !isDone.withLock({ $0 }) {
                number += 1
                let passing = ItemIdentity.password(service: "passing \(number)")
                try? store.set("x", for: passing)
                _ = try? store.delete(passing)
            }
        }
        var contended = 0
        for _ in 0..<40 {
            do throws(SecretStoreError) {
                let isComplete = try store.identities().contains(item)
                #expect(isComplete)
            } catch {
                #expect(error.code == .contended)
                contended += 1
            }
        }
        isDone.withLock { $0 = true }
        writers.wait()
        print("lists that gave up: \(contended)")
    }
}
