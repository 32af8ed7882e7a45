import Keyutils
import SessionKeyring
import TestSupport
import Testing
import Threads

@testable import SecretService

extension ItemLabels.Entry: Equatable {
    /// Compares the fields.
    public static func == (left: Self, right: Self) -> Bool {
        (left.label, left.contentType, left.created, left.modified)
            == (right.label, right.contentType, right.created, right.modified) && left.ignored == right.ignored
    }
}

@Suite("Labels of items")
struct ItemLabelsTests {
    private func again(_ labels: ItemLabels, _ live: [ItemIdentity]) -> ItemLabels {
        guard let payload = labels.payload(of: live) else { return ItemLabels() }
        return payload.withBytes { ItemLabels(parsing: $0) }
    }

    @Test("labels are read again, with any characters")
    func roundTrip() {
        let item = ItemIdentity.password(service: "a b", account: "é")
        let entry = ItemLabels.Entry(
            label: "a label\n\u{1B}", contentType: "", ignored: ["application": "x y", "": "%"], created: 7,
            modified: .max)
        var labels = ItemLabels()
        labels.label = "my keys"
        labels[item] = entry
        let found = again(labels, [item])
        #expect(found.label == "my keys")
        #expect(found[item] == entry)
    }

    @Test("labels of items that are gone are dropped, and the oldest if the key is full")
    func pruned() {
        let items = (0..<200).map { ItemIdentity.password(service: "service", account: "\($0)") }
        var labels = ItemLabels()
        for item in items { labels[item] = .init(label: "label of \(item.account)", contentType: "t", ignored: [:]) }
        let found = again(labels, items)
        #expect(found[items[199]] != nil && found[items[0]] == nil)
        let size = labels.payload(of: items)?.count ?? 0
        #expect(size > 3_900 && size <= 4_096)
        let few = again(labels, [items[0]])
        #expect(few[items[0]] != nil && few[items[199]] == nil)
        let isEmpty = again(labels, []).payload(of: items) == nil
        #expect(isEmpty)
    }

    @Test("any payload can be read, and what is read can be written")
    func random() {
        print("random labels: seed \(testSeed)")
        var random = Choices(seed: testSeed, stream: 2)
        let pieces = [
            "\n", " ", ".", "%", "%20", "password:a:b", "secret:a:b", "é", "\0", "x", "0", "12", "application",
        ]
        for _ in 0..<5_000 {
            let text = (0..<Int.random(in: 0...20, using: &random)).map { _ in
                pieces.randomElement(using: &random) ?? ""
            }.joined()
            let labels = ItemLabels(parsing: Array(text.utf8).span.bytes)
            let items = ["password:a:b", "secret:a:b"].compactMap(ItemIdentity.init(keyDescription:))
            let found = again(labels, items)
            for item in items { #expect(found[item] == labels[item]) }
        }
    }
}
