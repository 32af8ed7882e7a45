import CTestFilters
import Foundation
import Keyutils
import SessionKeyring
import SessionKeyringTesting
import Testing
import Threads

/// Returns a value that shows whether it is whole, and who wrote it.
private func value(_ writer: Int, _ number: Int) -> String {
    let body = "\(writer).\(number)."
    return body + String(repeating: "x", count: number % 300) + ".\(body.utf8.reduce(0) { $0 &* 31 &+ Int($1) })"
}

private func isWhole(_ text: String) -> Bool {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 4, let writer = Int(parts[0]), let number = Int(parts[1]) else { return false }
    return text == value(writer, number)
}

private let exactItem = ItemIdentity.password(service: "exact")

@Suite("Writers that are killed", .tags(.kernel, .long))
struct KillTests {
    @Test("500 writers killed at random leave only whole items with timeouts, and nothing staged")
    func random() async throws {
        let scratch = try ScratchKeyring()
        let service = "kill-\(getpid())"
        let serial = scratch.keyring.serial.rawValue
        // Open to the owner, so that this process can see what a dead process has left.
        let store = try SecretStore(.keyring(scratch.keyring.serial, isOpenToOwner: true))
        print("seed \(testSeed)")
        let seed = testSeed
        for start in stride(from: 0, to: 500, by: 2) {
            async let first: Void = killOne(start, serial: serial, service: service, seed: seed)
            async let second: Void = killOne(start + 1, serial: serial, service: service, seed: seed)
            _ = await (first, second)
            for identity in try store.identities() {
                let text = try #require(try store.get(identity, as: String.self))
                #expect(isWhole(text))
            }
        }
        let items = try store.items()
        #expect(!items.isEmpty)
        for listed in items { #expect(listed.timeLeft != nil, "\(listed.item) has no timeout") }
        let ring = try scratch.keyring.search(keyring: "skr:default")
        #expect(try ring.members().count == items.count)
        // Any other key with such a name was staged, or was displaced and not yet collected, or is the lease of a dead
        // process, which a list removes once its deadline has passed.
        var others: [Substring] = ["not looked yet"]
        for _ in 0..<200 where !others.isEmpty {
            usleep(20_000)
            _ = try store.items()
            let members = try Set(ring.members().map { UInt32(bitPattern: $0.rawValue) })
            let table = try String(contentsOfFile: "/proc/keys", encoding: .utf8)
            others = table.split(separator: "\n").filter { line in
                line.contains("password:\(service):") && !members.contains(UInt32(line.prefix(8), radix: 16) ?? 0)
            }
        }
        #expect(others == [])
        #expect(try store.identities().count == items.count)
    }

    private func killOne(_ writer: Int, serial: Int32, service: String, seed: UInt64) async {
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [writer = writer as Int, serial = serial as Int32, service = service as String, seed = seed as UInt64] in
            var random = Choices(seed: seed, stream: UInt64(writer))
            let delay = UInt32.random(in: 0...4_000, using: &random)
            let store = try SecretStore(.keyring(KeySerial(rawValue: serial), isOpenToOwner: true))
            Thread.detachNewThread {
                usleep(delay)
                kill(getpid(), SIGKILL)
            }
            for number in 0... {
                let account = "\(Int.random(in: 0..<5, using: &random))"
                let item = ItemIdentity.password(service: service, account: account)
                switch number % 8 {
                case 6: try store.delete(item)
                case 7: do { try store.add(value(writer, number), for: item, lasting: .seconds(3_000)) } catch {}
                default: try store.set(value(writer, number), for: item, lasting: .seconds(3_000))
                }
            }
        }
    }

    /// The system calls of a pending write: operations from `<linux/keyctl.h>`, and -2 for `add_key`.
    private static let steps: [CInt] = [-2, 5, 15, 30, 10]

    @Test("a writer killed before any of its system calls leaves the old item or the new one", arguments: steps)
    func exactly(step: CInt) async throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        try store.set(value(1, 1), for: exactItem, lasting: .seconds(3_000))
        let serial = scratch.keyring.serial.rawValue
        await #expect(processExitsWith: .signal(SIGSYS)) { [serial = serial as Int32, step = step as CInt] in
            let store = try SecretStore(.keyring(KeySerial(rawValue: serial)))
            // The store knows both rings by now, so the next calls are those of the pending write.
            try store.set(value(1, 2), for: exactItem, lasting: .seconds(3_000))
            guard test_filter_install(step, 0) == 0 else { exit(3) }
            try store.set(value(1, 3), for: exactItem, lasting: .seconds(3_000))
            exit(0)
        }
        // The move is the last call, so the new item is never visible after one of these deaths.
        #expect(try store.get(exactItem) == value(1, 2))
        #expect(try store.items().map { $0.timeLeft != nil } == [true], "there is one item, which has a timeout")
        let ring = try scratch.keyring.search(keyring: "skr:default")
        #expect(try ring.members().count == 1)
    }
}
