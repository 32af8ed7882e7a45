import Foundation
import Glibc
import Keyutils
import SessionKeyring
import SessionKeyringTesting
import TestSupport
import Testing
import Threads

@testable import SecretService

/// The labels, attributes and times of items.
@Suite("What the Secret Service remembers")
struct RememberedTests {
    private let service: TestService
    private let client: ServiceClient

    init() throws {
        service = try TestService()
        client = try service.client()
    }

    @Test("sixty items keep their schemas and labels")
    func many() throws {
        for number in 0..<60 {
            try client.create(
                ["service": "s\(number)", "username": "u", "xdg:schema": "A"], "s", label: "label \(number)")
        }
        let found = try client.search(["xdg:schema": "A"])
        #expect(found.count == 60)
        #expect(Set(try found.map { try client.label(of: $0) }) == Set((0..<60).map { "label \($0)" }))
    }

    @Test("two services next to each other lose no label, and a label always belongs to its secret")
    func twoServices() throws {
        let scratch = try ScratchKeyring()
        let services = try (0..<2).map { _ in try ServiceThread(.keyring(scratch.keyring.serial)) }
        let problems = Locked<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 2) { number in
            do {
                let client = try services[number].client()
                for round in 0..<20 {
                    for attributes in [["own": "\(number)", "round": "\(round)"], ["service": "s", "username": "u"]] {
                        let text = "\(number) \(round)"
                        try client.create(attributes, text, label: text)
                    }
                }
            } catch {
                problems.withLock { $0.append("\(error)") }
            }
        }
        #expect(problems.withLock { $0 } == [])
        let client = try services[0].client()
        let found = try client.search([:])
        #expect(found.count == 41)
        for path in found { #expect(try client.label(of: path) == client.text(at: path)) }
        withExtendedLifetime(scratch) {}
    }

    @Test("labels and content types come back unchanged, also with an accent at the beginning")
    func accents() throws {
        let path = try client.create(["a": "b"], "s", label: "\u{301}label", type: "\u{301}type")
        #expect(try client.label(of: path) == "\u{301}label")
        #expect(try client.contentType(of: path) == "\u{301}type")
        try client.set("Label", at: path) { $0.variant("\u{302}new") }
        #expect(try client.label(of: path) == "\u{302}new" && client.contentType(of: path) == "\u{301}type")
        try client.setSecret("new", of: path)
        #expect(try client.label(of: path) == "\u{302}new" && client.contentType(of: path) == "text/plain")
        #expect(try client.text(at: path) == "new")
    }

    @Test("a label or content type of more than 1,024 bytes is refused, and nothing is stored")
    func tooLong() throws {
        let long = String(repeating: "é", count: 512)
        let refusal = ServiceClient.error("LimitsExceeded")
        #expect(throws: refusal) { try client.create(["a": "b"], "s", label: long + "x") }
        #expect(throws: refusal) { try client.create(["a": "b"], "s", type: long + "x") }
        #expect(try client.search([:]) == [])
        let path = try client.create(["a": "b"], "s", label: long, type: long)
        #expect(throws: refusal) { try client.set("Label", at: path) { $0.variant(long + "x") } }
        #expect(throws: refusal) { try client.setSecret("t", type: long + "x", of: path) }
        #expect(try client.text(at: path) == "s")
        #expect(try client.label(of: path) == long && client.contentType(of: path) == long)
    }

    @Test("the next item of a name has nothing of the deleted or replaced one")
    func forgotten() throws {
        let item = ItemIdentity.password(service: "s", account: "u")
        let attributes = ["service": "s", "username": "u", "application": "x"]
        let path = try client.create(attributes, "s", label: "old")
        #expect(try client.delete(path))
        try service.store.set("t", for: item)
        #expect(try client.label(of: path) == "u @ s")
        try client.create(attributes, "s", label: "old")
        try service.store.set("s", for: item)
        #expect(try client.label(of: path) == "u @ s")
        #expect(try client.attributes(of: path).count == 2)
    }

    @Test("a label given to an item of skr set says nothing about its schema")
    func labelled() throws {
        try service.store.set("t", for: .password(service: "s", account: "u"))
        let path = try #require(try client.search(["service": "s"]).first)
        try client.set("Label", at: path) { $0.variant("mine") }
        #expect(try client.label(of: path) == "mine" && client.text(at: path) == "t")
        #expect(try client.search(["service": "s", "username": "u", "xdg:schema": "A"]) == [path])
        #expect(try service.store.attributes(of: .password(service: "s", account: "u"))?.expiry == .never)
    }

    private func timeLeft(_ service: TestService, _ item: ItemIdentity) throws -> Duration? {
        guard case .after(let left)? = try service.store.attributes(of: item)?.expiry else { return nil }
        return left.atLeast
    }

    @Test("a new secret has the timeout of the item's schema, after sixty other items")
    func timeoutOfSchema() throws {
        let rule = TimeoutRules.Rule(attribute: "xdg:schema", pattern: "A", timeout: .seconds(50))
        let service = try TestService(timeouts: TimeoutRules(rules: [rule]))
        let client = try service.client()
        let path = try client.create(["service": "s", "username": "u", "xdg:schema": "A"], "s")
        for number in 0..<60 { try client.create(["service": "s", "username": "\(number)"], "s") }
        #expect(try service.store.expire(.password(service: "s", account: "u"), timeout: .seconds(5)))
        try client.setSecret("new", of: path)
        let left = try timeLeft(service, .password(service: "s", account: "u")) ?? .zero
        #expect(left > .seconds(40) && left <= .seconds(50))
    }

    @Test("if an item's schema is not known, a new secret does not live longer than the old one, or than usual")
    func timeoutOfUnknown() throws {
        let item = ItemIdentity.password(service: "s", account: "u")
        for (usual, old, expected) in [(100, 50, 50), (50, 100, 50), (nil, 50, 50), (50, nil, 50)]
            as [(Int?, Int?, Int)]
        {
            let service = try TestService(timeouts: TimeoutRules(usual: usual.map { .seconds($0) }))
            let client = try service.client()
            try service.store.set("t", for: item, lasting: Lifetime(old.map { .seconds($0) }))
            try client.setSecret("new", of: "\(ServiceClient.login)/password_3as_3au")
            let left = try timeLeft(service, item) ?? .zero
            #expect(left > .seconds(expected - 10) && left <= .seconds(expected))
        }
    }

    @Test("new secrets of an item whose schema is not known don't shorten its life")
    func timeoutAfterTimeout() throws {
        let item = ItemIdentity.password(service: "s", account: "u")
        try service.store.set("t", for: item, lasting: .seconds(8 * 3_600))
        // The kernel shows only whole hours, from the next second on one less.
        for number in 0..<3 {
            usleep(1_100_000)
            try client.setSecret("\(number)", of: "\(ServiceClient.login)/password_3as_3au")
        }
        usleep(1_100_000)
        #expect(try timeLeft(service, item) ?? .zero >= .seconds(6 * 3_600))
    }

    /// Takes the item's lease, until the result is `nil`.
    private func beginUpdate(of item: ItemIdentity) throws -> (any ItemUpdate)? {
        var wait = Wait()
        return try wait.run { effort throws(SecretStoreError) in
            try service.store.backend.beginUpdate(of: item, lasting: .seconds(60), effort)
        }
    }

    @Test("an item that another process is writing is not found by a schema that possibly is not its own")
    func beingWritten() throws {
        let item = ItemIdentity.password(service: "s", account: "u")
        let query = ["service": "s", "username": "u", "xdg:schema": "A"]
        try service.store.set("t", for: item)
        // The other process can have stored the value, and not yet what is known about it.
        var update = try beginUpdate(of: item)
        #expect(update != nil)
        #expect(throws: ServiceClient.error("Timeout")) { try client.search(query) }
        #expect(try client.texts(["service": "s"]) == ["t"])
        update = nil
        #expect(try client.texts(query) == ["t"])
    }

    @Test("while another process is writing an item, its attributes don't change, and no second name appears")
    func renamedWhileWritten() throws {
        let path = try client.create(["a": "b"], "s")
        let item = ItemIdentity.secret(attributes: ["a": "b"])
        var update = try beginUpdate(of: item)
        #expect(update != nil)
        #expect(throws: ServiceClient.error("Timeout")) { try client.setAttributes(["c": "d"], of: path) }
        #expect(try service.store.identities() == [item])
        update = nil
        try client.setAttributes(["c": "d"], of: path)
        #expect(try service.store.identities() == [.secret(attributes: ["c": "d"])])
    }

    @Test("changed attributes leave an item its label, its content type and its life")
    func renamed() throws {
        let service = try TestService(timeouts: TimeoutRules(usual: .seconds(47 * 3_600)))
        let client = try service.client()
        let path = try client.create(["a": "b"], "s", label: "mine", type: "x/y")
        try client.setAttributes(["service": "s", "username": "u"], of: path)
        let item = ItemIdentity.password(service: "s", account: "u")
        // The kernel shows 47 hours as one day. If they had become 24 hours, it would show 23 hours a second later.
        usleep(1_100_000)
        #expect(try timeLeft(service, item) == .seconds(86_400))
        #expect(try client.label(of: path) == "mine" && client.contentType(of: path) == "x/y")
        try client.setAttributes(["service": "s", "username": "u", "xdg:schema": "A"], of: path)
        #expect(try client.search(["xdg:schema": "A"]).count == 1)
        #expect(try service.store.identities() == [item])
    }

    @Test(
        "without room for what is remembered, the secret is stored, and its whole name finds it", .tags(.root),
        .enabled(if: isRoot, "becomes an ordinary user"))
    func noRoom() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            try OrdinaryUser.becomeInNewSession(60_484)
            let service = try ServiceThread(.session)
            let client = try service.client()
            let store = try SecretStore(.session)
            let query = ["service": "t", "username": "u", "xdg:schema": "A"]
            let (ballast, item) = (
                ItemIdentity.password(service: "ballast"), ItemIdentity.password(service: "t", account: "u")
            )
            // Raises the update flag, which takes room too.
            try client.create(["a": "b"], Array("s".utf8))
            var unknown = 0
            // The quota has room for the secret and its lease; for the texts, only at the end.
            for room in stride(from: 60, through: 400, by: 10) {
                for item in [ballast, item] { try store.delete(item) }
                usleep(200_000)
                let quota = try KeyQuota.current()
                let size = quota.maximumBytes - quota.bytes - ballast.keyDescription.utf8.count - 5 - room
                guard case .some = try? store.set(SecretBytes(zeros: size), for: ballast) else { continue }
                usleep(200_000)
                var operation = try store.settingWithTexts(item)
                let outcome = try? operation.attempt([1].span.bytes, Effort()) { _ in
                    (nil, ["created": "1", ":xdg:schema": "A"])
                }
                guard case .done(true)? = outcome, try store.texts(of: item)?.isEmpty == true else { continue }
                unknown += 1
                if try client.search(query).count != 1 { Report.tellProblem("not found by its whole name") }
                if try client.search(["xdg:schema": "A"]) != [] { Report.tellProblem("its schema is known") }
            }
            Report.tell("\(unknown) items without details")
            if unknown == 0 { Report.tellProblem("there was always room for the details") }
        }
        Report.check(result)
    }

    @Test("a new collection is a new one, also if another one has its label")
    func collections() throws {
        let first = try client.createCollection("keys")
        try client.create(["a": "b"], "s", in: first)
        let second = try client.createCollection("keys")
        #expect(first != second)
        for path in [first, second] {
            var answer = try client.property("Label", of: "Collection", at: path)
            #expect(try answer.string() == "keys")
        }
        _ = try client.call("Delete", at: second)
        #expect(try client.texts(["a": "b"], in: first) == ["s"])
        // An alias leads to the same collection again.
        let third = try client.createCollection("keys", alias: "mine")
        #expect(try client.createCollection("keys", alias: "mine") == third && third != first)
    }

    @Test("aliases of deleted collections don't count, and an existing alias needs no room")
    func manyAliases() throws {
        for number in 0..<101 {
            let path = try client.createCollection("keys", alias: "\(number)")
            _ = try client.call("Delete", at: path)
        }
        for number in 0..<100 { _ = try client.createCollection("keys", alias: "\(number)") }
        #expect(throws: ServiceClient.error("LimitsExceeded")) { try client.createCollection("keys", alias: "more") }
        #expect(try client.createCollection("keys", alias: "default") == ServiceClient.login)
    }

    @Test("deleted collections leave no keyring")
    func deleted() throws {
        let before = try service.store.namespaces().count
        for _ in 0..<5 {
            let path = try client.createCollection("keys")
            try client.create(["a": "b"], "s", in: path)
            _ = try client.call("Delete", at: path)
        }
        #expect(try service.store.namespaces().count == before)
    }

    @Test(
        "an ordinary user can create and delete more collections than the quota has keys", .tags(.root),
        .enabled(if: isRoot, "becomes an ordinary user"))
    func manyCollections() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            try OrdinaryUser.becomeInNewSession(60_485)
            let service = try ServiceThread(.session)
            let client = try service.client()
            for number in 0..<250 {
                let empty = try client.createCollection("keys \(number)")
                let path = try client.createCollection("keys")
                try client.create(["a": "b"], "s", in: path)
                for path in [empty, path] { _ = try client.call("Delete", at: path) }
            }
        }
        Report.check(result)
    }
}
