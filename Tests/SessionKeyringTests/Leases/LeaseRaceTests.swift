import Foundation
import Keyutils
import SessionKeyring
import SessionKeyringTesting
import TestSupport
import Testing
import Threads

private let counter = ItemIdentity.password(service: "counter")
private let lastNumber = ItemIdentity.password(service: "last fencing number")
private let lastTurn = ItemIdentity.password(service: "time of the last turn")
private let longestGap = ItemIdentity.password(service: "longest time between turns")

@Suite("Leases of several processes", .tags(.kernel, .long))
struct LeaseRaceTests {
    @Test("8 processes that each take a lease 10,000 times lose no step of the counter it guards")
    func mutualExclusion() async throws {
        let scratch = try ScratchKeyring()
        let serial = scratch.keyring.serial.rawValue
        try await concurrently(8) { _ -> Void in
            await #expect(processExitsWith: .exitCode(0)) { [serial = serial as Int32] in
                let store = try SecretStore(.keyring(KeySerial(rawValue: serial)))
                for _ in 0..<10_000 {
                    let lease = try blocking {
                        try store.blockingLease("counter", lasting: .seconds(60), waiting: .seconds(60))
                    }
                    try count(in: store, under: lease)
                }
                exit(0)
            }
        }
        #expect(try scratch.store().get(counter) == 80_000)
    }

    @Test("after a holder was killed, the next one waits for the lease's time and a second at most")
    func progress() async throws {
        let scratch = try ScratchKeyring()
        let serial = scratch.keyring.serial.rawValue
        print("seed \(testSeed)")
        let seed = testSeed
        try await concurrently(4) { process -> Void in
            for life in 0..<8 {
                await #expect(processExitsWith: .signal(SIGKILL)) {
                    [serial = serial as Int32, process = process as Int, life = life as Int, seed = seed as UInt64] in
                    var random = Choices(seed: seed, stream: UInt64(process * 100 + life))
                    let store = try SecretStore(.keyring(KeySerial(rawValue: serial)))
                    // The process is killed in this turn, while it holds the lease.
                    let turns = Int.random(in: 1...10, using: &random)
                    for turn in 0... {
                        let start = ProcessInfo.processInfo.systemUptime
                        let lease = try blocking {
                            try store.blockingLease("job", lasting: .milliseconds(500), waiting: .seconds(60))
                        }
                        try noteTurn(in: store, waitingSince: start)
                        if turn == turns { kill(getpid(), SIGKILL) }
                        lease.release()
                    }
                }
            }
        }
        let store = try scratch.store()
        let turns = try #require(try store.get(counter, as: Int.self))
        let gap = try #require(try store.get(longestGap, as: Double.self))
        print("turns \(turns), longest gap \(gap) s")
        #expect(turns >= 32 * 2)
        #expect(gap < 0.5 + 1)
    }
}

/// Counts up, protected only by the lease.
private func count(in store: SecretStore, under lease: borrowing Lease) throws {
    let old = try store.get(counter, as: Int.self) ?? 0
    let number = try store.get(lastNumber, as: UInt64.self) ?? 0
    succeed(4, lease.fencingNumber > number)
    try store.set(lease.fencingNumber, for: lastNumber)
    try store.set(old + 1, for: counter)
    succeed(5, lease.isHeld)
}

/// Records for how long nobody had the lease although a process wanted it.
private func noteTurn(in store: SecretStore, waitingSince start: Double) throws {
    let now = ProcessInfo.processInfo.systemUptime
    let gap = now - max(start, try store.get(lastTurn, as: Double.self) ?? now)
    try store.set(now, for: lastTurn)
    try store.set(max(gap, try store.get(longestGap, as: Double.self) ?? 0), for: longestGap)
    try store.set((try store.get(counter, as: Int.self) ?? 0) + 1, for: counter)
}
