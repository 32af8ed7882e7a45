import Foundation
import Keyutils
import TestSupport
import Testing

@testable import SessionKeyring

private let item = ItemIdentity.password(service: "api")
private let other = ItemIdentity.password(service: "other")
private let (unlink, search, setTimeout, move): (CInt, CInt, CInt, CInt) = (9, 10, 15, 30)

private func ring() throws -> Keyring { try Keyring.resolve(.sessionKeyring).search(keyring: "skr:default") }

private func endLease() throws {
    let leases = try Keyring.resolve(.sessionKeyring).search(keyring: NamespaceRings.leasesName)
    try Key(leases.search(keyring: "default:\(item.keyDescription)")).invalidate()
}

/// Creates a store whose writers use leases, in a new session.
private func flaggedStore(of user: UInt32? = nil) throws -> SecretStore {
    let store = try SecretStore.inNewSession(of: user)
    try store.blockingUpdate(other, lasting: .scope) { (_: String?) in "1" }
    return store
}

/// A login that has stored its value, and is stopped before it stores the facts about it.
private func makeWriter(in store: SecretStore) -> PausedProcess {
    let writer = PausedProcess { try store.set("token", for: item, lasting: Lifetime(refreshAfter: .seconds(600))) }
    // The moves: the lease into its ring; the value, and then the facts, into the lease and out of it.
    guard writer.run(upTo: move, count: 5) else { exit(80) }
    return writer
}

private enum NewTimeout: Int, CaseIterable {
    case shorter = 20
    case longer = 55
    case none = 0

    func apply(in store: SecretStore) throws {
        let isFound =
            try self == .none
            ? store.expire(item, timeout: nil) : store.expire(item, timeout: .seconds(rawValue))
        guard isFound else { throw Refusal() }
    }
}

/// The facts end one second after the item at the latest, and a refusal no earlier than the item.
private func areTimesInOrder(isRefused: Bool) throws -> Bool {
    let table = try KeyTable.snapshot()
    /// The time left in seconds, which the kernel shows below a minute.
    func left(_ item: ItemIdentity) throws -> Int {
        switch table[try ring().search(.user, item.keyDescription).serial]?.expiry {
        case .never?: .max
        case .left(let left)?: Int(left.atLeast.components.seconds)
        default: throw Refusal()
        }
    }
    let (value, facts) = (try left(item), try left(item.companion))
    return isRefused ? facts >= value : facts <= value || facts - 1 <= value
}

private func value(_ count: Int) -> [UInt8] { [UInt8](repeating: 1, count: count) }

/// Tests of the facts about a value whose writer is stopped, dies or has no room.
@Suite("The facts of a writer that is stopped halfway", .tags(.kernel))
struct StoppedCompanionTests {
    @Test("a value that is refused before the facts about it are stored stays refused")
    func refusal() async {
        await #expect(processExitsWith: .exitCode(0)) {
            let store = try flaggedStore()
            let writer = makeWriter(in: store)
            succeed(2, try store.get(item) == "token" && store.facts(of: item) == nil)
            let isRefused = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                if (try? store.invalidate("token", for: item)) == true { isRefused.signal() }
            }
            succeed(3, isRefused.wait(timeout: .now() + .milliseconds(50)) == .timedOut)
            succeed(4, writer.end() == 0)
            succeed(5, isRefused.wait(timeout: .now() + 20) == .success)
            let facts = try store.facts(of: item)
            succeed(6, facts?.isRefused == true && facts?.freshness != .never)
            exit(0)
        }
    }

    @Test("a refusal that a clear overtakes leaves nothing")
    func clearedRefusal() async {
        await #expect(processExitsWith: .exitCode(0)) {
            let store = try flaggedStore()
            try store.set("token", for: item, lasting: Lifetime(refreshAfter: .seconds(600)))
            let refusal = PausedProcess { succeed(2, try !store.invalidate("token", for: item)) }
            // The moves: the lease into its ring, the facts into the lease and out of it.
            succeed(3, refusal.run(upTo: move, count: 3))
            try store.clear()
            succeed(4, refusal.end() == 0)
            succeed(5, (try? ring().search(.user, item.companion.keyDescription)) == nil)
        }
    }

    @Test(
        "a deletion that loses its lease ends a fetch all the same, and removes nothing later",
        arguments: [false, true])
    func deleteWithoutLease(isThere: Bool) async {
        await #expect(processExitsWith: .exitCode(0)) { [isThere = isThere as Bool] in
            let store = try flaggedStore()
            if isThere { try store.set("token", for: item, lasting: Lifetime(refreshAfter: .seconds(600))) }
            let fetch = try store.backend.beginFetch(of: item)
            let deletion = PausedProcess { succeed(2, try store.delete(item) == isThere) }
            // The moves: the lease into its ring, the key into the lease. Then the watch is searched.
            succeed(3, deletion.run(upTo: move, count: isThere ? 2 : 1))
            succeed(4, deletion.run(upTo: isThere ? unlink : search))
            try endLease()
            // A value that is stored after the removal stays.
            if isThere { try store.set("new", for: item) }
            succeed(5, deletion.end() == 0)
            succeed(6, try fetch?.store([1].span.bytes, timeout: nil) == false)
            succeed(7, try store.get(item) == (isThere ? "new" : nil))
        }
    }

    @Test("an expire that began before the writers used leases keeps a refusal as long as its value")
    func lateExpire() async {
        await #expect(processExitsWith: .exitCode(0)) {
            let store = try SecretStore.inNewSession(with: item)
            let late = PausedProcess { succeed(2, try store.expire(item, timeout: .seconds(55))) }
            succeed(3, late.run(upTo: setTimeout))
            try store.set("token", for: item, lasting: Lifetime(.seconds(20), refreshAfter: .seconds(10)))
            succeed(4, try store.invalidate("token", for: item))
            succeed(5, late.end() == 0)
            succeed(6, try areTimesInOrder(isRefused: true))
        }
    }

    enum Loss: Int, CaseIterable { case lease, process }

    @Test("a login that loses its lease or dies after its value leaves a value that is due", arguments: Loss.allCases)
    func login(loss: Loss) async {
        await #expect(processExitsWith: .exitCode(0)) { [number = loss.rawValue as Int] in
            let store = try flaggedStore()
            // Facts about an older value.
            try store.set("token", for: item, lasting: Lifetime(refreshAfter: .seconds(600)))
            succeed(2, try store.invalidate("token", for: item))
            let writer = makeWriter(in: store)
            if number == Loss.process.rawValue {
                writer.kill()
            } else {
                try endLease()
                succeed(3, writer.end() == 0)
            }
            succeed(4, try store.get(item) == "token")
            succeed(5, try store.facts(of: item) == nil)
            try store.set("token", for: item, lasting: Lifetime(refreshAfter: .seconds(600)))
            succeed(6, try store.facts(of: item) != nil)
        }
    }

    /// Kills an expire before each of its keyring calls.
    @Test(
        "if an expire dies, a refusal lasts as long as its value, and facts don't outlive one that ends sooner",
        arguments: NewTimeout.allCases, [false, true])
    private func expire(new: NewTimeout, isRefused: Bool) async {
        await #expect(processExitsWith: .exitCode(0)) { [number = new.rawValue as Int, isRefused = isRefused as Bool] in
            guard let new = NewTimeout(rawValue: number) else { exit(2) }
            let store = try flaggedStore()
            var (calls, isOver) = (0, false)
            while !isOver {
                try store.set("token", for: item, lasting: Lifetime(.seconds(50), refreshAfter: .seconds(45)))
                if isRefused { succeed(3, try store.invalidate("token", for: item)) }
                let before = try store.facts(of: item)
                let dying = PausedProcess { try new.apply(in: store) }
                for _ in 0..<calls where !isOver { isOver = !dying.step() }
                if !isOver { dying.kill() }
                succeed(4, try store.facts(of: item) == before && before?.isRefused == isRefused)
                if isRefused || new == .shorter { succeed(5, try areTimesInOrder(isRefused: isRefused)) }
                try new.apply(in: store)
                succeed(6, try store.facts(of: item) == before)
                succeed(7, try areTimesInOrder(isRefused: isRefused))
                calls += 1
            }
            succeed(8, calls > 8)
        }
    }

    @Test(
        "if the quota has room for the value alone, it is stored and due, as a last resort", .tags(.root),
        .enabled(if: isRoot, "needs root to become another user"))
    func quota() async {
        await #expect(processExitsWith: .exitCode(0)) {
            let store = try flaggedStore(of: 60_274)
            guard let fetch = try store.backend.beginFetch(of: item) else { exit(2) }
            for _ in 0..<20 { _ = GracePeriod.pass() }
            let quota = try KeyQuota.current()
            var room = 1_000
            _ = try Keyring.thread.add(
                .user, "first", payload: value(quota.maximumBytes - quota.bytes - room - 50).span.bytes)
            // An update of a key can't be longer than a page.
            let second = try Keyring.thread.add(.user, "second", payload: value(room).span.bytes)
            var storage: FetchStorage?
            while storage == nil, room > 16 {
                room -= 16
                try second.update(value(room).span.bytes)
                // The kernel frees late what the failed attempt has staged.
                for _ in 0..<20 { _ = GracePeriod.pass() }
                do throws(SecretStoreError) {
                    let effort = Effort(mayUseLastResorts: true)
                    let facts = ItemFacts(freshness: .always)
                    storage = try fetch.store(Array("token".utf8).span.bytes, timeout: nil, facts, effort).get()
                } catch {
                    succeed(3, error.code == .quotaExceeded)
                }
            }
            succeed(4, storage == .valueAlone)
            succeed(5, try store.get(item) == "token")
            succeed(6, try store.facts(of: item) == nil)
        }
    }
}
