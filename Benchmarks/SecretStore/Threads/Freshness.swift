import Foundation
import SessionKeyring
import Synchronization

/// Looks for stale reads: a get right after another writer has replaced the item must return the new value.
enum Freshness {
    private static let rounds = 20_000
    private static let roundsOfProcesses = 3_000
    /// The latest number that the writer has published.
    private static let published = Atomic(0)

    static func row() throws -> Row {
        Console.note("looking for stale reads")
        let stale = try staleReadsOfThreads() + staleReadsOfProcesses()
        return Row(
            "no get trusts a remembered serial", limit: "0 stale reads; proof: skr-stress",
            measured: "\(stale) stale, \(rounds + roundsOfProcesses) replacements", isReached: stale == 0)
    }

    /// Counts stale reads while a thread replaces the item as often as it can.
    ///
    /// The thread publishes each number after storing it. A get must return the published number or a later one.
    private static func staleReadsOfThreads() throws -> Int {
        let store = try SecretStore()
        try store.set("0", for: Replacer.item)
        Thread.detachNewThread {
            do {
                for number in 1...rounds {
                    try store.set(String(number), for: Replacer.item)
                    published.store(number, ordering: .releasing)
                }
            } catch {
                Console.fail("\(error)")
            }
        }
        var (stale, known) = (0, 0)
        while known < rounds {
            known = published.load(ordering: .acquiring)
            guard let seen = try store.get(Replacer.item, as: String.self).flatMap({ Int($0) }) else {
                throw Failure("a get failed")
            }
            if seen < known { stale += 1 }
        }
        return stale
    }

    /// Counts stale reads while another process replaces the item when asked to.
    ///
    /// The get after the other process has answered must return the value that it wrote.
    private static func staleReadsOfProcesses() throws -> Int {
        let store = try SecretStore()
        let other = Process()
        let (requests, answers) = (Pipe(), Pipe())
        other.executableURL = URL(filePath: Program.path)
        other.arguments = [Replacer.word]
        (other.standardInput, other.standardOutput) = (requests, answers)
        try other.run()
        var stale = 0
        for number in 1...roundsOfProcesses {
            try requests.fileHandleForWriting.write(contentsOf: Data([UInt8(number % 251)]))
            guard try answers.fileHandleForReading.read(upToCount: 1) != nil else {
                throw Failure("the replacing process failed")
            }
            if try store.get(Replacer.item, as: [UInt8].self) != [UInt8(number % 251)] { stale += 1 }
        }
        try requests.fileHandleForWriting.close()
        other.waitUntilExit()
        guard other.terminationStatus == 0 else { throw Failure("the replacing process failed") }
        return stale
    }
}

/// The other process: it stores each byte of its input, and then answers with that byte.
enum Replacer {
    static let word = "replace"
    static let item = ItemIdentity.password(service: "benchmark", account: "alice")

    static func replace() throws -> CInt {
        let store = try SecretStore()
        while let byte = try FileHandle.standardInput.read(upToCount: 1), !byte.isEmpty {
            try store.set(byte, for: item)
            try FileHandle.standardOutput.write(contentsOf: byte)
        }
        return 0
    }
}
