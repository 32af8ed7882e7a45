import Keyutils
import SessionKeyring
import TestSupport
import Testing
import Threads

@testable import SecretService

@Suite("Attributes and identities")
struct ItemAttributeSetTests {
    @Test(
        "attributes name an item",
        arguments: [
            (["service": "gh:github.com", "username": "u"], "password:gh%3Agithub.com:u"),
            (["application": "Python keyring library", "service": "s", "username": "u"], "password:s:u"),
            (["service": "s", "target": "default", "username": "u", "xdg:schema": "x"], "password:s:u"),
            (["service": "s", "target": "other", "username": "u"], "secret:service:s:target:other:username:u"),
            (["user": "u", "protocol": "https", "server": "h:8080"], "internet:https%3A//h%3A8080:u"),
            (["user": "u", "protocol": "https", "server": "h", "xdg:schema": "x"], "internet:https%3A//h:u"),
            (["user": "u", "protocol": "https", "server": "h/p"], "secret:protocol:https:server:h/p:user:u"),
            (["service": "s"], "secret:service:s"), (["service": "", "username": "u"], "secret:service::username:u"),
            (["a:b": "c d", "é": ""], "secret:a%3Ab:c%20d:é:"), ([:], "secret:."), (["": ""], "secret::"),
            (["application": "chromium", "xdg:schema": "v2"], "secret:application:chromium:xdg%3Aschema:v2"),
        ] as [([Name: String], String)])
    func identity(attributes: [Name: String], description: String) throws {
        let set = ItemAttributeSet(attributes)
        #expect(set.identity.keyDescription == description)
        // The attributes can be read back from the description.
        let item = try #require(ItemIdentity(keyDescription: description))
        #expect(item == set.identity)
        #expect(ItemAttributeSet.telling(of: item) == set.telling)
        #expect(set.telling.merging(set.ignored) { first, _ in first } == attributes)
    }

    @Test("random attributes are read back from the identity, and equal identities have equal attributes")
    func random() {
        print("random attributes: seed \(testSeed)")
        var random = Choices(seed: testSeed, stream: 1)
        let names = [
            "service", "username", "server", "user", "protocol", "a", ":", "%", "é", "e\u{301}", "", " ", ".", "a:b",
        ]
        var seen: [Name: [Name: String]] = [:]
        for _ in 0..<20_000 {
            var attributes: [Name: String] = [:]
            for _ in 0..<Int.random(in: 0...4, using: &random) {
                attributes[names.randomElement(using: &random) ?? ""] = names.randomElement(using: &random)
            }
            let set = ItemAttributeSet(attributes)
            let description = set.identity.keyDescription
            #expect(ItemIdentity(keyDescription: description).flatMap(ItemAttributeSet.telling) == set.telling)
            #expect(seen[description] ?? set.telling == set.telling)
            seen[description] = set.telling
        }
    }

    @Test(
        "descriptions that the service does not write belong to others",
        arguments: [
            "secret", "secret:", "secret:a", "secret:b:1:a:2", "secret:a:1:a:2", "secret:a:b:c", "secret:.:.",
            "secret:a: ",
            "secret:%61:b", "key:k", "cached:c:", "credential:s:u", "internet:h:u", "internet:https%3A//h/p:u",
        ])
    func others(description: String) {
        let telling = ItemIdentity(keyDescription: description).flatMap(ItemAttributeSet.telling)
        #expect(telling == nil)
    }

    @Test("a query finds items with all of its attributes, and ignores those that name the program")
    func queries() {
        let ignored: [Name: String] = ["application": "Python keyring library"]
        func finds(_ query: [Name: String]) -> Bool {
            ItemAttributeSet(query).finds(.password(service: "s", account: "u"), ignored: ignored)
        }
        #expect(finds([:]))
        #expect(finds(["service": "s"]))
        #expect(finds(["service": "s", "xdg:schema": "anything", "application": "other", "target": "default"]))
        #expect(!finds(["service": "t"]))
        #expect(!finds(["service": "s", "target": "other"]))
        #expect(!finds(["service": "s", "more": ""]))
        // A query of nothing else is for a program's own item.
        #expect(finds(["application": "Python keyring library"]))
        #expect(!finds(["application": "chromium"]))
    }

    @Test("random queries find the items that have all their attributes")
    func randomQueries() {
        print("random queries: seed \(testSeed)")
        var random = Choices(seed: testSeed, stream: 3)
        let names: [Name] = ["service", "username", "server", "user", "protocol", "target", "application", "a"]
        func attributes(atMost count: Int) -> [Name: String] {
            Dictionary(
                (0..<Int.random(in: 0...count, using: &random)).map { _ in
                    (names.randomElement(using: &random) ?? "", ["x", "default"].randomElement(using: &random) ?? "")
                }
            ) { first, _ in first }
        }
        for _ in 0..<20_000 {
            let (set, query) = (ItemAttributeSet(attributes(atMost: 4)), attributes(atMost: 3))
            let told = query.filter { $0.key != "application" && !($0.key == "target" && $0.value == "default") }
            let (wanted, found) = told.isEmpty ? (query, set.all) : (told, set.telling)
            let expected = wanted.allSatisfy { found[$0.key] == $0.value }
            #expect(ItemAttributeSet(query).finds(set.identity, ignored: set.ignored) == expected, "\(query) \(set)")
        }
    }
}
