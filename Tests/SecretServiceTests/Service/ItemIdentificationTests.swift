import Keyutils
import SessionKeyring
import TestSupport
import Testing
import Threads

@testable import SecretService

/// Which item a call means: clients must never get, replace or delete another program's item.
@Suite("Items of different programs")
struct ItemIdentificationTests {
    private let service: TestService
    private let client: ServiceClient

    init() throws {
        service = try TestService()
        client = try service.client()
    }

    @Test("a program does not find items that have another schema or none")
    func otherSchemas() throws {
        let git = ["protocol": "https", "server": "h", "user": "alice", "xdg:schema": "org.git.Password"]
        try client.create(git, "git's")
        try client.create(["user": "alice", "host": "h"], "another's")
        #expect(try client.texts(["user": "alice", "xdg:schema": "A"]) == [])
        #expect(try client.texts(["user": "alice"]).count == 2)
    }

    @Test("keyring-rs's targets are different items")
    func targets() throws {
        let work = ["service": "svc", "target": "work", "username": "u"]
        let usual = work.merging(["target": "default"]) { $1 }
        try client.create(work, "work's")
        #expect(try client.texts(usual) == [])
        let path = try client.create(usual, "default's")
        #expect(try client.texts(usual) == ["default's"] && client.texts(work) == ["work's"])
        #expect(try client.attributes(of: path)["target"] == "default")
        #expect(try service.store.get(.password(service: "svc", account: "u"), as: String.self) == "default's")
    }

    @Test(
        "programs that differ only in their schema have an item each",
        arguments: [
            ["account": "default"], ["service": "s", "username": "u"], ["server": "h", "user": "u", "protocol": "x"],
        ])
    func sameAttributes(attributes: [String: String]) throws {
        func with(_ schema: String) -> [String: String] { attributes.merging(["xdg:schema": schema]) { $1 } }
        let first = try client.create(with("A"), "A's")
        let second = try client.create(with("B"), "B's")
        #expect(first != second)
        for (schema, text) in [("A", "A's"), ("B", "B's")] { #expect(try client.texts(with(schema)) == [text]) }
        // Each of them replaces and deletes its own.
        #expect(try client.create(with("A"), "A's second") == first && client.create(with("B"), "B's second") == second)
        #expect(try client.texts(attributes) == ["B's second", "A's second"])
        #expect(try client.delete(second))
        #expect(try client.texts(attributes) == ["A's second"])
        // With its own attributes, B's item keeps its place, also if the other name is free.
        #expect(try client.create(with("B"), "B's third") == second)
        #expect(try client.delete(first))
        #expect(try client.create(with("B"), "B's fourth") == second)
        #expect(try client.texts(attributes) == ["B's fourth"])
    }

    @Test("programs share an item unless they give different values of an attribute")
    func lessKnown() throws {
        let attributes = ["service": "gh:github.com", "username": "u"]
        let ofPython = attributes.merging(["application": "Python keyring library"]) { $1 }
        let path = try client.create(ofPython, "Python's")
        #expect(try client.create(attributes, "gh's") == path)
        // Both still find it.
        #expect(try client.texts(attributes) == ["gh's"] && client.texts(ofPython) == ["gh's"])
        #expect(try client.create(ofPython, "Python's") == path)
        #expect(try client.create(attributes.merging(["application": "other"]) { $1 }, "other's") != path)
        #expect(try client.texts(ofPython) == ["Python's"])
    }

    @Test("an item that Set(Attributes) moves from a shared name has exactly its new attributes")
    func movedFromSharedName() throws {
        let path = try client.create(["service": "s", "username": "u", "xdg:schema": "B"], "1")
        let new = ["service": "s", "username": "u", "xdg:schema": "C", "more": "1"]
        try client.setAttributes(new, of: path)
        let moved = try #require(try client.search(new).first)
        #expect(try client.attributes(of: moved).count == 4)
        #expect(try client.create(new, "2") == moved && client.texts(new) == ["2"])
    }

    @Test("a key that this process must not read hides no other item")
    func unreadable() throws {
        let names = ["service": "s", "username": "u"]
        try client.create(names.merging(["xdg:schema": "A"]) { $1 }, "hidden")
        try client.create(["a": "b"], "visible")
        let collection = try client.createCollection("odd")
        for (ring, key) in [("skr:default", "password:s:u"), ("skr:secrets-odd", "label:secret")] {
            let ring = Keyring(try service.scratch.keyring.search(.keyring, ring).serial)
            try ring.search(.user, key).setPermissions([.possessorView, .userView])
        }
        #expect(try client.texts([:]) == ["visible"] && client.texts([:], in: ServiceClient.service) == ["visible"])
        #expect(try client.texts(["a": "b", "xdg:schema": "A"]) == [])
        #expect(try client.collections().contains(collection) == false)
        #expect(try client.create(names.merging(["xdg:schema": "B"]) { $1 }, "B's").contains("secret"))
        #expect(try client.createCollection("odd") != collection)
    }

    @Test("an item of skr set is found by its whole name, whatever the schema, and is then replaced")
    func unknown() throws {
        let item = ItemIdentity.password(service: "s", account: "u")
        try service.store.set("skr's", for: item)
        let named = ["service": "s", "username": "u"]
        for others in [["xdg:schema": "A"], ["application": "a"], ["target": "default"], [:]] {
            #expect(try client.texts(named.merging(others) { $1 }) == ["skr's"])
        }
        #expect(try client.texts(["service": "s", "xdg:schema": "A"]) == [])
        #expect(try client.texts(named.merging(["target": "work"]) { $1 }) == [])
        let path = try client.create(named.merging(["xdg:schema": "A"]) { $1 }, "A's")
        #expect(try service.store.get(item, as: String.self) == "A's")
        #expect(try client.texts(named.merging(["xdg:schema": "B"]) { $1 }) == [])
        // If skr set stores the item again, its schema is unknown again.
        try service.store.set("skr's", for: item)
        #expect(try client.texts(named.merging(["xdg:schema": "B"]) { $1 }) == ["skr's"])
        #expect(try client.attributes(of: path) == ["service": "s", "username": "u"])
    }

    @Test("git's helper finds a server's item without a user, but not another program's")
    func git() throws {
        let query = ["protocol": "https", "server": "h", "xdg:schema": "org.git.Password"]
        try service.store.set("skr's", for: .internet(server: "https://h", account: "u"))
        #expect(try client.texts(query) == ["skr's"])
        let other = ["protocol": "https", "server": "h", "user": "u", "xdg:schema": "org.example"]
        try client.create(other, "another's")
        #expect(try client.texts(query) == [])
    }

    @Test("several items come newest first, from all collections")
    func order() throws {
        let collection = try client.createCollection("more")
        for (number, place) in [(1, ServiceClient.login), (2, collection), (3, ServiceClient.login)] {
            try client.create(["all": "x", "number": "\(number)"], "\(number)", in: place)
            service.serve(for: .milliseconds(5))
        }
        #expect(try client.texts(["all": "x"], in: ServiceClient.service) == ["3", "2", "1"])
        service.serve(for: .milliseconds(5))
        try client.create(["all": "x", "number": "1"], "1 again")
        #expect(try client.texts(["all": "x"], in: ServiceClient.service) == ["1 again", "3", "2"])
    }

    @Test(
        "without replace, nothing is overwritten, and with it, the newest one is",
        arguments: [
            ["xdg:schema": "org.gnome.keyring.Note"], [:], ["service": "s", "username": "u"],
            ["service": "s", "username": "u", "xdg:schema": "A"], ["server": "h", "user": "u", "protocol": "p"],
        ] as [[String: String]])
    func withoutReplace(attributes: [String: String]) throws {
        var paths: [String] = []
        for number in 1...4 {
            paths.append(try client.create(attributes, "\(number)", label: "label \(number)", replace: false))
            service.serve(for: .milliseconds(5))
        }
        #expect(Set(paths).count == 4)
        for (number, path) in paths.enumerated() {
            #expect(try client.text(at: path) == "\(number + 1)" && client.label(of: path) == "label \(number + 1)")
            let names = attributes.map { (Name($0.key), Name($0.value)) }
            #expect(try client.attributes(of: path) == Dictionary(uniqueKeysWithValues: names))
        }
        #expect(try client.texts(attributes) == ["4", "3", "2", "1"])
        #expect(try client.create(attributes, "new") == paths[3])
        #expect(try client.delete(paths[1]))
        #expect(try client.texts(attributes) == ["new", "3", "1"])
        let again = try client.create(attributes, "again", replace: false)
        #expect(again == paths[1])
    }

    /// An item of the test's own model of a Secret Service.
    private struct Model {
        var attributes: [String: String]
        var isShared: Bool
        var text: String
        var order: Int

        private static let others = ["application", "xdg:schema", "target"]

        static func isShareable(_ attributes: [String: String]) -> Bool {
            attributes["target"] ?? "default" == "default"
                && Set(attributes.keys).subtracting(others) == ["service", "username"]
        }

        /// Whether two sets that can have the same name have different attributes.
        func conflicts(with new: [String: String]) -> Bool {
            attributes.contains { name, value in new[name] != nil && new[name] != value }
        }

        func hasName(of new: [String: String]) -> Bool {
            isShared && attributes["service"] == new["service"] && attributes["username"] == new["username"]
        }
    }

    @Test("random calls give what a simple model gives")
    func model() throws {
        print("random calls: seed \(testSeed)")
        var random = Choices(seed: testSeed, stream: 5)
        var items: [Model] = []
        let names = ["service", "username", "application", "xdg:schema", "target", "a"]
        func attributes(from least: Int) -> [String: String] {
            var some: [String: String] = [:]
            for name in names.prefix(least) { some[name] = ["x", "y"].randomElement(using: &random) }
            for _ in 0..<Int.random(in: 0...2, using: &random) {
                some[names.randomElement(using: &random) ?? ""] = ["x", "default"].randomElement(using: &random)
            }
            return some
        }
        for order in 0..<600 {
            let attributes = attributes(from: [0, 2].randomElement(using: &random) ?? 0)
            let text = "\(order)"
            func has(_ wanted: [String: String], _ item: Model) -> Bool {
                wanted.allSatisfy { item.attributes[$0.key] == $0.value }
            }
            switch Int.random(in: 0...9, using: &random) {
            case 0...3:
                try client.create(attributes, text)
                let equal = items.indices.filter { items[$0].attributes == attributes }
                let shared = items.firstIndex { $0.hasName(of: attributes) }
                let isShareable = Model.isShareable(attributes)
                if let newest = equal.max(by: { items[$0].order < items[$1].order }) {
                    (items[newest].text, items[newest].order) = (text, order)
                } else if isShareable, let shared, !items[shared].conflicts(with: attributes) {
                    let all = items[shared].attributes.merging(attributes) { $1 }
                    items[shared] = Model(attributes: all, isShared: true, text: text, order: order)
                } else {
                    let isShared = isShareable && shared == nil
                    items.append(Model(attributes: attributes, isShared: isShared, text: text, order: order))
                }
            case 4...5:
                try client.create(attributes, text, replace: false)
                let isShared = Model.isShareable(attributes) && !items.contains { $0.hasName(of: attributes) }
                items.append(Model(attributes: attributes, isShared: isShared, text: text, order: order))
            case 6:
                for path in try client.search(attributes) { #expect(try client.delete(path)) }
                items.removeAll { has(attributes, $0) }
            default:
                let expected = items.filter { has(attributes, $0) }.sorted { $0.order > $1.order }.map(\.text)
                #expect(try client.texts(attributes) == expected, "\(attributes)")
            }
            // Times are in milliseconds.
            service.serve(for: .milliseconds(2))
        }
        #expect(try client.search([:]).count == items.count)
    }
}
