import Testing

@testable import SessionKeyring

@Suite("Items in texts and lists")
struct ItemTextTests {
    @Test("a description is cut if it is longer than 300 bytes")
    func cut() {
        func item(_ size: Int) -> ItemIdentity {
            .password(service: String(repeating: "x", count: size - "password::".utf8.count))
        }
        #expect(item(300).shortDescription == item(300).description)
        #expect(item(301).shortDescription == item(301).description.prefix(200) + "...")
    }

    @Test(
        "a description of another kind, or of more or fewer parts, is not an item",
        arguments: [
            "other:a:b", "passwords:a:b", "credentials:a:b", ":a:b", "credential", "credential:a", "credential:a:b:c",
            "cached::b",
        ])
    func foreign(description: String) {
        let bytes = Array(description.utf8)
        #expect(ItemIdentity(keyDescription: bytes.span.bytes) == nil)
    }

    @Test("two secrets are in order as well as many are: by kind, account and service")
    func order() {
        let ordered: [ItemIdentity] = [
            .password(service: "b", account: ""), .password(service: "a", account: "x"),
            .password(service: "b", account: "x"), .internet(server: "a"), .credential(service: "a"),
        ]
        for first in ordered.indices {
            for second in ordered.indices.dropFirst(first + 1) {
                #expect([ordered[second], ordered[first]].secrets { _ in true } == [ordered[first], ordered[second]])
            }
        }
        #expect(ordered.reversed().secrets { _ in true } == ordered)
    }
}
