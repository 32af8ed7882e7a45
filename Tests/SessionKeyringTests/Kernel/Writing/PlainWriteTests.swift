import CTestFilters
import Foundation
import Keyutils
import SessionKeyringTesting
import TestSupport
import Testing

@testable import SessionKeyring

private let item = ItemIdentity.password(service: "plain")

/// Single attempts, some of which continue from the progress of an earlier attempt.
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
        try store.blockingUpdate(.password(service: "other"), timeout: nil) { (_: String?) in "1" }
    }

    private func set(_ secret: String, _ attempt: inout BackendAttempt) throws(SecretStoreError) {
        let bytes = Array(secret.utf8)
        try store.backend.set(bytes.span.bytes, for: item, timeout: nil, &attempt)
    }

    private func add(
        _ secret: String, for item: ItemIdentity, _ attempt: inout BackendAttempt
    ) throws(SecretStoreError) {
        let bytes = Array(secret.utf8)
        try store.backend.add(bytes.span.bytes, for: item, timeout: nil, &attempt)
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
        var attempt = BackendAttempt(mayUseLastResorts: false)
        try set("2", &attempt)
        #expect(try store.get(item) == "2")
        #expect(try store.backend.expire(item, timeout: .longest, &attempt))
        try add("1", for: added, &attempt)
        #expect(try store.backend.delete(item, &attempt))
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
            var attempt = BackendAttempt(mayUseLastResorts: false)
            let bytes: [UInt8] = [2]
            #expect { try later.backend.set(bytes.span.bytes, for: item, timeout: nil, &attempt) } throws: {
                ($0 as? SecretStoreError)?.code == .contended
            }
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
        var attempt = BackendAttempt(mayUseLastResorts: true)
        #expect { try add("2", for: item, &attempt) } throws: { ($0 as? SecretStoreError)?.code == .duplicate }
        let update = try store.backend.beginUpdate(of: item, lasting: .seconds(60))
        #expect { try set("2", &attempt) } throws: { ($0 as? SecretStoreError)?.code == .contended }
        attempt = BackendAttempt(mayUseLastResorts: true)
        #expect { _ = try store.backend.beginUpdate(of: item, lasting: .seconds(1), &attempt) } throws: {
            ($0 as? SecretStoreError)?.code == .contended
        }
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
        var attempt = BackendAttempt(mayUseLastResorts: true)
        var uses: [(inout BackendAttempt) throws -> Void] = [
            { [store] in _ = try store.backend.beginUpdate(of: item, lasting: .seconds(1), &$0) }
        ]
        if isFlagged {
            uses += [
                { [store] in _ = try store.backend.delete(item, &$0) },
                { [store] in _ = try store.backend.expire(item, timeout: .longest, &$0) },
            ]
        } else {
            uses.append { [store] in _ = try store.backend.beginFetch(of: item, &$0) }
        }
        for use in uses {
            #expect { try use(&attempt) } throws: {
                ($0 as? SecretStoreError)?.detail == .restricted(leases.serial)
            }
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
        var attempt = BackendAttempt(mayUseLastResorts: false)
        let bytes: [UInt8] = [2]
        let uses: [(inout BackendAttempt) throws -> Void] = [
            { try self.set("2", &$0) }, { try self.add("2", for: .password(service: "new"), &$0) },
            { _ = try fetch.store(bytes.span.bytes, timeout: nil, &$0) },
        ]
        for use in uses {
            #expect { try use(&attempt) } throws: { ($0 as? SecretStoreError)?.detail == .restricted(ring.serial) }
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
            var attempt = BackendAttempt(mayUseLastResorts: false)
            #expect { _ = try store.backend.expire(item, timeout: timeout, &attempt) } throws: {
                ($0 as? SecretStoreError)?.code == .forbidden
            }
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
        let bytes: [UInt8] = [2]
        #expect(try !fetch.store(bytes.span.bytes, timeout: nil))
        #expect(try !store.contains(item))
    }

    @Test("deleteUnchanged deletes the freshness sentinel only if it deletes the item")
    func unchangedKeeps() throws {
        try store.set("new", for: item, refreshAfter: .seconds(600))
        #expect(try !store.deleteUnchanged(item, SecretBytes(utf8: "old")))
        #expect(try store.backend.contains(item.freshnessSentinel))
        #expect(try store.deleteUnchanged(item, SecretBytes(utf8: "new")))
        #expect(try !store.backend.contains(item.freshnessSentinel))
    }
}

@Suite("Refused system calls in writes", .tags(.kernel))
struct RefusedStepTests {
    @Test("an add or update throws the error if the kernel refuses an unlink")
    func unlink() async {
        await #expect(processExitsWith: .exitCode(0)) {
            try TestSession.join()
            let store = try SecretStore()
            let (added, updated) = (ItemIdentity.password(service: "a"), ItemIdentity.password(service: "u"))
            let emptied = ItemIdentity.password(service: "e")
            try store.set("old", for: updated)
            try store.set("old", for: emptied, refreshAfter: .seconds(600))
            guard let first = try store.backend.beginFetch(of: added),
                let second = try store.backend.beginFetch(of: updated)
            else { exit(2) }
            // KEYCTL_UNLINK
            guard test_filter_install(9, ENOMEM) == 0 else { exit(3) }
            for use in [
                { try store.add("new", for: added) },
                { try store.blockingUpdate(updated, timeout: nil) { (_: String?) in "new" } },
                { try store.blockingUpdate(emptied, timeout: nil) { (_: String?) in nil } },
            ] as [() throws -> Void] {
                do {
                    try use()
                    exit(4)
                } catch let error as SecretStoreError {
                    succeed(5, error.underlying?.code == .outOfMemory)
                }
            }
            withExtendedLifetime((first, second)) {}
            exit(0)
        }
    }

    @Test("deleteUnchanged throws the kernel's error, and keeps the item")
    func deleteUnchanged() async {
        await #expect(processExitsWith: .exitCode(0)) {
            try TestSession.join()
            let store = try SecretStore()
            try store.set("old", for: item)
            // KEYCTL_INVALIDATE
            guard test_filter_install(21, ENOMEM) == 0 else { exit(2) }
            do throws(SecretStoreError) {
                _ = try store.deleteUnchanged(item, SecretBytes(utf8: "old"))
                exit(3)
            } catch let failure {
                succeed(4, failure.underlying?.code == .outOfMemory)
            }
            succeed(5, try store.contains(item))
            exit(0)
        }
    }

    @Test("an update that can't read the item throws the error")
    func read() async {
        await #expect(processExitsWith: .exitCode(0)) {
            try TestSession.join()
            let store = try SecretStore()
            try store.set("old", for: item)
            let update = try store.backend.beginUpdate(of: item, lasting: .seconds(600))
            // KEYCTL_READ
            guard test_filter_install(11, ENOMEM) == 0 else { exit(2) }
            do throws(SecretStoreError) {
                _ = try update.read { _ in }
                exit(3)
            } catch {
                succeed(4, error.underlying?.code == .outOfMemory)
            }
            exit(0)
        }
    }

    @Test(
        "a fetch in another user's session throws foreignSession", .tags(.ordinaryUser),
        .enabled(if: isRoot, "becomes another user"))
    func foreignSession() async {
        await #expect(processExitsWith: .exitCode(0)) {
            try TestSession.join()
            OrdinaryUser.become(60_383)
            let store = try SecretStore()
            do throws(SecretStoreError) {
                _ = try store.backend.beginFetch(of: item)
                exit(2)
            } catch {
                succeed(3, error.code == .foreignSession(ownerID: 0))
            }
            exit(0)
        }
    }
}
