import Testing

@testable import SessionKeyring

@Suite("Items in texts and lists")
struct ItemTextTests {
    @Test("a description that is longer than 300 bytes is cut")
    func cut() {
        func item(_ size: Int) -> ItemIdentity {
            .password(service: String(repeating: "x", count: size - "password::a".utf8.count), account: "a")
        }
        #expect(item(300).shortDescription == item(300).description)
        #expect(item(301).shortDescription == item(301).description.prefix(200) + "...")
        #expect(ItemIdentity.password(service: "api").shortDescription == "password:api", "without the empty account")
        #expect(ItemIdentity.key(tag: "api").shortDescription == "key:api")
    }

    @Test("the hidden items next to an item lead back to it")
    func hidden() {
        for item in [ItemIdentity.password(service: "a"), .key(tag: "a")] {
            let hidden = [item.companion, item.watch, item.failure]
            #expect(Set(hidden.map(\.keyDescription)).count == 3 && hidden.allSatisfy(\.isHidden) && !item.isHidden)
            for hidden in hidden { #expect(ItemIdentity(ofHidden: hidden.keyDescription) == item) }
        }
    }

    @Test("a hidden item is named after its item, as long as a key can have that name")
    func hiddenName() {
        func name(_ size: Int) -> String {
            let item = ItemIdentity.password(service: String(repeating: "x", count: size - "password::".utf8.count))
            return item.companion.keyDescription
        }
        #expect(name(4_089).hasPrefix("facts:password:x") && name(4_089).utf8.count == 4_095)
        #expect(name(4_090).hasPrefix("facts:#") && name(4_090).utf8.count < 30)
    }

    @Test(
        "a description of another kind or with another number of parts is not an item",
        arguments: [
            "other:a:b", "passwords:a:b", "credentials:a:b", ":a:b", "credential", "credential:a", "credential:a:b:c",
            "cached::b", "pass:a:b", "cred:a:b", "xpassword:a:b", "password: a:b", "password:.a:b", "password:a: b",
            "password:a:.b",
        ])
    func foreign(description: String) {
        let bytes = Array(description.utf8)
        #expect(ItemIdentity(keyDescription: bytes.span.bytes) == nil)
    }

    @Test("a description that is not UTF-8 is not an item")
    func notText() {
        let bytes = Array("password:".utf8) + [0x80] + Array(":a".utf8)
        #expect(ItemIdentity(keyDescription: bytes.span.bytes) == nil)
    }

    @Test(
        "parsing an item's key description restores all its parts",
        arguments: [
            .password(service: "api"), .password(service: "a b"), .password(service: "api", account: "alice"),
            .internet(server: "é", account: "a b"), .internet(server: "a:b"), .cached("a b", variant: "x:y"),
            .cached("a", variant: "b"), .credential(service: "s", account: "."), .credential(service: "s"),
            .key(tag: "a tag"), .key(tag: "tag"),
        ] as [ItemIdentity])
    func readBack(item: ItemIdentity) {
        let bytes = Array(item.keyDescription.utf8)
        for read in [
            ItemIdentity(keyDescription: item.keyDescription), ItemIdentity(keyDescription: bytes.span.bytes),
        ] {
            #expect(read == item)
            #expect(read?.kind == item.kind && read?.service == item.service && read?.account == item.account)
        }
    }

    @Test("a key ignores the account, and a cached item uses it as its variant")
    func kinds() {
        #expect(ItemIdentity(.key, service: "a", account: "b") == .key(tag: "a"))
        #expect(ItemIdentity(.key, service: "a", account: "b").account == "")
        #expect(ItemIdentity(.cached, service: "a", account: "b") == .cached("a", variant: "b"))
    }

    @Test("two secrets are sorted like many: by kind, account and service")
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
