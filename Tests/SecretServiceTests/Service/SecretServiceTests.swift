import Glibc
import Keyutils
import SecretText
import SessionKeyring
import SessionKeyringTesting
import Testing

@testable import SecretService

@Suite("The Secret Service")
struct SecretServiceTests {
    private let error = "org.freedesktop.DBus.Error."

    @Test("a stored secret is found, read, replaced and deleted, and is an item of the store")
    func life() throws {
        let service = try TestService()
        let client = try service.client()
        let session = try client.openSession()
        let attributes = ["application": "x", "service": "s", "username": "u"]
        let path = try client.create(attributes, "one", session: session)
        #expect(path == "\(TestClient.login)/password_3as_3au")
        #expect(try client.search(["service": "s", "xdg:schema": "y"]) == [path])
        #expect(try client.search(["service": "t"]) == [])
        #expect(try client.secret(path, session: session) == "one")
        #expect(try service.store.get(.password(service: "s", account: "u"), as: String.self) == "one")
        #expect(try client.create(["service": "s", "username": "u"], "two", session: session) == path)
        #expect(try client.secret(path, session: session) == "two")
        // The same item through the alias.
        #expect(
            try client.secret(path.replacing("collection/login", with: "aliases/default"), session: session) == "two")
        var answer = try client.property("Label", of: "Item", at: path)
        #expect(try answer.string() == "label")
        _ = try client.call("Delete", path: path)
        #expect(try client.search([:]) == [])
        #expect(throws: TestFailure(name: error + "UnknownObject", message: "")) {
            try client.secret(path, session: session)
        }
    }

    @Test("an item of the store is an item of the service, without a label of a client")
    func fromStore() throws {
        let service = try TestService()
        let client = try service.client()
        let session = try client.openSession()
        try service.store.set("t", for: .password(service: "gh:github.com", account: "u"))
        try service.store.set("t", for: .credential(service: "other"))
        let path = try #require(try client.search(["service": "gh:github.com", "username": "u"]).first)
        #expect(try client.secret(path, session: session) == "t")
        var label = try client.property("Label", of: "Item", at: path)
        #expect(try label.string() == "u @ gh:github.com")
        #expect(try client.search([:]).count == 1)
    }

    @Test("an expired item is gone everywhere at once, and rules decide about timeouts")
    func expiry() throws {
        let rule = TimeoutRules.Rule(attribute: "service", pattern: "gh:*", timeout: .seconds(1))
        let service = try TestService(timeouts: TimeoutRules(usual: .seconds(3_600), rules: [rule]))
        let client = try service.client()
        let session = try client.openSession()
        let path = try client.create(["service": "gh:x", "username": "u"], "s", session: session)
        let other = try client.create(["service": "x", "username": "u"], "s", session: session)
        service.serve(for: .milliseconds(1_200))
        #expect(try client.search([:]) == [other])
        #expect(throws: TestFailure(name: error + "UnknownObject", message: "")) {
            try client.secret(path, session: session)
        }
        let expiry = try service.store.attributes(of: .password(service: "x", account: "u"))?.expiry
        #expect(expiry != .never)
    }

    @Test("a session belongs to the client that opened it")
    func sessions() throws {
        let service = try TestService()
        let (client, other) = (try service.client(), try service.client())
        let session = try client.openSession()
        let path = try client.create(["a": "b"], "s", session: session)
        let noSession = TestFailure(name: "org.freedesktop.Secret.Error.NoSession", message: "")
        #expect(throws: noSession) { try other.secret(path, session: session) }
        #expect(throws: noSession) { try other.create(["a": "c"], "s", session: session) }
        _ = try client.call("Close", path: session)
        #expect(throws: noSession) { try client.secret(path, session: session) }
    }

    @Test("unknown names, objects, methods and arguments are errors that clients know")
    func errors() throws {
        let service = try TestService()
        let client = try service.client()
        func fails(_ name: String, _ body: () throws -> Void) {
            #expect(throws: TestFailure(name: error + name, message: ""), performing: body)
        }
        fails("ServiceUnknown") { _ = try client.call("Ping", destination: "org.freedesktop.portal.Desktop") }
        fails("UnknownObject") { _ = try client.call("Ping", path: "/org/freedesktop/secrets/collection/none") }
        fails("UnknownObject") { _ = try client.call("Ping", path: "/org/gnome/keyring") }
        fails("UnknownMethod") { _ = try client.call("Steal") }
        fails("InvalidArgs") { _ = try client.call("ReadAlias", signature: "u") { $0.number(1) } }
        fails("InvalidArgs") { _ = try client.call("ReadAlias", signature: "s") { $0.number(1_000) } }
        fails("NotSupported") {
            _ = try client.call("OpenSession", signature: "sv") { writer in
                writer.string("rot13")
                writer.variant(.string(""))
            }
        }
        #expect(throws: Never.self) { try client.openSession() }
    }

    @Test("collections are created, listed and deleted")
    func collections() throws {
        let service = try TestService()
        let client = try service.client()
        let session = try client.openSession()
        func paths() throws -> [String] {
            var answer = try client.property("Collections", of: "Service", at: SecretService.path)
            return try answer.objectPaths().map { String($0.dropFirst(SecretService.path.count + 1)) }
        }
        #expect(try paths() == ["collection/login", "collection/session"])
        var answer = try client.call("CreateCollection", signature: "a{sv}s") { writer in
            writer.entries([("org.freedesktop.Secret.Collection.Label", WireValue.string("My keys"))]) {
                entry, writer in
                writer.string(entry.0)
                writer.variant(entry.1)
            }
            writer.string("")
        }
        let path = try answer.objectPath()
        #expect(try paths() == ["collection/login", "collection/session", "collection/My_20keys"])
        let item = try client.create(["a": "b"], "s", in: path, session: session)
        #expect(try client.search(["a": "b"], in: path) == [item])
        #expect(try client.search(["a": "b"]) == [])
        _ = try client.call("Delete", path: path)
        #expect(try client.search([:]) == [])
    }

    @Test("changed attributes change the name of an item, which the old path still leads to")
    func attributes() throws {
        let service = try TestService()
        let client = try service.client()
        let session = try client.openSession()
        let path = try client.create(["a": "b"], "s", session: session)
        _ = try client.call("Set", path: path, signature: "ssv") { writer in
            writer.string("org.freedesktop.Secret.Item")
            writer.string("Attributes")
            writer.variant(.stringDictionary(["service": "s", "username": "u"]))
        }
        #expect(try client.secret(path, session: session) == "s")
        #expect(try client.search(["a": "b"]) == [])
        #expect(try client.search(["service": "s"]).count == 1)
        #expect(try service.store.identities() == [.password(service: "s", account: "u")])
    }

    @Test("signals go only to clients with a matching rule")
    func signals() throws {
        let service = try TestService()
        let (client, listener) = (try service.client(), try service.client())
        _ = try listener.call("AddMatch", destination: "org.freedesktop.DBus", path: "/", signature: "s") {
            $0.string("type='signal',sender='org.freedesktop.secrets',member='ItemCreated'")
        }
        let session = try client.openSession()
        let path = try client.create(["a": "b"], "s", session: session)
        _ = try client.call("Delete", path: path)
        _ = try listener.call("Ping")
        _ = try client.call("Ping")
        #expect(client.signals.isEmpty)
        #expect(listener.signals.map(\.header.member) == ["ItemCreated"])
        var body = try #require(listener.signals.first?.body)
        #expect(try body.objectPath() == path)
    }

    @Test("if another process holds an item, a call gets an error within a second, and other clients don't wait")
    func blocked() throws {
        let service = try TestService()
        let (client, other) = (try service.client(), try service.client())
        let session = try client.openSession()
        let item = ItemIdentity.password(service: "s", account: "u")
        try service.store.set("old", for: item)
        // Sets the update flag; from now on, each write needs the item's lease.
        _ = try service.store.blockingUpdate(item, as: String.self, timeout: nil) { (_: String?) in "held" }
        var attempt = BackendAttempt()
        let held = try service.store.backend.beginUpdate(of: item, lasting: .seconds(5), &attempt)
        let start = ContinuousClock.now
        #expect(throws: TestFailure(name: error + "Timeout", message: "")) {
            try client.create(["service": "s", "username": "u"], "new", session: session)
        }
        let waited = ContinuousClock.now - start
        #expect(waited > .milliseconds(700) && waited < .seconds(1))
        let again = ContinuousClock.now
        #expect(try other.search(["service": "s"]).count == 1)
        #expect(ContinuousClock.now - again < .milliseconds(100))
        #expect(try service.store.get(item, as: String.self) == "held")
        withExtendedLifetime(held) {}
    }

    @Test("a peer that never reads, and one that never ends a message, disturb nobody")
    func silent() throws {
        let service = try TestService()
        let (deaf, slow, client) = (try service.client(), try service.client(), try service.client())
        let session = try client.openSession()
        slow.send(Array(Samples.call("Ping").prefix(40)))
        // Until the service has read as many calls as it keeps.
        var serial: UInt32 = 2
        while deaf.send(Samples.call("Introspect", serial: serial), waits: false) { serial += 1 }
        #expect(serial > 100)
        let path = try client.create(["a": "b"], "s", session: session, within: .seconds(1))
        #expect(try client.secret(path, session: session) == "s")
    }

    @Test("the thirty-third client is turned away")
    func crowd() throws {
        let service = try TestService()
        let clients = try (0..<32).map { _ in try service.client() }
        let late = try TestClient(service)
        #expect(late.isClosed)
        #expect(throws: Never.self) { try clients[0].openSession() }
    }
}

@Suite("Collections, aliases and properties of the Secret Service")
struct CollectionTests {
    private let error = "org.freedesktop.DBus.Error."

    private func create(_ label: String, alias: String = "", by client: TestClient) throws -> String {
        var answer = try client.call("CreateCollection", signature: "a{sv}s") { writer in
            writer.entries(["org.freedesktop.Secret.Collection.Label"]) { name, writer in
                writer.string(name)
                writer.variant(.string(label))
            }
            writer.string(alias)
        }
        return try answer.objectPath()
    }

    private func alias(_ name: String, of client: TestClient) throws -> String {
        var answer = try client.call("ReadAlias", signature: "s") { $0.string(name) }
        return try answer.objectPath()
    }

    @Test("a deleted collection is gone")
    func deleted() throws {
        let service = try TestService()
        let client = try service.client()
        let path = try create("mine", by: client)
        var answer = try client.property("Collections", of: "Service", at: SecretService.path)
        #expect(try answer.objectPaths().contains(path))
        _ = try client.call("Delete", path: path)
        answer = try client.property("Collections", of: "Service", at: SecretService.path)
        #expect(try answer.objectPaths().count == 2)
        #expect(throws: TestFailure(name: error + "UnknownObject", message: "")) {
            try client.property("Label", of: "Collection", at: path)
        }
        #expect(try create("mine", by: client) == path)
    }

    @Test("aliases are set and removed, except for the fixed ones")
    func aliases() throws {
        let service = try TestService()
        let client = try service.client()
        let path = try create("mine", alias: "work", by: client)
        #expect(try alias("work", of: client) == path)
        #expect(try alias("default", of: client) == TestClient.login)
        func set(_ name: String, _ path: String) throws {
            _ = try client.call("SetAlias", signature: "so") { writer in
                writer.string(name)
                writer.string(path)
            }
        }
        try set("work", "/")
        #expect(try alias("work", of: client) == "/")
        try set("work", TestClient.login)
        #expect(try alias("work", of: client) == TestClient.login)
        try set("default", TestClient.login)
        #expect(throws: TestFailure(name: error + "NotSupported", message: "")) { try set("default", path) }
        #expect(throws: TestFailure(name: error + "UnknownObject", message: "")) { try set("x", path + "x") }
    }

    @Test("a changed property is announced to clients that asked for it, and items have times")
    func changed() throws {
        let service = try TestService()
        let (client, other) = (try service.client(), try service.client())
        let session = try client.openSession()
        let path = try client.create(["a": "b"], "s", session: session)
        _ = try other.call(
            "AddMatch", destination: "org.freedesktop.DBus", path: "/org/freedesktop/DBus", signature: "s"
        ) { $0.string("type='signal',interface='org.freedesktop.DBus.Properties',path='\(path)'") }
        _ = try client.call("Set", path: path, signature: "ssv") { writer in
            writer.string("org.freedesktop.Secret.Item")
            writer.string("Label")
            writer.variant(.string("new"))
        }
        _ = try other.call("Ping", path: SecretService.path)
        let signal = try #require(other.signals.first)
        #expect(signal.header.member == "PropertiesChanged" && signal.header.signature == "sa{sv}as")
        var body = try #require(signal.body)
        #expect(try body.string() == "org.freedesktop.Secret.Item")
        var label: String?
        try body.properties { name, value throws(WireError) in if name == "Label" { label = try value.stringVariant() }
        }
        #expect(label == "new" && client.signals.isEmpty)
        for name in ["Created", "Modified"] {
            var answer = try client.property(name, of: "Item", at: path)
            try answer.align(to: 8)
            let seconds = try answer.number()
            #expect(abs(Double(seconds) - Double(time(nil))) < 60)
        }
    }

    private func setAttributes(_ attributes: [String: String], of path: String, by client: TestClient) throws {
        _ = try client.call("Set", path: path, signature: "ssv") { writer in
            writer.string("org.freedesktop.Secret.Item")
            writer.string("Attributes")
            writer.variant(.stringDictionary(attributes))
        }
    }

    @Test("the old path of an item with new attributes leads to it, until another item has that path")
    func renamed() throws {
        let service = try TestService()
        let client = try service.client()
        let session = try client.openSession()
        let old = try client.create(["name": "alice"], "1", session: session)
        try setAttributes(["name": "bob"], of: old, by: client)
        try setAttributes(["name": "carol"], of: old, by: client)
        #expect(try client.secret(old, session: session) == "1")
        // In another collection, the same attributes are another item.
        #expect(throws: TestFailure(name: error + "UnknownObject", message: "")) {
            try client.secret(old.replacing("/login/", with: "/session/"), session: session)
        }
        #expect(try client.create(["name": "alice"], "2", session: session) == old)
        _ = try client.call("Delete", path: old)
        #expect(throws: TestFailure(name: error + "UnknownObject", message: "")) {
            try client.secret(old, session: session)
        }
        let path = try #require(try client.search(["name": "carol"]).first)
        #expect(try client.secret(path, session: session) == "1")
    }

    @Test("an item does not take the attributes of another one")
    func occupied() throws {
        let service = try TestService()
        let client = try service.client()
        let session = try client.openSession()
        let one = try client.create(["name": "alice"], "1", session: session)
        let two = try client.create(["name": "bob"], "2", session: session)
        #expect(throws: TestFailure(name: error + "InvalidArgs", message: "")) {
            try setAttributes(["name": "alice"], of: two, by: client)
        }
        #expect(try client.secret(one, session: session) == "1")
        #expect(try client.secret(two, session: session) == "2")
    }

    @Test("a signal is sent once, and names may begin with an accent")
    func once() throws {
        let service = try TestService()
        let client = try service.client()
        let session = try client.openSession()
        _ = try client.call(
            "AddMatch", destination: "org.freedesktop.DBus", path: "/org/freedesktop/DBus", signature: "s"
        ) { $0.string("type='signal'") }
        let attributes = ["\u{301}a": "\u{301}"]
        let path = try client.create(attributes, "s", session: session)
        for _ in 0..<3 {
            _ = try client.call(
                "NameHasOwner", destination: "org.freedesktop.DBus", path: "/org/freedesktop/DBus", signature: "s"
            ) { $0.string("a.b") }
        }
        #expect(client.signals.map(\.header.member) == ["ItemCreated"])
        #expect(try client.search(attributes) == [path])
        let collection = try create("\u{301}x", by: client)
        var answer = try client.property("Collections", of: "Service", at: SecretService.path)
        #expect(try answer.objectPaths().contains(collection))
    }

    @Test("a long label is refused, or only its item loses it")
    func labels() throws {
        let service = try TestService()
        let client = try service.client()
        let session = try client.openSession()
        let path = try client.create(["a": "b"], "s", label: "short", session: session)
        try client.create(["c": "d"], "s", label: String(repeating: "l", count: 5_000), session: session)
        #expect(throws: TestFailure(name: error + "LimitsExceeded", message: "")) {
            try client.call("Set", path: TestClient.login, signature: "ssv") { writer in
                writer.string("org.freedesktop.Secret.Collection")
                writer.string("Label")
                writer.variant(.string(String(repeating: "l", count: 5_000)))
            }
        }
        var label = try client.property("Label", of: "Item", at: path)
        #expect(try label.string() == "short")
    }
}
