import Foundation
import Keyutils
import TestSupport
import Testing

@testable import SessionKeyring

private let item = ItemIdentity.password(service: "paused")
private let other = ItemIdentity.password(service: "other")

/// The keyctl(2) operations before which these tests stop a process.
private enum Call {
    static let setPermissions: CInt = 5
    static let unlink: CInt = 9
    static let search: CInt = 10
    static let invalidate: CInt = 21
    static let move: CInt = 30
}

private func itemKey() throws -> Key {
    try Keyring.resolve(.sessionKeyring).search(keyring: "skr:default").search(.user, item.keyDescription)
}

private func plant(_ secret: String) throws {
    let ring = try Keyring.resolve(.sessionKeyring).search(keyring: "skr:default")
    try ring.add(.user, item.keyDescription, payload: Array(secret.utf8).span.bytes)
}

private func endLease() throws {
    let leases = try Keyring.resolve(.sessionKeyring).search(keyring: NamespaceRings.leasesName)
    try Key(leases.search(keyring: "default:\(item.keyDescription)")).invalidate()
}

/// Sets the update flag, and returns once all writers know about it.
private func raiseFlag(in store: SecretStore) throws {
    try store.blockingUpdate(other, lasting: .scope) { (_: String?) in "1" }
}

private func set(
    _ secret: [UInt8], in store: SecretStore, isFirst: Bool = true, after step: VisibleStep? = nil
) throws(SecretStoreError) -> Outcome<Void> {
    let effort = Effort(mayUseLastResorts: false, isFirst: isFirst)
    return try store.backend.set(secret.span.bytes, for: item, timeout: nil, nil, effort, after: step)
}

/// Makes further attempts to set the item until one succeeds.
private func setAgain(_ secret: [UInt8], in store: SecretStore, after step: VisibleStep?) -> Bool {
    becomesTrue { (try? set(secret, in: store, isFirst: false, after: step).get()) != nil }
}

/// A process whose update has read the item and is stopped right before replacing it; needs the update flag.
private func makeUpdater(in store: SecretStore) -> PausedProcess {
    let updater = PausedProcess {
        try store.blockingUpdate(item, lasting: .scope, within: .seconds(60)) { (old: String?) in (old ?? "") + "+" }
    }
    // The moves: the lease into its ring, the new key into the lease, and the new key out of the lease.
    guard updater.run(upTo: Call.move, count: 3) else { exit(80) }
    return updater
}

/// Each test stops a process between two of its system calls and lets others act.
@Suite("Writers that are stopped halfway", .tags(.kernel))
struct PausedWriteTests {
    @Test(
        "a late set wins, even if an update that had read the old item replaces it first",
        arguments: [false, true])
    func lateSet(isDisplaced: Bool) async {
        await #expect(processExitsWith: .exitCode(0)) { [isDisplaced = isDisplaced as Bool] in
            let store = try SecretStore.inNewSession(with: item)
            let late = PausedProcess {
                let outcome = try set(Array("set".utf8), in: store)
                if isDisplaced {
                    guard case .blocked(let error, let step?) = outcome, case .placed = step else { exit(3) }
                    succeed(4, error.code == .contended)
                    PausedProcess.mark()
                    succeed(5, setAgain(Array("set".utf8), in: store, after: step))
                } else {
                    try outcome.get()
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
        }
    }

    @Test("a set stopped before its write checks the update flag again and leaves nothing staged")
    func setBegunLate() async {
        await #expect(processExitsWith: .exitCode(0)) {
            let store = try SecretStore.inNewSession(with: item)
            let late = PausedProcess {
                guard case .blocked(let error, nil) = try set(Array("set".utf8), in: store) else { exit(3) }
                succeed(4, error.code == .contended)
                succeed(5, (try? Keyring.thread.search(.user, item.keyDescription)) == nil)
                PausedProcess.mark()
                succeed(6, setAgain(Array("set".utf8), in: store, after: nil))
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
        }
    }

    @Test("a set stopped before its write needs no lease without an update flag")
    func setBegunLateWithoutFlag() async {
        await #expect(processExitsWith: .exitCode(0)) {
            let store = try SecretStore.inNewSession(with: item)
            let ring = try Keyring.resolve(.sessionKeyring).search(keyring: NamespaceRings.leasesName)
            let leases = LeaseRing(ring, permissions: .possessorAll)
            let held = try leases.acquire("default:\(item.keyDescription)", lasting: .seconds(600), waiting: .zero)
            guard held != nil else { exit(2) }
            let late = PausedProcess {
                try set(Array("set".utf8), in: store).get()
            }
            succeed(3, late.run(upTo: Call.setPermissions))
            usleep(11_000)
            succeed(4, late.end() == 0)
            succeed(5, try store.get(item) == "set")
            _ = consume held
        }
    }

    @Test("a late deletion also deletes the value of an update that had read the item")
    func lateDelete() async {
        await #expect(processExitsWith: .exitCode(0)) {
            let store = try SecretStore.inNewSession(with: item)
            let late = PausedProcess {
                let effort = Effort(mayUseLastResorts: false)
                let outcome = try store.backend.delete(item, effort, after: nil)
                guard case .blocked(let error, let step?) = outcome, case .removed(true) = step else { exit(3) }
                succeed(4, error.code == .contended)
                PausedProcess.mark()
                let next = Effort(mayUseLastResorts: false, isFirst: false)
                succeed(5, becomesTrue { (try? store.backend.delete(item, next, after: step).get()) == true })
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
        }
    }

    @Test("a deletion that is stopped before its write deletes the item afterwards")
    func deleteBegunLate() async {
        await #expect(processExitsWith: .exitCode(0)) {
            let store = try SecretStore.inNewSession(with: item)
            let late = PausedProcess { succeed(2, try store.delete(item)) }
            // The searches: the lease ring, the update flag, the item.
            succeed(3, late.run(upTo: Call.search, count: 3))
            usleep(11_000)
            succeed(4, late.end() == 0)
            succeed(5, try !store.contains(item))
        }
    }

    @Test("a deletion whose lease others end removes nothing under it, then deletes the item")
    func deleteWithoutLease() async {
        await #expect(processExitsWith: .exitCode(0)) {
            let store = try SecretStore.inNewSession(with: item)
            try raiseFlag(in: store)
            let late = PausedProcess { succeed(2, try store.delete(item)) }
            succeed(3, late.run(upTo: Call.move, count: 2))
            succeed(4, try store.get(item) == "old")
            try endLease()
            succeed(5, late.end() == 0)
            succeed(6, try !store.contains(item))
        }
    }

    enum Addition: Int, CaseIterable { case plain, overDead, underLease }

    @Test("an add that loses the race to another write throws duplicate", arguments: Addition.allCases)
    func add(addition: Addition) async {
        await #expect(processExitsWith: .exitCode(0)) { [number = addition.rawValue as Int] in
            guard let addition = Addition(rawValue: number) else { exit(2) }
            let store = try SecretStore.inNewSession(with: item)
            if addition != .plain { try raiseFlag(in: store) }
            if addition == .overDead { try itemKey().revoke() } else { try store.delete(item) }
            let late = PausedProcess {
                succeed(4, try storeError { try store.add("late", for: item) }?.code == .duplicate)
            }
            // Under the lease, the third move publishes the item.
            succeed(5, late.run(upTo: Call.move, count: addition == .underLease ? 3 : 1))
            if addition == .underLease { try plant("first") } else { try store.set("first", for: item) }
            succeed(6, late.end() == 0)
            succeed(7, try store.get(item) == "first")
        }
    }

    @Test("an update of an absent item starts from a value that others add at the last moment")
    func update() async {
        await #expect(processExitsWith: .exitCode(0)) {
            let store = try SecretStore.inNewSession()
            try raiseFlag(in: store)
            let updater = makeUpdater(in: store)
            try plant("first")
            succeed(2, updater.end() == 0)
            succeed(3, try store.get(item) == "first+")
        }
    }

    @Test(
        "deleteUnchanged deletes nothing and returns false if others set or delete the item after the comparison",
        arguments: [nil, "new"])
    func deleteUnchanged(other: String?) async {
        await #expect(processExitsWith: .exitCode(0)) { [other = other as String?] in
            let store = try SecretStore.inNewSession(with: item)
            let deleter = PausedProcess { succeed(2, try !store.deleteUnchanged(item, SecretBytes(utf8: "old"))) }
            succeed(3, deleter.run(upTo: Call.invalidate))
            if let other { try store.set(other, for: item) } else { try store.delete(item) }
            succeed(4, deleter.end() == 0)
            succeed(5, try store.get(item) == other)
        }
    }

    enum Event: Int, CaseIterable { case set, add, clear, lateClear, lostRings, lostLease }

    @Test("a fetched value is not stored if the item, ring or lease changes meanwhile", arguments: Event.allCases)
    func fetch(event: Event) async {
        await #expect(processExitsWith: .exitCode(0)) { [number = event.rawValue as Int] in
            guard let event = Event(rawValue: number) else { exit(2) }
            let store = try SecretStore.inNewSession()
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
            case .lostRings: try Keyring.resolve(.sessionKeyring).clear()
            case .lostLease: try endLease()
            }
            succeed(8, late.end() == 0)
            let expected: String? = event == .set ? "set" : event == .add ? "added" : nil
            succeed(9, try store.get(item) == expected)
            withExtendedLifetime(fetch) {}
        }
    }

    @Test("making room keeps an item that has just replaced an expired one, and counts no room")
    func makingRoom() async {
        await #expect(processExitsWith: .exitCode(0)) {
            let store = try SecretStore.inNewSession()
            try raiseFlag(in: store)
            try store.storeExpired([item])
            guard let backend = store.backend as? KernelBackend else { exit(3) }
            let reaper = PausedProcess {
                let hasRoom = try backend.makeRoom(Effort())
                succeed(4, !hasRoom)
            }
            succeed(5, reaper.run(upTo: Call.move))
            try store.set("living", for: item)
            succeed(6, reaper.end() == 0)
            succeed(7, try store.get(item) == "living")
        }
    }
}
