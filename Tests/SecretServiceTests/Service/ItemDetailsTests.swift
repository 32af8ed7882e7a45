import Keyutils
import SessionKeyring
import TestSupport
import Testing
import Threads

@testable import SecretService

@Suite("What is known about an item")
struct ItemDetailsTests {
    @Test("details are read again from their texts, with any characters, and have room in a companion")
    func roundTrip() {
        var details = ItemDetails()
        details.label = "\u{301}a label\n\u{1B}"
        details.contentType = "\u{301}"
        details.others = ["application": "x y", "xdg:schema": "\u{301}", "target": "default"]
        (details.created, details.modified, details.end) = (7, .max, 9)
        #expect(ItemDetails(details.texts) == details)
        let facts = ItemFacts(texts: details.texts)
        let (item, record) = (
            ItemIdentity.password(service: "s"), facts.record(of: .password(service: "s"), key: 1, hash: 2)
        )
        #expect(ItemFacts(record: record.span.bytes, of: item, key: 1, hash: 2)?.texts == details.texts)
    }

    @Test("without a time of creation, the attributes are not known, even if there is a label")
    func unknown() {
        var details = ItemDetails()
        #expect(details.texts.isEmpty && ItemDetails([:]) == details)
        (details.label, details.modified) = ("new", 5)
        let found = ItemDetails(details.texts)
        #expect(found == details && found.others == nil)
        #expect(ItemDetails(["created": "x", "modified": "-1", "end": "18446744073709551616"]) == ItemDetails())
    }

    @Test("the time left is never outside of what the kernel reports")
    func timeLeft() {
        let left = KeyTimeLeft(atLeast: .seconds(86_400), precision: .seconds(86_400))
        var details = ItemDetails()
        #expect(details.timeLeft(within: left) == .seconds(86_400))
        for (end, expected) in [(0, 86_400), (UInt64.max, 172_800), (SystemTime.after(.seconds(172_700)), 172_700)] {
            details.end = end
            let found = details.timeLeft(within: left)
            #expect(found <= .seconds(expected) && found > .seconds(expected - 5))
        }
    }
}
