import Foundation
import Keyutils
import TestSupport
import Testing

@testable import SessionKeyring

private let item = ItemIdentity.password(service: "paused")
private let other = ItemIdentity.password(service: "other")

/// The operations of keyctl(2) before which a process stands here.
private enum Call {
    static let update: CInt = 2
    static let setPermissions: CInt = 5
    static let describe: CInt = 6
    static let link: CInt = 8
    static let unlink: CInt = 9
    static let search: CInt = 10
    static let setTimeout: CInt = 15
    static let move: CInt = 30
}

private func canWrite(_ text: String, to key: Key) -> Bool {
    let bytes = Array(text.utf8)
    do throws(KeyringError) {
        try key.update(bytes.span.bytes)
        return true
    } catch {
        return false
    }
}

private func itemKey() throws -> Key {
    try Keyring.resolve(.sessionKeyring).search(keyring: "skr:default").search(.user, item.keyDescription)
}

private func plant(_ secret: String) throws {
    let bytes = Array(secret.utf8)
    let ring = try Keyring.resolve(.sessionKeyring).search(keyring: "skr:default")
    try ring.add(.user, item.keyDescription, payload: bytes.span.bytes)
}

private func endLease() throws {
    let leases = try Keyring.resolve(.sessionKeyring).search(keyring: NamespaceRings.leasesName)
    try Key(leases.search(keyring: "default:\(item.keyDescription)")).invalidate()
}

/// Has all writers use leases, for long enough that all know it.
private func raiseFlag(in store: SecretStore) throws {
    try store.blockingUpdate(other, timeout: nil) { (_: String?) in "1" }
}

private func set(
    _ secret: [UInt8], in store: SecretStore, timeout: KeyTimeout? = nil, _ attempt: inout BackendAttempt
) throws(SecretStoreError) {
    try store.backend.set(secret.span.bytes, for: item, timeout: timeout, &attempt)
}

/// An updater that has seen the item, and stands right before it displaces it, in a namespace with the update flag.
private func makeUpdater(in store: SecretStore) -> PausedProcess {
    let updater = PausedProcess {
        try store.blockingUpdate(item, timeout: nil, lasting: .seconds(60)) { (old: String?) in (old ?? "") + "+" }
    }
    // Into the leases, into the lease, and out of it.
    guard updater.run(upTo: Call.move, count: 3) else { exit(80) }
    return updater
}

/// What others do while a process stands between two of its calls.
@Suite("A writer that is stopped in the middle", .tags(.kernel))
struct PausedWriteTests {
    @Test(
        "a set that comes late is the last word, be it displaced by an update that had seen the old item or not",
        arguments: [false, true])
    func lateSet(isDisplaced: Bool) async {
        await #expect(processExitsWith: .exitCode(0)) { [isDisplaced = isDisplaced as Bool] in
            try TestSession.join()
            let store = try SecretStore()
            try store.set("old", for: item)
            let late = PausedProcess {
                var attempt = BackendAttempt(mayUseLastResorts: false)
                if isDisplaced {
                    do throws(SecretStoreError) {
                        try set(Array("set".utf8), in: store, &attempt)
                        _exit(2)
                    } catch {
                        succeed(3, error.code == .contended)
                    }
                    succeed(4, attempt.progress?.lateKey != nil && attempt.progress?.isVisible == true)
                    PausedProcess.mark()
                    succeed(5, becomesTrue { (try? set(Array("set".utf8), in: store, &attempt)) != nil })
                } else {
                    try set(Array("set".utf8), in: store, &attempt)
                }
            }
            succeed(6, late.run(upTo: Call.move))
            try raiseFlag(in: store)
            if isDisplaced {
                let updater = makeUpdater(in: store)
                succeed(7, late.standsAtMark())
                succeed(8, try store.get(item) == "set")
                succeed(9, updater.end() == 0)
                succeed(10, try store.get(item) == "old+")
            }
            succeed(11, late.end() == 0)
            succeed(12, try store.get(item) == "set")
            exit(0)
        }
    }

    @Test("a set that is stopped before it may write looks for the update flag again, and leaves nothing staged")
    func setBegunLate() async {
        await #expect(processExitsWith: .exitCode(0)) {
            try TestSession.join()
            let store = try SecretStore()
            try store.set("old", for: item)
            let late = PausedProcess {
                var attempt = BackendAttempt(mayUseLastResorts: false)
                do throws(SecretStoreError) {
                    try set(Array("set".utf8), in: store, &attempt)
                    _exit(2)
                } catch {
                    succeed(3, error.code == .contended)
                }
                succeed(4, attempt.progress?.lateKey == nil)
                succeed(5, (try? Keyring.thread.search(.user, item.keyDescription)) == nil)
                PausedProcess.mark()
                succeed(6, becomesTrue { (try? set(Array("set".utf8), in: store, &attempt)) != nil })
            }
            succeed(7, late.run(upTo: Call.setPermissions))
            try raiseFlag(in: store)
            var update: (any ItemUpdate)? = try store.backend.beginUpdate(of: item, lasting: .seconds(60))
            succeed(8, late.standsAtMark())
            succeed(9, try store.get(item) == "old")
            withExtendedLifetime(update) {}
            update = nil
            succeed(10, late.end() == 0)
            succeed(11, try store.get(item) == "set")
            exit(0)
        }
    }

    @Test("a set that is stopped before it may write needs no lease where nobody updates")
    func setBegunLateWithoutFlag() async {
        await #expect(processExitsWith: .exitCode(0)) {
            let session = try TestSession.join()
            let store = try SecretStore()
            try store.set("old", for: item)
            let leases = LeaseRing(
                try session.search(keyring: NamespaceRings.leasesName), permissions: .possessorAll)
            let held = try leases.acquire("default:\(item.keyDescription)", lasting: .seconds(600), waiting: .zero)
            guard held != nil else { exit(2) }
            let late = PausedProcess {
                var attempt = BackendAttempt(mayUseLastResorts: false)
                try set(Array("set".utf8), in: store, &attempt)
            }
            succeed(3, late.run(upTo: Call.setPermissions))
            usleep(11_000)
            succeed(4, late.end() == 0)
            succeed(5, try store.get(item) == "set")
            _ = consume held
            exit(0)
        }
    }

    @Test("a deletion that comes late deletes what an update that had seen the item puts there, and tells that it has")
    func lateDelete() async {
        await #expect(processExitsWith: .exitCode(0)) {
            try TestSession.join()
            let store = try SecretStore()
            try store.set("old", for: item)
            let late = PausedProcess {
                var attempt = BackendAttempt(mayUseLastResorts: false)
                do throws(SecretStoreError) {
                    _ = try store.backend.delete(item, &attempt)
                    _exit(2)
                } catch {
                    succeed(3, error.code == .contended)
                }
                succeed(4, attempt.progress?.isDeleted == true && attempt.progress?.isVisible == true)
                PausedProcess.mark()
                succeed(5, becomesTrue { (try? store.backend.delete(item, &attempt)) == true })
            }
            succeed(6, late.run(upTo: Call.unlink))
            try raiseFlag(in: store)
            let updater = makeUpdater(in: store)
            succeed(7, late.standsAtMark())
            succeed(8, try !store.contains(item))
            succeed(9, updater.end() == 0)
            succeed(10, try store.get(item) == "old+")
            succeed(11, late.end() == 0)
            succeed(12, try !store.contains(item))
            exit(0)
        }
    }

    @Test("a deletion that is stopped before it may write begins again, and deletes")
    func deleteBegunLate() async {
        await #expect(processExitsWith: .exitCode(0)) {
            try TestSession.join()
            let store = try SecretStore()
            try store.set("old", for: item)
            let late = PausedProcess { succeed(2, try store.delete(item)) }
            // The leases' ring, the flag, the item.
            succeed(3, late.run(upTo: Call.search, count: 3))
            usleep(11_000)
            succeed(4, late.end() == 0)
            succeed(5, try !store.contains(item))
            exit(0)
        }
    }

    @Test("a deletion whose lease others end has removed nothing under it, and takes another")
    func deleteWithoutLease() async {
        await #expect(processExitsWith: .exitCode(0)) {
            try TestSession.join()
            let store = try SecretStore()
            try store.set("old", for: item)
            try raiseFlag(in: store)
            let late = PausedProcess { succeed(2, try store.delete(item)) }
            succeed(3, late.run(upTo: Call.move, count: 2))
            succeed(4, try store.get(item) == "old")
            try endLease()
            succeed(5, late.end() == 0)
            succeed(6, try !store.contains(item))
            exit(0)
        }
    }

    enum Addition: Int, CaseIterable { case plain, overDead, underLease }

    @Test("an add that another one outruns is told that the item is there", arguments: Addition.allCases)
    func add(addition: Addition) async {
        await #expect(processExitsWith: .exitCode(0)) { [number = addition.rawValue as Int] in
            guard let addition = Addition(rawValue: number) else { exit(2) }
            try TestSession.join()
            let store = try SecretStore()
            try store.set("old", for: item)
            if addition != .plain { try raiseFlag(in: store) }
            if addition == .overDead { try itemKey().revoke() } else { try store.delete(item) }
            let late = PausedProcess {
                do throws(SecretStoreError) {
                    try store.add("late", for: item)
                    _exit(3)
                } catch {
                    succeed(4, error.code == .duplicate)
                }
            }
            // Under the lease, the third move is the one into the item's place.
            succeed(5, late.run(upTo: Call.move, count: addition == .underLease ? 3 : 1))
            if addition == .underLease { try plant("first") } else { try store.set("first", for: item) }
            succeed(6, late.end() == 0)
            succeed(7, try store.get(item) == "first")
            exit(0)
        }
    }

    @Test("an update of an absent item that somebody adds at the last moment goes by what is there")
    func update() async {
        await #expect(processExitsWith: .exitCode(0)) {
            try TestSession.join()
            let store = try SecretStore()
            try raiseFlag(in: store)
            let updater = makeUpdater(in: store)
            try plant("first")
            succeed(2, updater.end() == 0)
            succeed(3, try store.get(item) == "first+")
            exit(0)
        }
    }

    enum Change: Int, CaseIterable { case whileSealing, behindSeal, ofOtherMaking }

    @Test("a deletion of what is unchanged lets nobody write behind its last look", arguments: Change.allCases)
    func deleteUnchanged(change: Change) async {
        await #expect(processExitsWith: .exitCode(0)) { [number = change.rawValue as Int] in
            guard let change = Change(rawValue: number) else { exit(2) }
            try TestSession.join()
            let store = try SecretStore()
            try store.set("old", for: item)
            let key = try itemKey()
            let permissions: KeyPermissions = change == .ofOtherMaking ? [.possessorAll, .userView] : .possessorAll
            try key.setPermissions(permissions)
            let deleter = PausedProcess {
                succeed(3, try store.deleteUnchanged(item, SecretBytes(utf8: "old")) == (change == .behindSeal))
            }
            succeed(4, deleter.run(upTo: change == .ofOtherMaking ? Call.describe : Call.setPermissions))
            if change == .behindSeal { succeed(5, deleter.step()) }
            let isWritten = canWrite("new", to: key)
            succeed(6, isWritten == (change != .behindSeal))
            succeed(7, deleter.end() == 0)
            if change == .behindSeal {
                succeed(8, try !store.contains(item))
            } else {
                succeed(9, try store.get(item) == "new")
                succeed(10, try itemKey() == key && key.describe().permissions == permissions)
            }
            exit(0)
        }
    }

    enum Event: Int, CaseIterable { case set, add, clear, lateClear, lostRings, lostLease }

    @Test("what a fetch brings is not stored over what happens while it is being stored", arguments: Event.allCases)
    func fetch(event: Event) async {
        await #expect(processExitsWith: .exitCode(0)) { [number = event.rawValue as Int] in
            guard let event = Event(rawValue: number) else { exit(2) }
            let session = try TestSession.join()
            let store = try SecretStore()
            try raiseFlag(in: store)
            if event == .set { try store.set("old", for: item) }
            guard let fetch = try store.backend.beginFetch(of: item) else { exit(3) }
            let bytes = Array("fetched".utf8)
            let late = PausedProcess {
                do throws(SecretStoreError) {
                    let isStored = try fetch.store(bytes.span.bytes, timeout: nil)
                    succeed(4, !isStored && event != .lostLease)
                } catch {
                    succeed(5, error.code == .leaseLost && event == .lostLease)
                }
            }
            succeed(6, late.run(upTo: Call.move, count: event == .set ? 1 : 3))
            if event == .lateClear || event == .lostRings { succeed(7, late.step()) }
            switch event {
            case .set: try store.set("set", for: item)
            case .add: try plant("added")
            case .clear, .lateClear: try store.clear()
            case .lostRings: try session.clear()
            case .lostLease: try endLease()
            }
            succeed(8, late.end() == 0)
            let expected: String? = event == .set ? "set" : event == .add ? "added" : nil
            succeed(9, try store.get(item) == expected)
            withExtendedLifetime(fetch) {}
            exit(0)
        }
    }

    @Test("a fetch that can't look whether its result may stay is through once it can, with what it has placed")
    func fetchContinued() async {
        await #expect(processExitsWith: .exitCode(0)) {
            let session = try TestSession.join()
            let store = try SecretStore()
            try raiseFlag(in: store)
            guard let fetch = try store.backend.beginFetch(of: item) else { exit(2) }
            let bytes = Array("fetched".utf8)
            let late = PausedProcess {
                var attempt = BackendAttempt(mayUseLastResorts: false)
                do throws(SecretStoreError) {
                    _ = try fetch.store(bytes.span.bytes, timeout: nil, &attempt)
                    _exit(3)
                } catch {
                    succeed(4, error.code == .forbidden)
                }
                succeed(5, attempt.progress?.placedKey != nil && attempt.progress?.isVisible == true)
                PausedProcess.mark()
                let isStored = try fetch.store(bytes.span.bytes, timeout: nil, &attempt)
                succeed(6, isStored)
            }
            succeed(7, late.run(upTo: Call.move, count: 3) && late.step())
            let ring = Key(try session.search(keyring: "skr:default"))
            // Its owner may change that, who does not possess it any more.
            try ring.setPermissions(KeyPermissions.possessorAll.subtracting(.possessorSearch).union(.userSetAttribute))
            succeed(8, late.standsAtMark())
            try ring.setPermissions(.possessorAll)
            succeed(9, late.end() == 0)
            succeed(10, try store.get(item) == "fetched")
            withExtendedLifetime(fetch) {}
            exit(0)
        }
    }

    @Test("who makes room leaves an item that is set at the place of an expired one, and counts no room")
    func makingRoom() async {
        await #expect(processExitsWith: .exitCode(0)) {
            try TestSession.join()
            let store = try SecretStore()
            try raiseFlag(in: store)
            try store.set("brief", for: item, timeout: .seconds(1))
            succeed(2, try becomesTrue(within: 2.1) { try !store.contains(item) })
            guard let backend = store.backend as? KernelBackend else { exit(3) }
            let reaper = PausedProcess {
                var attempt = BackendAttempt(mayUseLastResorts: true)
                let hasRoom = try backend.makeRoom(&attempt)
                succeed(4, !hasRoom)
            }
            succeed(5, reaper.run(upTo: Call.move))
            try store.set("living", for: item)
            succeed(6, reaper.end() == 0)
            succeed(7, try store.get(item) == "living")
            exit(0)
        }
    }
}

/// Each test is a user of its own, who has 20,000 bytes.
@Suite(
    "A write in place that is stopped in the middle", .tags(.kernel, .ordinaryUser),
    .enabled(if: isRoot, "needs root, to become several users")
)
struct PausedOverwriteTests {
    private static let (old, new) = ([UInt8](repeating: 1, count: 15_000), [UInt8](repeating: 2, count: 15_000))

    /// One that sets the item where there is no room beside the old one, until it is through.
    private static func writer(in store: SecretStore, timeout: KeyTimeout?) -> PausedProcess {
        PausedProcess {
            let isDone = becomesTrue {
                var attempt = BackendAttempt(mayUseLastResorts: true)
                return (try? set(new, in: store, timeout: timeout, &attempt)) != nil
            }
            succeed(70, isDone)
        }
    }

    @Test("killed before it sets the timeout, it is finished by the next one who looks, with the whole timeout")
    func killed() async {
        await #expect(processExitsWith: .exitCode(0)) {
            try OrdinaryUser.becomeInNewSession(60_371)
            let store = try SecretStore()
            try store.set(Self.old, for: item, timeout: .seconds(60))
            let writer = try Self.writer(in: store, timeout: KeyTimeout(.seconds(600)))
            succeed(2, writer.run(upTo: Call.setTimeout))
            writer.kill()
            _ = try store.items()
            succeed(3, try store.get(item) == Self.new)
            guard case .after(let left)? = try store.attributes(of: item)?.expiry else { exit(4) }
            succeed(5, left.atLeast > .seconds(100))
            exit(0)
        }
    }

    @Test("it is through only when the value is there, if it loses its lease or the old item in between")
    func beginsAgain() async {
        await #expect(processExitsWith: .exitCode(0)) {
            try OrdinaryUser.becomeInNewSession(60_372)
            let store = try SecretStore()
            try store.set(Self.old, for: item, timeout: .seconds(60))
            let writer = try Self.writer(in: store, timeout: KeyTimeout(.seconds(600)))
            succeed(2, writer.run(upTo: Call.update))
            try endLease()
            succeed(3, writer.end() == 0)
            succeed(4, try store.get(item) == Self.new)
            try store.set(Self.old, for: item, timeout: .seconds(60))
            let next = Self.writer(in: store, timeout: nil)
            // Its lease has the old key then.
            succeed(5, next.run(upTo: Call.link) && next.step())
            let charged = try KeyQuota.current().bytes
            try itemKey().invalidate()
            succeed(6, try becomesTrue { try KeyQuota.current().bytes <= charged - 15_000 })
            succeed(7, next.end() == 0)
            succeed(8, try store.get(item) == Self.new)
            exit(0)
        }
    }
}
