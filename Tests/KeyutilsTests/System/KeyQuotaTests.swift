import Foundation
import SessionKeyringTesting
import Testing
import Threads

@testable import Keyutils

@Suite("Lines of the quota")
struct KeyQuotaLineTests {
    @Test("a line is parsed into a user's keys and bytes, with their limits")
    func line() throws {
        let parsed = try #require(KeyQuota.parse("    7:     9 8/8 3/200 40/20000"))
        #expect(parsed.userID == 7)
        #expect(parsed.quota == KeyQuota(keys: 3, maximumKeys: 200, bytes: 40, maximumBytes: 20_000))
    }

    @Test(
        "a line in another form is skipped",
        arguments: [
            "", "7:", "7: 9 8/8 3/200", "7: 9 8/8 3/200 40/20000 1", "x: 9 8/8 3/200 40/20000", "7: 9 8/8 3 40/20000",
            "7: 9 8/8 3/200/1 40/20000", "7: 9 8/8 3/200 40/", "7: 9 8/8 a/200 40/20000", "7: 9 8/8 3/200 40/b",
        ])
    func otherLines(line: String) {
        #expect(KeyQuota.parse(line[...])?.quota == nil)
    }
}

@Suite("Quota")
final class KeyQuotaTests: ScratchSuite {
    @Test(
        "an ordinary user can have 200 keys and 20,000 bytes, and the counts follow the keys",
        .enabled(if: geteuid() == 0)
    )
    func ordinaryUser() async {
        await #expect(processExitsWith: .success) {
            func limit(_ name: String) -> Int? {
                let text = try? String(contentsOfFile: "/proc/sys/kernel/keys/\(name)", encoding: .utf8)
                return text.flatMap { Int($0.trimmingCharacters(in: .newlines)) }
            }
            // 200 and 20,000, unless the administrator has changed them.
            let (keys, bytes) = (limit("maxkeys"), limit("maxbytes"))
            let session = try OrdinaryUser.becomeInNewSession(60_140)
            let before = try KeyQuota.current()
            #expect(before.maximumKeys == keys)
            #expect(before.maximumBytes == bytes)
            for number in 0..<10 { try session.add("key \(number)", pattern(100)) }
            let after = try KeyQuota.current()
            #expect(after.keys == before.keys + 10)
            // Each key is charged for its payload and for its name with a NUL. The ring grows as well.
            #expect(after.bytes >= before.bytes + 1_060)
            #expect(try KeyQuota.current(ofUser: 60_140) == after)
            try session.clear()
            #expect(try becomesTrue { () throws in try KeyQuota.current().keys == before.keys })
        }
    }

    @Test(
        "adding beyond the quota fails with quotaExceeded, and works again when there is room",
        .enabled(if: geteuid() == 0)
    )
    func exceeded() async {
        await #expect(processExitsWith: .success) {
            let session = try OrdinaryUser.becomeInNewSession(60_141)
            let maximum = try KeyQuota.current().maximumKeys
            var failure: KeyringError?
            var count = 0
            while failure == nil && count <= maximum {
                do throws(KeyringError) {
                    try session.add("\(count)", [1])
                    count += 1
                } catch {
                    failure = error
                }
            }
            #expect(failure?.code == .quotaExceeded)
            #expect(count < maximum)
            let quota = try KeyQuota.current()
            #expect(quota.keys <= quota.maximumKeys)
            #expect(quota.bytes <= quota.maximumBytes)
            try session.clear()
            #expect(becomesTrue { (try? session.add("again")) != nil })
        }
    }

    @Test("a user without keys has no quota entry")
    func nobody() {
        expectFailure(.notFound) { () throws(KeyringError) in _ = try KeyQuota.current(ofUser: 4_000_000_001) }
    }

    @Test(
        "a user with keys is found in a list of several pages while other users come and go",
        .enabled(if: geteuid() == 0, "needs root to create keys of other users")
    )
    func severalPages() throws { try findUsers(times: 1, every: 5) }

    @Test(
        "each user with keys is found in a list of several pages while other users come and go", .tags(.long),
        .enabled(if: geteuid() == 0, "needs root to create keys of other users")
    )
    func severalPagesForLong() throws { try findUsers(times: 10, every: 1) }

    /// Looks up every `step`-th user of a long list, `times` times, while other users come and go.
    private func findUsers(times: Int, every step: Int) throws {
        // Systemd's list of user ids assigns these to nobody. They differ from the ids of the previous run, whose keys
        // may still be charged, and of the other test. A page has room for about 70 users.
        let process = Int(getpid()) % 100_000
        let first: Int = 1_950_000_000 + process * 400 + (times > 1 ? 200 : 0)
        let users: [UInt32] = (first..<(first + 200)).map { UInt32($0) }
        let passing: [(key: Key, user: UInt32)] = try users[..<30].map { user in (try keyring.add("\(user)"), user) }
        let staying = users[30...]
        for user in staying { try keyring.add("\(user)").changeOwner(userID: user) }
        let wanted = stride(from: staying.startIndex, to: staying.endIndex, by: step).map { staying[$0] }
        try during {
            for _ in 0..<times {
                for user in wanted {
                    let keys = try KeyQuota.current(ofUser: user).keys
                    guard keys == 1 else { throw SetupFailure(step: "user \(user) has \(keys) keys") }
                }
            }
        } meanwhile: {
            for (key, user) in passing { try key.changeOwner(userID: user) }
            for (key, _) in passing { try key.changeOwner(userID: 0) }
        }
    }

    @Test("the quota of the current user counts its keys, and is within the limits")
    func root() throws {
        try keyring.add("key")
        let quota = try KeyQuota.current()
        #expect(quota.keys >= 1)
        #expect(quota.keys <= quota.maximumKeys)
        #expect(quota.bytes <= quota.maximumBytes)
    }
}
