import Keyutils
import SessionKeyringTesting
import Testing
import Threads

/// Returns a line of `/proc/keys` as the kernel's `proc_keys_show` prints it.
private func line(
    _ serial: String = "0531c66f", expiry: String = "perm", type: String = "user     ", text: String
) -> String {
    "\(serial) I--Q---     1 \(expiry) 0c030000     0 65534 \(type) \(text)\n"
}

@Suite("Lines of the key table")
struct KeyTableLineTests {
    private let serial = KeySerial(rawValue: 0x0531_c66f)

    @Test("a line is parsed into serial, expiry (perm is never, expd is expired), type and text")
    func oneLine() throws {
        let table = KeyTable(
            parsing: line(text: "my key: 12") + line("00000002", expiry: "expd", type: "keyring  ", text: "_ses: empty")
        )
        let entry = try #require(table[serial])
        #expect(entry.serial == serial)
        #expect(entry.expiry == .never)
        #expect(entry.type == "user")
        #expect(entry.text == "my key: 12")
        #expect(table[KeySerial(rawValue: 2)]?.text == "_ses: empty")
        #expect(table[KeySerial(rawValue: 2)]?.expiry == .expired)
        #expect(table[KeySerial(rawValue: 3)] == nil)
    }

    @Test(
        "leading spaces of a description and types of nine letters are kept",
        arguments: ["user     ", "asymmetri", ".request_"]
    )
    func leadingSpaces(_ type: String) throws {
        let entry = try #require(KeyTable(parsing: line(type: type, text: "  two spaces: 1"))[serial])
        #expect(entry.text == "  two spaces: 1")
        #expect(entry.type == String(type.prefix { $0 != " " }))
    }

    @Test(
        "the time left is parsed in every unit",
        arguments: [
            (" 59s", 59, 1), ("  0s", 0, 1), ("  1m", 60, 60), (" 59m", 3_540, 60), (" 23h", 82_800, 3_600),
            ("  6d", 518_400, 86_400), ("  1w", 604_800, 604_800), ("7101w", 4_294_684_800, 604_800),
        ] as [(String, Int64, Int64)]
    )
    func units(_ column: String, _ seconds: Int64, _ precision: Int64) {
        let left = KeyTimeLeft(atLeast: .seconds(seconds), precision: .seconds(precision))
        #expect(KeyTable(parsing: line(expiry: column, text: "x: 1"))[serial]?.expiry == .left(left))
    }

    @Test("if two lines have the same serial, one of them must be forged, so neither is used")
    func forged() {
        let (real, forged) = (line(expiry: " 10m", text: "true: 3"), line(text: "evil\n\(line(text: "forged: 1"))"))
        let table = KeyTable(parsing: "\(real)\(forged)")
        #expect(table[serial] == nil)
        let other = KeyTable(parsing: "\(line("00000007", text: "honest: 1"))\(forged)\(forged)")
        #expect(other[KeySerial(rawValue: 7)] != nil)
    }

    @Test(
        "lines in another form are skipped",
        arguments: [
            "", "\n\n", "rubbish", "0531c66f I--Q--- 1 perm 0c030000 0 65534 user",
            "531c66f I--Q---     1 perm 0c030000     0 65534 user      x: 1",
            "0531c66g I--Q---     1 perm 0c030000     0 65534 user      x: 1",
            "0531c66f I--Q--      1 perm 0c030000     0 65534 user      x: 1",
            "0531c66f I--Q---     1 soon 0c030000     0 65534 user      x: 1",
            "0531c66f I--Q---     1  10y 0c030000     0 65534 user      x: 1",
            "0531c66f I--Q---     1    s 0c030000     0 65534 user      x: 1",
            "0531c66f I--Q---     1 9223372036854775807w 0c030000     0 65534 user      x: 1",
            "0531c66f I--Q---     1  -5m 0c030000     0 65534 user      x: 1",
        ]
    )
    func otherForms(_ text: String) {
        #expect(KeyTable(parsing: text)[serial] == nil)
        let table = KeyTable(parsing: "\(text)\n\(line("00000002", text: "x"))")
        #expect(table[KeySerial(rawValue: 2)] != nil)
    }
}

@Suite("The key table")
final class KeyTableTests: ScratchSuite {
    @Test("the real table contains our keys, with the time that they have left")
    func snapshot() throws {
        let lasting = try keyring.add("lasting", pattern(12))
        let brief = try keyring.add("brief")
        let start = ContinuousClock.now
        try brief.setTimeout(KeyTimeout(.seconds(59)))
        let table = try KeyTable.snapshot()
        let passed = ContinuousClock.now - start
        #expect(table[lasting.serial]?.expiry == .never)
        #expect(table[lasting.serial]?.type == "user")
        #expect(table[lasting.serial]?.text == "lasting: 12")
        guard case .left(let left) = table[brief.serial]?.expiry else {
            Issue.record("a key with a timeout has time left")
            return
        }
        #expect(left.precision == .seconds(1))
        let (most, least): (Duration, Duration) = (.seconds(59), .seconds(57))
        #expect(left.atLeast <= most)
        #expect(left.atLeast + passed >= least)
        let ring = try #require(table[keyring.serial])
        #expect(ring.type == "keyring")
        #expect(ring.text.hasPrefix("skr-scratch-"))
        #expect(ring.text.hasSuffix(": 2"))
    }

    @Test("every key is found in a table of several pages while other keys come and go")
    func severalPages() throws { try findAll(times: 15) }

    @Test("every key is found 300 times in a table of several pages while other keys come and go", .tags(.long))
    func severalPagesForLong() throws { try findAll(times: 300) }

    private func findAll(times: Int) throws {
        let ring = keyring
        // A page has room for about 50 keys.
        let staying = try (0..<120).map { try ring.add("staying \($0)") }
        try during {
            for _ in 0..<times {
                let table = try KeyTable.snapshot()
                #expect(staying.allSatisfy { table[$0.serial] != nil })
            }
        } meanwhile: {
            let passing = try (0..<20).map { try ring.add("passing \($0)") }
            for key in passing { try key.invalidate() }
        }
    }

    @Test("if a name with a newline forges another key's line, that key's entry is not used")
    func forgedForReal() throws {
        let victim = try keyring.add("victim")
        try victim.setTimeout(KeyTimeout(.seconds(100)))
        let hex = String(victim.serial.rawValue, radix: 16)
        let padded = String(repeating: "0", count: 8 - hex.utf8.count) + hex
        #expect(try KeyTable.snapshot()[victim.serial] != nil)
        let forger = try keyring.add("x\n" + line(padded, text: "forged"))
        #expect(try KeyTable.snapshot()[victim.serial] == nil)
        try keyring.unlink(forger)
    }
}
