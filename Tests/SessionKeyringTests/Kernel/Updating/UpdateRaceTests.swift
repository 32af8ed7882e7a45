import CTestFilters
import Foundation
import Keyutils
import SessionKeyring
import SessionKeyringTesting
import TestSupport
import Testing
import Threads

private let enough = ItemIdentity.password(service: "enough")
private let counter = ItemIdentity.password(service: "counter")

/// How often each process has added one, and how often the item was set.
private struct Tally: Codable {
    var added: [Int] = [0, 0, 0, 0]
    var sets = 0
}

@Suite("Updates of several processes", .tags(.kernel, .long))
struct UpdateRaceTests {
    @Test("8 processes that each add 1,000 to one counter reach 8,000")
    func counting() async throws {
        let scratch = try ScratchKeyring()
        let serial = scratch.keyring.serial.rawValue
        try await concurrently(8) { _ in
            await #expect(processExitsWith: .exitCode(0)) { [serial = serial as Int32] in
                let store = try SecretStore(.keyring(KeySerial(rawValue: serial)))
                for _ in 0..<1_000 {
                    try blocking {
                        try store.blockingUpdate(counter, lasting: .scope, waiting: .seconds(60)) { (old: Int?) in
                            (old ?? 0) + 1
                        }
                    }
                }
            }
        }
        #expect(try scratch.store().get(counter) == 8_000)
    }

    @Test("holders that are stopped beyond their lease write nothing, and no update is lost")
    func stopped() async throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        let serial = scratch.keyring.serial.rawValue
        print("seed \(testSeed)")
        // On a separate thread, because the threads of the pool wait for the processes.
        Thread.detachNewThread {
            stopSomebody(30, at: store)
            #expect(throws: Never.self) { try store.set("", for: enough) }
        }
        try await concurrently(4) { process in
            await #expect(processExitsWith: .exitCode(0)) { [serial = serial as Int32, process = process as Int] in
                try addUp(as: process, in: SecretStore(.keyring(KeySerial(rawValue: serial))))
            }
        }
        let added = try #require(try store.get(counter, as: Tally.self)).added
        print("updates between stops: \(added)")
        #expect(!added.contains(0))
    }

    @Test("holders that are killed lose no other process's update")
    func killed() async throws {
        let scratch = try ScratchKeyring()
        let serial = scratch.keyring.serial.rawValue
        print("seed \(testSeed)")
        let seed = testSeed
        try await concurrently(4) { process in
            for life in 0..<12 {
                await #expect(processExitsWith: .signal(SIGKILL)) {
                    [serial = serial as Int32, process = process as Int, life = life as Int, seed = seed as UInt64] in
                    var random = Choices(seed: seed, stream: UInt64(process * 100 + life))
                    let delay = UInt32.random(in: 500...20_000, using: &random)
                    let store = try SecretStore(.keyring(KeySerial(rawValue: serial)))
                    Thread.detachNewThread {
                        usleep(delay)
                        kill(getpid(), SIGKILL)
                    }
                    try addUp(as: process, in: store)
                }
            }
        }
        let total = try #require(try scratch.store().get(counter, as: Tally.self)).added.reduce(0, +)
        print("updates completed by killed processes: \(total)")
        #expect(total > 0)
    }

    /// The arguments are the system calls of an update: operations from `<linux/keyctl.h>`, and -2 for `add_key`.
    @Test(
        "an updater killed before any of its system calls leaves the old value, and blocks nobody",
        arguments: [-2, 5, 30, 10, 11] as [CInt])
    func killedExactly(step: CInt) async throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        try store.set("1", for: counter)
        let serial = scratch.keyring.serial.rawValue
        await #expect(processExitsWith: .signal(SIGSYS)) { [serial = serial as Int32, step = step as CInt] in
            let store = try SecretStore(.keyring(KeySerial(rawValue: serial)))
            try blocking { try store.blockingUpdate(counter, lasting: .scope) { (_: String?) in "2" } }
            guard test_filter_install(step, 0) == 0 else { exit(3) }
            try blocking {
                try store.blockingUpdate(counter, lasting: .scope, within: .milliseconds(200)) { (_: String?) in "3" }
            }
            exit(0)
        }
        #expect(try await store.update(counter, lasting: .scope) { (old: String?) in (old ?? "") + "+" } == "2+")
    }

    @Test(
        "a set during an update is not lost", .tags(.root),
        .enabled(if: isRoot, "needs root, because it creates 450 keys"))
    func setAgainstUpdates() async throws {
        let scratch = try ScratchKeyring()
        let serial = scratch.keyring.serial.rawValue
        try await concurrently(3) { process in
            await #expect(processExitsWith: .exitCode(0)) { [serial = serial as Int32, process = process as Int] in
                for round in 0..<150 {
                    // The first update of each namespace meets sets that don't know of any update yet.
                    let store = try SecretStore(.keyring(KeySerial(rawValue: serial)), namespace: "round\(round)")
                    if process > 0 {
                        try updateSomeTimes(in: store)
                    } else {
                        try setSomeTimes(in: store)
                    }
                }
            }
        }
    }

    @Test("listing the items, which sweeps leases, keeps the update flag")
    func listing() throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store(namespace: "a/b")
        try store.blockingUpdate(counter, lasting: .scope) { (_: Int?) in 1 }
        let leases = try scratch.keyring.search(keyring: NamespaceRings.leasesName)
        let flags = try leases.members()
        #expect(flags.count == 1)
        _ = try store.items()
        _ = try scratch.store(namespace: "a").items()
        #expect(try leases.members() == flags)
        let held = try store.blockingTryLease("job", lasting: .seconds(9))
        _ = try scratch.store(namespace: "a").items()
        let isOpen = try store.blockingTryLease("job", lasting: .seconds(1)) == nil
        #expect(isOpen)
        _ = consume held
    }

    @Test(
        "a delete during an update is not undone", .tags(.root),
        .enabled(if: isRoot, "needs root, because it creates 300 keys"))
    func deleteAgainstUpdates() throws {
        let scratch = try ScratchKeyring()
        for round in 0..<100 {
            let store = try scratch.store(namespace: "round\(round)")
            try store.set(1_000_000, for: counter)
            try ThreadTeam.run(3) { thread in
                guard thread == 0 else {
                    for _ in 0..<10 {
                        try store.blockingUpdate(counter, lasting: .scope) { (old: Int?) in (old ?? 0) + 1 }
                    }
                    return
                }
                try store.delete(counter)
                for _ in 0..<10 {
                    guard let value = try store.get(counter, as: Int.self), value >= 1_000_000 else { continue }
                    Issue.record("the deleted value came back as \(value)")
                }
            }
        }
    }
}

/// Adds to this process's part of the tally until the item `enough` exists.
///
/// Each step checks that the tally contains exactly the additions that were reported as successful.
private func addUp(as process: Int, in store: SecretStore) throws {
    try store.set(getpid(), for: .password(service: "pid\(process)"))
    // A killed predecessor of this process may have written an addition without learning of its success.
    var mine = try store.get(counter, as: Tally.self)?.added[process] ?? 0
    while try !store.contains(enough) {
        do {
            try store.blockingUpdate(
                counter, lasting: .scope, within: .milliseconds(50), waiting: .seconds(60)
            ) { (old: Tally?) in
                var tally = old ?? Tally()
                succeed(4, tally.added[process] == mine)
                tally.added[process] += 1
                return tally
            }
            mine += 1
        } catch let error as SecretStoreError where error.code == .leaseLost {
            // Nothing was written. The next update checks this.
        }
    }
    succeed(5, try store.get(counter, as: Tally.self)?.added[process] == mine)
    exit(0)
}

private func setSomeTimes(in store: SecretStore) throws {
    for number in 1...20 {
        try store.set(Tally(sets: number), for: counter)
        succeed(5, try store.get(counter, as: Tally.self)?.sets == number)
    }
}

private func updateSomeTimes(in store: SecretStore) throws {
    for _ in 0..<20 {
        try store.blockingUpdate(counter, lasting: .scope, waiting: .seconds(60)) { (old: Tally?) in
            var tally = old ?? Tally()
            tally.added[1] += 1
            return tally
        }
    }
}

/// Stops one updater at a time, each for twice its lease, once all of them have started.
private func stopSomebody(_ times: Int, at store: SecretStore) {
    var random = Choices(seed: testSeed)
    let updaters = (0..<4).map { ItemIdentity.password(service: "pid\($0)") }
    // On a busy machine, it can take a while until all updaters have started.
    var giveUp = ContinuousClock.now + .seconds(600)
    while ContinuousClock.now < giveUp, !updaters.allSatisfy({ (try? store.contains($0)) == true }) { usleep(10_000) }
    giveUp = ContinuousClock.now + .seconds(60)
    var stops = 0
    while stops < times, ContinuousClock.now < giveUp {
        usleep(UInt32.random(in: 1_000...8_000, using: &random))
        guard let pid = try? store.get(updaters[Int.random(in: 0..<4, using: &random)], as: Int32.self),
            kill(pid, SIGSTOP) == 0
        else { continue }
        stops += 1
        usleep(100_000)
        kill(pid, SIGCONT)
    }
}
