import CTestFilters
import Foundation
import Keyutils
import SessionKeyringTesting
import TestSupport
import Testing

@testable import SessionKeyring

private let item = ItemIdentity.password(service: "plain")

/// Single attempts, none of which continues an earlier one.
@Suite("Single write attempts", .tags(.kernel))
final class PlainWriteTests {
    private let scratch: ScratchKeyring
    private let store: SecretStore

    init() throws {
        scratch = try ScratchKeyring()
        store = try scratch.store()
    }

    private var leases: Keyring {
        get throws { try scratch.keyring.search(keyring: NamespaceRings.leasesName) }
    }

    private var ring: Keyring {
        get throws { try scratch.keyring.search(keyring: "skr:default") }
    }

    private func raiseFlag() throws {
        try store.blockingUpdate(.password(service: "other"), lasting: .scope) { (_: String?) in "1" }
    }

    private func set(_ secret: String, _ effort: Effort) throws(SecretStoreError) {
        try store.backend.set(Array(secret.utf8).span.bytes, for: item, timeout: nil, nil, effort, after: nil).get()
    }

    private func add(_ secret: String, for item: ItemIdentity, _ effort: Effort) throws(SecretStoreError) {
        try store.backend.add(Array(secret.utf8).span.bytes, for: item, timeout: nil, nil, effort).get()
    }

    @Test("set, expire, add and delete take no lease without an update flag")
    func noLease() throws {
        try store.set("1", for: item)
        let added = ItemIdentity.password(service: "added")
        let ring = LeaseRing(try leases, permissions: .possessorAll)
        let first = try ring.acquire("default:\(item.keyDescription)", lasting: .seconds(600), waiting: .zero)
        let second = try ring.acquire("default:\(added.keyDescription)", lasting: .seconds(600), waiting: .zero)
        let (isFirstHeld, isSecondHeld) = (first != nil, second != nil)
        #expect(isFirstHeld && isSecondHeld)
        let effort = Effort(mayUseLastResorts: false)
        try set("2", effort)
        #expect(try store.get(item) == "2")
        #expect(try store.backend.expire(item, timeout: .longest, effort).get())
        try add("1", for: added, effort)
        #expect(try store.backend.delete(item, effort, after: nil).get())
        #expect(try !store.contains(item))
        _ = consume first
        _ = consume second
    }

    @Test("a store that knows about the update flag asks for the lease each time")
    func eachTime() throws {
        try raiseFlag()
        try store.set("1", for: item)
        let update = try store.backend.beginUpdate(of: item, lasting: .seconds(600))
        let later = try scratch.store()
        for _ in 0..<3 {
            let effort = Effort(mayUseLastResorts: false)
            let error = try storeError {
                try later.backend.set([2].span.bytes, for: item, timeout: nil, nil, effort, after: nil).get()
            }
            #expect(error?.code == .contended)
        }
        #expect(try store.get(item) == "1")
        withExtendedLifetime(update) {}
    }

    @Test("the first update waits 20 ms, until all writers know about the update flag")
    func grace() throws {
        try store.set("1", for: item)
        let begun = ContinuousClock.now
        let update = try store.backend.beginUpdate(of: item, lasting: .seconds(60))
        #expect(ContinuousClock.now - begun >= .milliseconds(20))
        withExtendedLifetime(update) {}
    }

    @Test("an error that is not about the quota removes no empty ring")
    func otherErrors() throws {
        let empty = try scratch.store(namespace: "empty")
        try empty.set("1", for: item)
        try empty.clear()
        let emptyRing = Key(try scratch.keyring.search(keyring: "skr:empty"))
        try raiseFlag()
        try store.set("1", for: item)
        let effort = Effort(mayUseLastResorts: true)
        #expect { try add("2", for: item, effort) } throws: { ($0 as? SecretStoreError)?.code == .duplicate }
        let update = try store.backend.beginUpdate(of: item, lasting: .seconds(60))
        #expect { try set("2", effort) } throws: { ($0 as? SecretStoreError)?.code == .contended }
        let error = try storeError { _ = try store.backend.beginUpdate(of: item, lasting: .seconds(1), effort).get() }
        #expect(error?.code == .contended)
        #expect(try emptyRing.describe().permissions == .possessorAll)
        #expect(try store.get(item) == "1")
        withExtendedLifetime(update) {}
    }

    @Test(
        "a restricted lease ring is reported, and nothing is written or stays staged", arguments: [false, true])
    func restrictedLeases(isFlagged: Bool) throws {
        if isFlagged { try raiseFlag() }
        try store.set("1", for: item)
        let leases = try leases
        try leases.restrict()
        let staged = try Keyring.thread.members()
        let effort = Effort(mayUseLastResorts: true)
        var uses: [(Effort) throws -> Void] = [
            { [store] in _ = try store.backend.beginUpdate(of: item, lasting: .seconds(1), $0).get() }
        ]
        if isFlagged {
            uses += [
                { [store] in _ = try store.backend.delete(item, $0, after: nil).get() },
                { [store] in _ = try store.backend.expire(item, timeout: .longest, $0).get() },
            ]
        } else {
            uses.append { [store] in _ = try store.backend.beginFetch(of: item, reserving: nil, $0).get() }
        }
        for use in uses {
            #expect(try storeError { try use(effort) }?.detail == .restricted(leases.serial))
        }
        #expect(try Keyring.thread.members() == staged)
        #expect(try store.get(item) == "1")
        #expect(try store.attributes(of: item)?.expiry == .never)
    }

    @Test("a write under a lease reports a restricted item ring and leaves nothing staged")
    func restrictedItems() throws {
        try raiseFlag()
        try store.set("1", for: item)
        let fetch = try #require(try store.backend.beginFetch(of: item))
        let ring = try ring
        try ring.restrict()
        let staged = try Keyring.thread.members()
        let effort = Effort(mayUseLastResorts: false)
        let uses: [(Effort) throws -> Void] = [
            { try self.set("2", $0) }, { try self.add("2", for: .password(service: "new"), $0) },
            { _ = try fetch.store([2].span.bytes, timeout: nil, nil, $0).get() },
        ]
        for use in uses {
            #expect { try use(effort) } throws: { ($0 as? SecretStoreError)?.detail == .restricted(ring.serial) }
        }
        #expect(try Keyring.thread.members() == staged)
        #expect(try store.get(item) == "1")
    }

    @Test("expire throws forbidden for a key that it may not change, and does not replace it")
    func fixedByOthers() throws {
        try store.set("1", for: item)
        let key = try ring.search(.user, item.keyDescription)
        try key.setPermissions(KeyPermissions.possessorAll.subtracting([.possessorSetAttribute, .possessorLink]))
        for timeout in [.longest, nil] as [KeyTimeout?] {
            let effort = Effort(mayUseLastResorts: false)
            let error = try storeError { _ = try store.backend.expire(item, timeout: timeout, effort).get() }
            #expect(error?.code == .forbidden)
        }
        #expect(try ring.search(.user, item.keyDescription) == key)
    }

    @Test("an add ends a fetch, even if the added item is gone before the fetch stores")
    func addEndsFetch() throws {
        try raiseFlag()
        let fetch = try #require(try store.backend.beginFetch(of: item))
        try store.add("1", for: item)
        let ring = try ring
        try ring.unlink(ring.search(.user, item.keyDescription))
        #expect(try !fetch.store([2].span.bytes, timeout: nil))
        #expect(try !store.contains(item))
    }

    @Test("deleteUnchanged deletes the companion only if it deletes the item")
    func unchangedKeeps() throws {
        try store.set("new", for: item, lasting: Lifetime(refreshAfter: .seconds(600)))
        #expect(try !store.deleteUnchanged(item, SecretBytes(utf8: "old")))
        #expect(try store.backend.contains(item.companion))
        #expect(try store.deleteUnchanged(item, SecretBytes(utf8: "new")))
        #expect(try !store.backend.contains(item.companion))
    }
}

@Suite("Refused system calls in writes", .tags(.kernel))
struct RefusedStepTests {
    @Test("deleteUnchanged throws the kernel's error, and keeps the item")
    func deleteUnchanged() async {
        await #expect(processExitsWith: .exitCode(0)) {
            let store = try SecretStore.inNewSession(with: item)
            // KEYCTL_INVALIDATE
            guard test_filter_install(21, ENOMEM) == 0 else { exit(2) }
            let error = try storeError { _ = try store.deleteUnchanged(item, SecretBytes(utf8: "old")) }
            succeed(4, error?.underlying?.code == .outOfMemory)
            succeed(5, try store.contains(item))
        }
    }

    @Test("an update that can't read the item throws the error")
    func read() async {
        await #expect(processExitsWith: .exitCode(0)) {
            let update = try SecretStore.inNewSession(with: item).backend.beginUpdate(of: item, lasting: .seconds(600))
            // KEYCTL_READ
            guard test_filter_install(11, ENOMEM) == 0 else { exit(2) }
            succeed(4, try storeError { _ = try update.read { _ in } }?.underlying?.code == .outOfMemory)
        }
    }
}
