import Foundation
import Keyutils
import SessionKeyring
import SessionKeyringTesting
import TestSupport
import Testing
import Threads

/// Processes that do the same thing at the same time: each waits for a common start time.
@Suite("Races between processes", .tags(.kernel, .long))
struct ProcessRaceTests {
    private static let processes = 6

    /// Returns a point in time by which all processes have started.
    private static func start() -> Double { Date().timeIntervalSinceReferenceDate + 0.5 }

    @Test(
        "processes that create one namespace at the same time lose no item",
        .tags(.root), .enabled(if: isRoot, "needs root, because it creates 800 keys"))
    func namespaces() async throws {
        let scratch = try ScratchKeyring()
        let serial = scratch.keyring.serial.rawValue
        let start = Self.start()
        let rounds = 100
        try await concurrently(Self.processes) { process in
            await #expect(processExitsWith: .exitCode(0)) {
                [process = process as Int, serial = serial as Int32, start = start as Double, rounds = rounds as Int] in
                for round in 0..<rounds {
                    waitUntil(start + Double(round) * 0.01)
                    let store = try SecretStore(.keyring(KeySerial(rawValue: serial)), namespace: "race\(round)")
                    try store.set("\(process)", for: .password(service: "p\(process)"))
                }
            }
        }
        for round in 0..<rounds {
            #expect(try scratch.store(namespace: "race\(round)").identities().count == Self.processes)
        }
    }

    @Test(
        "if several processes add the same items over expired ones, each item has one winner",
        .tags(.root), .enabled(if: isRoot, "needs root, because it creates 300 keys")
    )
    func addOverExpired() async throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        let rounds = 300
        try store.storeExpired((0..<rounds).map { .password(service: "r\($0)") })
        let serial = scratch.keyring.serial.rawValue
        let start = Self.start()
        let wins = Locked(0)
        try await concurrently(Self.processes) { process in
            let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) {
                [process = process as Int, serial = serial as Int32, start = start as Double, rounds = rounds as Int] in
                let store = try SecretStore(.keyring(KeySerial(rawValue: serial)))
                waitUntil(start)
                var won = 0
                for round in 0..<rounds {
                    do {
                        try store.add("\(process)", for: .password(service: "r\(round)"))
                        won += 1
                    } catch let error as SecretStoreError where error.code == .duplicate {}
                }
                print("won \(won)")
                fflush(nil)
                exit(0)
            }
            let output = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
            let line = output.split(separator: "\n").first { $0.hasPrefix("won ") }
            let count = line.flatMap { Int($0.dropFirst(4)) } ?? -1
            wins.withLock { $0 += count }
        }
        #expect(wins.withLock { $0 } == rounds)
        #expect(try store.identities().count == rounds)
    }

    @Test(
        "a set is never lost to an add at the same time, even over an expired item", arguments: [false, true])
    func setAgainstAdd(overExpired: Bool) throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        let items = (0..<100).map { ItemIdentity.password(service: "r\($0)") }
        if overExpired { try store.storeExpired(items) }
        var added = 0
        for (round, item) in items.enumerated() {
            let isAdded = Locked(false)
            try ThreadTeam.run(2) { thread in
                // In some rounds, one of the two threads starts late, so that both orders occur.
                if round % 10 == thread { usleep(2_000) }
                if thread == 0 { return try store.set("set", for: item) }
                do {
                    try store.add("add", for: item)
                    isAdded.withLock { $0 = true }
                } catch let error as SecretStoreError where error.code == .duplicate {}
            }
            if isAdded.withLock({ $0 }) { added += 1 }
            // The value of the set remains in either order: the set replaces the added value, or makes the add fail.
            #expect(try store.get(item) == "set")
            try store.delete(item)
        }
        #expect(0 < added && added < items.count, "each of the two came first at least once")
    }

    @Test("values are always whole while many processes and threads use a few items")
    func wholeValues() async throws {
        let scratch = try ScratchKeyring()
        let serial = scratch.keyring.serial.rawValue
        print("seed \(testSeed)")
        let seed = testSeed
        try await concurrently(3) { process in
            await #expect(processExitsWith: .exitCode(0)) {
                [process = process as Int, serial = serial as Int32, seed = seed as UInt64] in
                let store = try SecretStore(.keyring(KeySerial(rawValue: serial)))
                try ThreadTeam.run(3) { thread in
                    var random = Choices(seed: seed, stream: UInt64(process * 10 + thread))
                    for _ in 0..<1_500 { try act(on: store, random: &random) }
                }
            }
        }
    }
}

/// Runs one random operation.
///
/// A value consists of one byte, repeated as often as its number.
private func act(on store: SecretStore, random: inout Choices) throws {
    let item = ItemIdentity.password(service: "shared", account: "\(Int.random(in: 0..<3, using: &random))")
    switch Int.random(in: 0..<20, using: &random) {
    case 0: try store.delete(item)
    case 1: try store.clear()
    case 2: _ = try store.items()
    case 3: try store.expire(item, timeout: .seconds(60))
    case 4..<9:
        let byte = UInt8.random(in: 1...255, using: &random)
        try store.set([UInt8](repeating: byte, count: Int(byte)), for: item, lasting: .seconds(60))
    default:
        guard let value: [UInt8] = try store.get(item) else { return }
        succeed(3, Int(value[0]) == value.count && Set(value).count == 1)
    }
}

/// Waits for a point in time, without sleeping at the end, so that processes start together.
private func waitUntil(_ time: Double) {
    while true {
        let left = time - Date().timeIntervalSinceReferenceDate
        if left <= 0 { return }
        if left > 0.002 { usleep(1_000) }
    }
}
