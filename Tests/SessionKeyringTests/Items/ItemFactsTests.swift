import Keyutils
import TestSupport
import Testing
import Threads

@testable import SessionKeyring

private let item = ItemIdentity.password(service: "api", account: "alice")
/// An item whose companion's description has only a hash of the item's.
private let longItem = ItemIdentity.password(service: String(repeating: "s", count: 4_080))

@Suite("The record of the facts about an item's value")
struct ItemFactsTests {
    @Test(
        "a record has few bytes",
        arguments: [
            (ItemFacts(isRefused: true), "0201060000000807060504030201"),
            (ItemFacts(freshness: .always), "0202060000000807060504030201"),
            (ItemFacts(freshness: .until(1_800_000_000)), "020406000000080706050403020180a4a7da06"),
            (ItemFacts(usability: .until(127), command: 0xFF), "02300600000008070605040302017fff00000000000000"),
            (ItemFacts(texts: ["b": "é", "a": ""]), "0240060000000807060504030201020161000162" + "02c3a9"),
        ])
    func bytes(facts: ItemFacts, expected: String) {
        let record = facts.record(of: item, key: 6, hash: 0x0102_0304_0506_0708)
        #expect(record.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() == expected)
    }

    @Test("random facts are read back, and only for their item, key and value")
    func roundTrips() {
        print("facts: seed \(testSeed)")
        var random = Choices(seed: testSeed, stream: 1)
        for _ in 0..<500 {
            let (facts, item) = (ItemFacts.random(&random), Bool.random(using: &random) ? item : longItem)
            let (serial, hash) = (Int32.random(in: .min ... .max, using: &random), random.next())
            let record = facts.record(of: item, key: serial, hash: hash)
            #expect(read(record, item, serial, hash) == facts)
            #expect(read(record, item, serial &+ 1, hash) == nil)
            #expect(read(record, item, serial, hash &+ 1) == nil)
        }
    }

    @Test("a record counts only for its item, also if two companions have the same description")
    func otherItem() {
        let other = ItemIdentity.password(service: String(repeating: "s", count: 4_079) + "t")
        let record = ItemFacts(freshness: .always).record(of: longItem, key: 1, hash: 2)
        #expect(read(record, longItem, 1, 2) == ItemFacts(freshness: .always))
        for item in [item, other, .password(service: String(repeating: "s", count: 4_081))] {
            #expect(read(record, item, 1, 2) == nil)
        }
    }

    @Test("a record that is cut or changed isn't understood, or is the only record of other facts")
    func changed() {
        print("facts: seed \(testSeed)")
        var random = Choices(seed: testSeed, stream: 2)
        for _ in 0..<5 {
            let record = ItemFacts.random(&random).record(of: item, key: 3, hash: 4)
            #expect(record.indices.allSatisfy { isCanonical(Array(record[..<$0])) } && isCanonical(record + [0]))
            for place in record.indices {
                var changed = record
                let areCanonical = (UInt8.min ... .max).allSatisfy { byte in
                    changed[place] = byte
                    return isCanonical(changed)
                }
                #expect(areCanonical, "\(record), \(place)")
            }
        }
        #expect(read([1] + ItemFacts().record(of: item, key: 3, hash: 4).dropFirst(), item, 3, 4) == nil)
    }

    @Test("random bytes are never a problem")
    func randomBytes() {
        print("facts: seed \(testSeed)")
        var random = Choices(seed: testSeed, stream: 3)
        let start = ItemFacts().record(of: item, key: 3, hash: 4)
        var understood = 0
        for number in 0..<100_000 {
            var bytes = (0..<Int.random(in: 0...60, using: &random)).map { _ in
                // Small numbers are more often counts and lengths that fit.
                Bool.random(using: &random)
                    ? UInt8.random(in: 0...3, using: &random) : UInt8.random(in: 0...255, using: &random)
            }
            if number % 4 != 0 {
                bytes = start + bytes
                bytes[1] = UInt8.random(in: 0...127, using: &random)
            }
            understood += read(bytes, item, 3, 4) == nil ? 0 : 1
            if !isCanonical(bytes) { Issue.record("\(bytes)") }
        }
        #expect(understood > 100)
    }

    @Test(
        "numbers with more bytes than they need aren't understood",
        arguments: [
            [0x80, 0x00], [0x80, 0x80, 0x00], [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x02],
            [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x81, 0x00],
        ] as [[UInt8]])
    func longNumbers(number: [UInt8]) {
        var record = ItemFacts().record(of: item, key: 3, hash: 4)
        record[1] = 4
        #expect(read(record + [0], item, 3, 4) == ItemFacts(freshness: .until(0)))
        #expect(read(record + number, item, 3, 4) == nil)
    }

    @Test("texts that are too many or too long are left out")
    func tooMuch() {
        let limit = String(repeating: "x", count: ItemFacts.longestText)
        var facts = ItemFacts(isRefused: true, texts: ["a": Name(limit), Name(limit): "b"])
        #expect(read(facts.record(of: item, key: 1, hash: 2), item, 1, 2) == facts)
        facts.texts["c"] = Name(limit + "x")
        #expect(read(facts.record(of: item, key: 1, hash: 2), item, 1, 2) == ItemFacts(isRefused: true))
        facts.texts = Dictionary((0...ItemFacts.mostTexts).map { (Name("\($0)"), "") }) { first, _ in first }
        #expect(read(facts.record(of: item, key: 1, hash: 2), item, 1, 2) == ItemFacts(isRefused: true))
    }

    @Test("a fact holds until its millisecond")
    func validity() {
        let cases: [(ItemFacts.Validity, Bool, Bool)] = [
            (.never, false, false), (.always, true, true), (.until(11), true, false),
        ]
        for (validity, early, late) in cases {
            #expect(validity.holds(at: 10) == early && validity.holds(at: 11) == late)
        }
    }

    private func read(_ record: [UInt8], _ item: ItemIdentity, _ serial: Int32, _ hash: UInt64) -> ItemFacts? {
        ItemFacts(record: record.span.bytes, of: item, key: serial, hash: hash)
    }

    private func isCanonical(_ record: [UInt8]) -> Bool {
        read(record, item, 3, 4).map { $0.record(of: item, key: 3, hash: 4) == record } ?? true
    }
}

extension ItemFacts {
    fileprivate static func random(_ random: inout Choices) -> ItemFacts {
        func text(_ random: inout Choices) -> String {
            String(
                (0..<Int.random(in: 0...9, using: &random)).compactMap { _ in
                    "ab=é\u{301}\0🔑".randomElement(using: &random)
                })
        }
        func validity(_ random: inout Choices) -> Validity {
            let end = random.next() >> UInt64.random(in: 0...63, using: &random)
            return [.never, .always, .until(end)].randomElement(using: &random) ?? .never
        }
        var facts = ItemFacts(
            isRefused: Bool.random(using: &random), freshness: validity(&random), usability: validity(&random),
            command: Bool.random(using: &random) ? random.next() : nil)
        for _ in 0..<Int.random(in: 0...4, using: &random) { facts.texts[Name(text(&random))] = Name(text(&random)) }
        return facts
    }
}
