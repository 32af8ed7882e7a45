import Keyutils
import SessionKeyring
import TestSupport
import Testing
import Threads

@testable import SecretService

@Suite("Attributes and names")
struct ItemAttributeSetTests {
    @Test(
        "attributes name an item",
        arguments: [
            (["service": "gh:github.com", "username": "u"], "password:gh%3Agithub.com:u"),
            (["application": "Python keyring library", "service": "s", "username": "u"], "password:s:u"),
            (["service": "s", "target": "default", "username": "u", "xdg:schema": "x"], "password:s:u"),
            (["user": "u", "protocol": "https", "server": "h:8080"], "internet:https%3A//h%3A8080:u"),
            (["user": "u", "protocol": "https", "server": "h", "xdg:schema": "x"], "internet:https%3A//h:u"),
            (["service": "s", "target": "other", "username": "u"], nil),
            (["user": "u", "protocol": "https", "server": "h/p"], nil), (["service": "s"], nil), ([:], nil),
            (["service": "", "username": "u"], nil), (["application": "chromium", "xdg:schema": "v2"], nil),
            (["service": "s", "username": "u", "xdg:schema": Name(String(repeating: "x", count: 1_025))], nil),
        ] as [([Name: Name], String?)])
    func sharedName(attributes: [Name: Name], description: String?) throws {
        let set = ItemAttributeSet(attributes)
        #expect(set.sharedName?.keyDescription == description)
        guard let item = set.sharedName else { return }
        // The attributes can be read back from the description.
        var details = ItemDetails()
        details.others = set.others
        #expect(ItemIdentity(keyDescription: item.keyDescription) == item)
        #expect(ItemAttributeSet.attributes(of: item, details) == attributes)
    }

    @Test(
        "a secret has all attributes in its name, and a number if it is not the first",
        arguments: [
            (["service": "s"], 1, "secret:service:s"), (["a:b": "c d", "é": ""], 1, "secret:a%3Ab:c%20d:é:"),
            ([:], 1, "secret:."), (["": ""], 1, "secret::"), ([:], 2, "secret:.:2"), (["": ""], 3, "secret:::3"),
            (["a": "2"], 2, "secret:a:2:2"), (["a": "b", "c": "d"], 12, "secret:a:b:c:d:12"),
        ] as [([Name: Name], Int, String)])
    func secret(attributes: [Name: Name], number: Int, description: String) {
        let item = ItemIdentity.secret(attributes: attributes, number: number)
        #expect(item.keyDescription == description)
        #expect(ItemIdentity(keyDescription: description) == item && item.secretAttributes == attributes)
    }

    @Test("random attributes are read back from the name of a secret, which no other attributes or number have")
    func random() {
        print("random attributes: seed \(testSeed)")
        var random = Choices(seed: testSeed, stream: 1)
        let names: [Name] = [
            "service", "username", "server", "user", "protocol", "a", ":", "%", "é", "e\u{301}", "", " ", ".", "a:b",
            "2", "02", "K", "\u{212A}", ";", "\u{37E}",
        ]
        var seen: [Name: (attributes: [Name: Name], number: Int)] = [:]
        for _ in 0..<20_000 {
            var attributes: [Name: Name] = [:]
            for _ in 0..<Int.random(in: 0...4, using: &random) {
                attributes[names.randomElement(using: &random) ?? ""] = names.randomElement(using: &random)
            }
            let number = Int.random(in: 1...3, using: &random)
            let description = ItemIdentity.secret(attributes: attributes, number: number).keyDescription
            #expect(ItemIdentity(keyDescription: description)?.secretAttributes == attributes)
            let known = seen[Name(description)] ?? (attributes, number)
            #expect(known == (attributes, number))
            seen[Name(description)] = known
        }
    }

    @Test(
        "descriptions that the service does not write belong to others",
        arguments: [
            "secret", "secret:", "secret:a", "secret:b:1:a:2", "secret:a:1:a:2", "secret:a:b:c", "secret:.:.",
            "secret:a: ", "secret:2", "secret:.:1", "secret:.:02", "secret:a:b:1", "secret:a:b:0", "secret:a:b:+2",
            "secret:a:b:02", "secret:.:a:b", "secret:a:b:99999999999999999999",
            "secret:%61:b", "key:k", "cached:c:", "credential:s:u", "internet:h:u", "internet:https%3A//h/p:u",
        ])
    func others(description: String) {
        let named = ItemIdentity(keyDescription: description).flatMap(ItemAttributeSet.named)
        #expect(named == nil)
    }

    private func finds(_ query: [Name: Name], _ item: ItemIdentity, others: [Name: Name]?) -> Bool {
        var details = ItemDetails()
        details.others = others
        let query = ItemAttributeSet(query)
        return query.attributesBeyondName(of: item).map { query.finds(item, details, wanted: $0) } ?? false
    }

    @Test("a query finds items that have all of its attributes")
    func known() {
        let item = ItemIdentity.password(service: "s", account: "u")
        func finds(_ query: [Name: Name]) -> Bool { self.finds(query, item, others: ["application": "keyring"]) }
        #expect(finds([:]) && finds(["service": "s"]) && finds(["application": "keyring"]))
        #expect(finds(["service": "s", "username": "u", "application": "keyring"]))
        for (name, value) in [
            ("service", "t"), ("target", "other"), ("target", "default"), ("more", ""), ("application", "chromium"),
            ("xdg:schema", "x"),
        ] as [(Name, Name)] {
            #expect(!finds(["service": "s", "username": "u"].merging([name: value]) { $1 }), "\(name)")
        }
    }

    @Test("if an item's schema is not known, a query for any schema finds it by all attributes of its name")
    func unknown() {
        let item = ItemIdentity.password(service: "s", account: "u")
        func finds(_ query: [Name: Name]) -> Bool { self.finds(query, item, others: nil) }
        let name: [Name: Name] = ["service": "s", "username": "u"]
        #expect(finds([:]) && finds(name) && finds(["service": "s"]))
        let others: [Name: Name] = ["xdg:schema": "anything", "application": "other", "target": "default"]
        for (other, value) in others {
            #expect(finds(name.merging([other: value]) { $1 }))
            #expect(!finds(["service": "s", other: value]) && !finds([other: value]))
        }
        #expect(finds(name.merging(others) { $1 }))
        #expect(!finds(name.merging(["target": "other"]) { $1 }) && !finds(name.merging(["more": ""]) { $1 }))
    }

    @Test("an internet item of unknown schema is one of git's, whose helper asks without a user")
    func git() {
        let item = ItemIdentity.internet(server: "https://h", account: "u")
        for schema: Name in ["org.gnome.keyring.NetworkPassword", "org.git.Password", "org.example.Other"] {
            let query: [Name: Name] = ["protocol": "https", "server": "h", "xdg:schema": schema]
            let isGits = schema != "org.example.Other"
            #expect(finds(query, item, others: nil) == isGits)
            #expect(finds(query.merging(["user": "u"]) { $1 }, item, others: nil))
            #expect(!finds(query.merging(["application": "a"]) { $1 }, item, others: nil))
            #expect(!finds(query, item, others: [:]))
            #expect(finds(query, item, others: ["xdg:schema": schema]))
        }
    }

    @Test("random queries find the items that have all their attributes, byte for byte")
    func randomQueries() {
        print("random queries: seed \(testSeed)")
        var random = Choices(seed: testSeed, stream: 3)
        let names: [Name] = [
            "service", "username", "server", "user", "protocol", "target", "application", "K", "\u{212A}",
        ]
        let values: [Name] = ["x", "default", "é", "e\u{301}"]
        func attributes(atMost count: Int) -> [Name: Name] {
            Dictionary(
                (0..<Int.random(in: 0...count, using: &random)).map { _ in
                    (names.randomElement(using: &random) ?? "", values.randomElement(using: &random) ?? "")
                }
            ) { first, _ in first }
        }
        for _ in 0..<20_000 {
            let (set, query) = (ItemAttributeSet(attributes(atMost: 4)), attributes(atMost: 3))
            let expected = query.allSatisfy { name, value in set.all[name].map { $0 == value } ?? false }
            let secret = ItemIdentity.secret(attributes: set.all, number: Int.random(in: 1...2, using: &random))
            #expect(finds(query, secret, others: [:]) == expected, "\(query) \(set)")
            guard let shared = set.sharedName else { continue }
            #expect(finds(query, shared, others: set.others) == expected, "\(query) \(set)")
        }
    }
}
