import Foundation
import Keyutils
import SessionKeyring
import SessionKeyringTesting
import Synchronization

/// Looks for stale reads: a get right after somebody else has replaced the item must give the new value.
enum Freshness {
    static let rounds = 20_000
    static let roundsOfProcesses = 3_000

    /// How many gets gave an older value than the one that was already there.
    static func staleReads() throws -> Int {
        let scratch = try ScratchKeyring()
        return try staleReadsOfThreads(scratch) + staleReadsOfProcesses(scratch)
    }

    /// A thread replaces the item as often as it can and tells which number is there; gets must give that one or a later.
    private static func staleReadsOfThreads(_ scratch: borrowing ScratchKeyring) throws -> Int {
        let store = try scratch.store()
        let item = Replacer.item
        let progress = Progress()
        try store.set("0", for: item)
        try ThreadTeam.run(2) { index in
            guard index == 0 else { return try progress.watch(store, item) }
            defer { progress.isOver.store(true, ordering: .releasing) }
            for number in 1...rounds {
                try store.set(String(number), for: item)
                progress.published.store(number, ordering: .releasing)
            }
        }
        return progress.stale.load(ordering: .relaxed)
    }

    /// Another process replaces the item when asked to; the get after its answer must give what it wrote.
    private static func staleReadsOfProcesses(_ scratch: borrowing ScratchKeyring) throws -> Int {
        let store = try scratch.store()
        let other = Process()
        let (requests, answers) = (Pipe(), Pipe())
        other.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        other.arguments = [Replacer.verb, String(scratch.keyring.serial.rawValue)]
        (other.standardInput, other.standardOutput) = (requests, answers)
        try other.run()
        var stale = 0
        for number in 1...roundsOfProcesses {
            try requests.fileHandleForWriting.write(contentsOf: Data([UInt8(number % 251)]))
            guard try answers.fileHandleForReading.read(upToCount: 1) != nil else { throw Missing() }
            if try store.get(Replacer.item, as: [UInt8].self) != [UInt8(number % 251)] { stale += 1 }
        }
        try requests.fileHandleForWriting.close()
        other.waitUntilExit()
        guard other.terminationStatus == 0 else { throw Missing() }
        return stale
    }
}

/// What a writer has published, and what its reader made of it.
private final class Progress: Sendable {
    let published = Atomic(0)
    let isOver = Atomic(false)
    let stale = Atomic(0)

    func watch(_ store: SecretStore, _ item: ItemIdentity) throws {
        while !isOver.load(ordering: .acquiring) {
            let published = published.load(ordering: .acquiring)
            guard let text = try store.get(item, as: String.self), let seen = Int(text) else { throw Missing() }
            if seen < published { stale.wrappingAdd(1, ordering: .relaxed) }
        }
    }
}

/// The other process: for each byte on its input it stores that byte and answers with it.
enum Replacer {
    static let verb = "replace"
    static let item = ItemIdentity.password(service: "benchmark", account: "alice")

    static func run(_ serial: String?) -> CInt {
        guard let serial = serial.flatMap(Int32.init) else { return 64 }
        do {
            let store = try SecretStore(.keyring(KeySerial(rawValue: serial)))
            while let byte = try FileHandle.standardInput.read(upToCount: 1), !byte.isEmpty {
                try store.set(byte, for: item)
                try FileHandle.standardOutput.write(contentsOf: byte)
            }
            return 0
        } catch {
            Console.fail("replace: \(error)")
        }
    }
}
