import Foundation
import Keyutils
import SessionKeyringTesting
import TestSupport
import Testing

@testable import SessionKeyring

private let item = ItemIdentity.password(service: "replaced")

@Suite("Updates and fetches while others change keys and rings by hand", .tags(.kernel))
final class ReplacedRingTests {
    private let scratch: ScratchKeyring
    private let store: SecretStore

    init() throws {
        scratch = try ScratchKeyring()
        store = try scratch.store()
        try store.set("1", for: .password(service: "other"))
    }

    private var ring: Keyring {
        get throws { try scratch.keyring.search(keyring: "skr:default") }
    }

    private func plant(_ secret: String) throws {
        try ring.add(.user, item.keyDescription, payload: Array(secret.utf8).span.bytes)
    }

    private func isThere(_ update: any ItemUpdate) throws(SecretStoreError) -> Bool {
        try update.read { _ in }
    }

    private func commit(
        _ secret: String, _ update: any ItemUpdate, isFirst: Bool = true
    ) throws(SecretStoreError) -> Bool {
        let effort = Effort(mayUseLastResorts: false, isFirst: isFirst)
        return try update.commit(Array(secret.utf8).span.bytes, timeout: nil, nil, effort).get()
    }

    @Test("an update whose ring is gone at commit restarts in the new ring")
    func ringGone() throws {
        let update = try store.backend.beginUpdate(of: item, lasting: .seconds(600))
        #expect(try !isThere(update))
        try scratch.keyring.unlink(Key(ring))
        #expect(try !commit("1", update))
        #expect(try !isThere(update))
        #expect(try commit("2", update, isFirst: false))
        #expect(try scratch.store().get(item) == "2")
    }

    @Test("an update that reads the item in a new ring commits there")
    func ringReplaced() throws {
        let update = try store.backend.beginUpdate(of: item, lasting: .seconds(600))
        try scratch.keyring.unlink(Key(ring))
        try scratch.store().set("1", for: .password(service: "other"))
        try plant("1")
        #expect(try isThere(update))
        #expect(try commit("2", update))
        #expect(try store.get(item) == "2")
    }

    @Test("an update that can't search its ring throws forbidden and leaves nothing staged")
    func unsearchable() throws {
        let update = try store.backend.beginUpdate(of: item, lasting: .seconds(600))
        #expect(try !isThere(update))
        let staged = try Keyring.thread.members()
        let ring = Key(try ring)
        // Without search, the ring is not possessed, so its owner needs the right to restore the permissions.
        try ring.setPermissions(KeyPermissions.possessorAll.subtracting(.possessorSearch).union(.userSetAttribute))
        #expect { _ = try commit("1", update) } throws: { ($0 as? SecretStoreError)?.code == .forbidden }
        #expect(try Keyring.thread.members() == staged)
        try ring.setPermissions(.possessorAll)
        #expect(try !store.contains(item))
    }

    @Test("an update in an unlinked ring throws unreadableAfterWrite on every attempt")
    func lostRing() throws {
        let store = try SecretStore(.keyring(scratch.keyring.serial, isOpenToOwner: true), namespace: "open")
        try store.set("1", for: item)
        let update = try store.backend.beginUpdate(of: item, lasting: .seconds(600))
        #expect(try isThere(update))
        let ring = try scratch.keyring.search(keyring: "skr:open")
        // This link keeps the kernel from collecting the ring.
        try scratch.keyring.addKeyring("other").link(Key(ring))
        try scratch.keyring.unlink(Key(ring))
        for isFirst in [true, false] {
            let error = try storeError { _ = try commit("2", update, isFirst: isFirst) }
            #expect(error?.detail == .unreadableAfterWrite)
        }
    }

    @Test("an update deletes nothing if the item has changed or its lease has expired", arguments: [false, true])
    func removal(isLate: Bool) throws {
        try store.set("1", for: item)
        let update = try store.backend.beginUpdate(of: item, lasting: isLate ? .milliseconds(30) : .seconds(600))
        #expect(try isThere(update))
        let effort = Effort(mayUseLastResorts: false)
        if isLate {
            usleep(40_000)
            #expect(try storeError { _ = try update.commit(nil, timeout: nil, nil, effort).get() }?.code == .leaseLost)
            #expect(try store.get(item) == "1")
        } else {
            try store.clear()
            try plant("2")
            let isRemoved = try update.commit(nil, timeout: nil, nil, effort).get()
            #expect(!isRemoved)
            #expect(try store.get(item) == "2")
        }
    }

    enum Change: CaseIterable { case added, replaced, removed, moved }

    @Test("a fetched value is not stored if others change the item by hand", arguments: Change.allCases)
    func fetch(change: Change) throws {
        if change != .added { try store.set("1", for: item) }
        let fetch = try #require(try store.backend.beginFetch(of: item))
        if change != .added {
            let key = try ring.search(.user, item.keyDescription)
            // The key stays alive, but not as an item.
            if change == .moved { try scratch.keyring.link(key) }
            try ring.unlink(key)
        }
        if change == .added || change == .replaced { try plant("2") }
        #expect(try !fetch.store([1].span.bytes, timeout: nil))
        let expected: String? = change == .added || change == .replaced ? "2" : nil
        #expect(try store.get(item) == expected)
    }
}
