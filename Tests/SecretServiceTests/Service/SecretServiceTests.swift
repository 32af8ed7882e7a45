import Glibc
import Keyutils
import SecretText
import SessionKeyring
import SessionKeyringTesting
import Testing

@testable import SecretService

@Suite("The Secret Service")
struct SecretServiceTests {
    private let service: TestService
    private let client: ServiceClient

    init() throws {
        service = try TestService()
        client = try service.client()
    }

    @Test("a stored secret is found, read, replaced and deleted, and is an item of the store")
    func life() throws {
        let attributes = ["application": "x", "service": "s", "username": "u"]
        let path = try client.create(attributes, "one")
        #expect(path == "\(ServiceClient.login)/password_3as_3au")
        #expect(try client.search(["service": "s"]) == [path])
        #expect(try client.search(["service": "t"]) == [])
        #expect(try client.text(at: path) == "one")
        #expect(try service.store.get(.password(service: "s", account: "u"), as: String.self) == "one")
        #expect(try client.create(["service": "s", "username": "u"], "two") == path)
        #expect(try client.text(at: path) == "two")
        // The same item through the alias.
        #expect(try client.text(at: path.replacing("collection/login", with: "aliases/default")) == "two")
        #expect(try client.label(of: path) == "label")
        #expect(try client.delete(path))
        #expect(try client.search([:]) == [])
        #expect(try client.text(at: path) == nil)
    }

    @Test("an item of the store is an item of the service, without a label of a client")
    func fromStore() throws {
        try service.store.set("t", for: .password(service: "gh:github.com", account: "u"))
        try service.store.set("t", for: .credential(service: "other"))
        let path = try #require(try client.search(["service": "gh:github.com", "username": "u"]).first)
        #expect(try client.text(at: path) == "t")
        #expect(try client.label(of: path) == "u @ gh:github.com")
        #expect(try client.search([:]).count == 1)
    }

    @Test("an expired item is gone everywhere at once, and rules decide about timeouts")
    func expiry() throws {
        let rule = TimeoutRules.Rule(attribute: "service", pattern: "gh:*", timeout: .seconds(1))
        let service = try TestService(timeouts: TimeoutRules(usual: .seconds(3_600), rules: [rule]))
        let client = try service.client()
        let path = try client.create(["service": "gh:x", "username": "u"], "s")
        let other = try client.create(["service": "x", "username": "u"], "s")
        for _ in 0..<60 where try client.search([:]) != [other] { service.serve(for: .milliseconds(20)) }
        #expect(try client.search([:]) == [other])
        #expect(try client.text(at: path) == nil)
        let expiry = try service.store.attributes(of: .password(service: "x", account: "u"))?.expiry
        #expect(expiry != .never)
    }

    @Test("a session belongs to the client that opened it")
    func sessions() throws {
        let other = try service.client()
        let path = try client.create(["a": "b"], "s")
        let noSession = ServiceClient.Failure(name: "org.freedesktop.Secret.Error.NoSession")
        #expect(throws: noSession) { try other.text(at: path, session: client.session) }
        #expect(throws: noSession) { try other.create(["a": "c"], "s", session: client.session) }
        _ = try client.call("Close", at: client.session)
        #expect(throws: noSession) { try client.text(at: path) }
    }

    @Test("unknown names, objects, methods and arguments are errors that clients know")
    func errors() throws {
        func fails(_ name: String, _ body: () throws -> Void) {
            #expect(throws: ServiceClient.error(name), performing: body)
        }
        fails("ServiceUnknown") { _ = try client.call("Ping", to: "org.freedesktop.portal.Desktop") }
        fails("UnknownObject") { _ = try client.call("Ping", at: "/org/freedesktop/secrets/collection/none") }
        fails("UnknownObject") { _ = try client.call("Ping", at: "/org/gnome/keyring") }
        fails("UnknownMethod") { _ = try client.call("Steal") }
        for name in ["RequestName", "GetConnectionUnixUser"] { fails("UnknownMethod") { try client.callBus(name) } }
        fails("InvalidArgs") { _ = try client.call("ReadAlias", signature: "u") { $0.number(1) } }
        fails("InvalidArgs") { _ = try client.call("ReadAlias", signature: "s") { $0.number(1_000) } }
        fails("NotSupported") {
            _ = try client.call("OpenSession", signature: "sv") { writer in
                writer.string("rot13")
                writer.variant("")
            }
        }
        #expect(try client.search([:]) == [])
    }

    @Test(
        "an encrypted session is refused in a build without encryption",
        .enabled(if: !SessionCipher.isAvailable, "needs a build without the trait EncryptedSessions"))
    func encryptedSession() throws {
        #expect(throws: ServiceClient.error("NotSupported")) {
            _ = try client.call("OpenSession", signature: "sv") { writer in
                writer.string(SecretSession.encryption)
                writer.signature("ay")
                // The generator is a possible key.
                writer.data([2])
            }
        }
        #expect(try client.search([:]) == [])
    }

    @Test("collections are created, listed and deleted, and can be created again")
    func collections() throws {
        let own = ["login", "session"].map { "\(ServiceClient.service)/collection/\($0)" }
        #expect(try client.collections() == own)
        // A name can begin with an accent.
        for (label, name) in [("My keys", "My_20keys"), ("\u{301}x", "_cc_81x")] {
            let path = try client.createCollection(label)
            #expect(path == "\(ServiceClient.service)/collection/\(name)")
            #expect(try client.collections() == own + [path])
            let item = try client.create(["a": "b"], "s", in: path)
            #expect(try client.search(["a": "b"], in: path) == [item])
            #expect(try client.search(["a": "b"]) == [])
            _ = try client.call("Delete", at: path)
            #expect(try client.collections() == own && client.search([:]) == [])
            #expect(throws: ServiceClient.error("UnknownObject")) {
                try client.property("Label", of: "Collection", at: path)
            }
            #expect(try client.createCollection(label) == path)
            #expect(try client.search([:], in: path) == [])
            _ = try client.call("Delete", at: path)
        }
    }

    @Test("changed attributes change the name of an item, which the old path still leads to")
    func attributes() throws {
        let path = try client.create(["a": "b"], "s")
        try client.setAttributes(["service": "s", "username": "u"], of: path)
        #expect(try client.text(at: path) == "s")
        #expect(try client.search(["a": "b"]) == [])
        #expect(try client.search(["service": "s"]).count == 1)
        #expect(try service.store.identities() == [.password(service: "s", account: "u")])
    }

    @Test("signals go only to clients with a matching rule")
    func signals() throws {
        let listener = try service.client()
        try listener.callBus("AddMatch", "type='signal',sender='org.freedesktop.secrets',member='ItemCreated'")
        let path = try client.create(["a": "b"], "s")
        #expect(try client.delete(path))
        _ = try listener.call("Ping")
        _ = try client.call("Ping")
        #expect(client.signals.isEmpty)
        #expect(listener.signals.map(\.member) == ["ItemCreated"])
        var body = try #require(listener.signals.first?.body)
        #expect(try body.string() == path)
    }

    @Test("if another process holds an item, a call gets an error within a second, and other clients don't wait")
    func blocked() throws {
        let other = try service.client()
        let item = ItemIdentity.password(service: "s", account: "u")
        try service.store.set("old", for: item)
        // Sets the update flag; from now on, each write needs the item's lease.
        _ = try service.store.blockingUpdate(item, as: String.self, lasting: .scope) { (_: String?) in "held" }
        let held = try service.store.backend.beginUpdate(of: item, lasting: .seconds(5), Effort()).get()
        let start = ContinuousClock.now
        #expect(throws: ServiceClient.error("Timeout")) {
            try client.create(["service": "s", "username": "u"], "new")
        }
        let waited = ContinuousClock.now - start
        #expect(waited > .milliseconds(700) && waited < .seconds(4))
        #expect(try other.search(["service": "s"]).count == 1)
        #expect(try service.store.get(item, as: String.self) == "held")
        withExtendedLifetime(held) {}
    }
}

/// Collections, aliases and properties.
extension SecretServiceTests {
    private func alias(_ name: String) throws -> String {
        var answer = try client.call("ReadAlias", signature: "s") { $0.string(name) }
        return try answer.string()
    }

    @Test("aliases are set and removed, except for the fixed ones")
    func aliases() throws {
        let path = try client.createCollection("mine", alias: "work")
        #expect(try alias("work") == path)
        #expect(try alias("default") == ServiceClient.login)
        func set(_ name: String, _ path: String) throws {
            _ = try client.call("SetAlias", signature: "so") { writer in
                writer.string(name)
                writer.string(path)
            }
        }
        try set("work", "/")
        #expect(try alias("work") == "/")
        try set("work", ServiceClient.login)
        #expect(try alias("work") == ServiceClient.login)
        try set("default", ServiceClient.login)
        #expect(throws: ServiceClient.error("NotSupported")) { try set("default", path) }
        #expect(throws: ServiceClient.error("UnknownObject")) { try set("x", path + "x") }
    }

    @Test("a changed property is announced to clients that asked for it, and items have times")
    func changed() throws {
        let other = try service.client()
        let path = try client.create(["a": "b"], "s")
        let rule = "type='signal',interface='org.freedesktop.DBus.Properties',path='\(path)'"
        try other.callBus("AddMatch", rule)
        try client.set("Label", at: path) { $0.variant("new") }
        _ = try other.call("Ping")
        let signal = try #require(other.signals.first)
        #expect(signal.member == "PropertiesChanged" && signal.signature == "sa{sv}as")
        var body = signal.body
        #expect(try body.string() == "org.freedesktop.Secret.Item")
        _ = try body.number()
        try body.align(to: 8)
        #expect(try [body.string(), body.signature(), body.string()] == ["Label", "s", "new"])
        #expect(client.signals.isEmpty)
        for name in ["Created", "Modified"] {
            var answer = try client.property(name, at: path)
            try answer.align(to: 8)
            let seconds = try answer.number()
            #expect(abs(Double(seconds) - Double(time(nil))) < 60)
        }
    }

    @Test("the old path of an item with new attributes leads to it, until another item has that path")
    func renamed() throws {
        let old = try client.create(["name": "alice"], "1")
        try client.setAttributes(["name": "bob"], of: old)
        try client.setAttributes(["name": "carol"], of: old)
        #expect(try client.text(at: old) == "1")
        // In another collection, the same attributes are another item.
        #expect(try client.text(at: old.replacing("/login/", with: "/session/")) == nil)
        #expect(try client.create(["name": "alice"], "2") == old)
        #expect(try client.delete(old))
        #expect(try client.text(at: old) == nil)
        let path = try #require(try client.search(["name": "carol"]).first)
        #expect(try client.text(at: path) == "1")
    }

    @Test("an item that gets the attributes of another one does not replace it")
    func occupied() throws {
        let one = try client.create(["name": "alice"], "1")
        let two = try client.create(["name": "bob"], "2")
        try client.setAttributes(["name": "alice"], of: two)
        #expect(try client.text(at: one) == "1" && client.text(at: two) == "2")
        #expect(try client.search(["name": "alice"]).count == 2 && client.search(["name": "bob"]) == [])
    }

    @Test("a signal is sent once, and names may begin with an accent")
    func once() throws {
        try client.callBus("AddMatch", "type='signal'")
        let attributes = ["\u{301}a": "\u{301}"]
        let path = try client.create(attributes, "s")
        for _ in 0..<3 { try client.callBus("NameHasOwner", "a.b") }
        #expect(client.signals.map(\.member) == ["ItemCreated"])
        #expect(try client.search(attributes) == [path])
    }

    @Test("a long label of a collection is refused")
    func labels() throws {
        #expect(throws: ServiceClient.error("LimitsExceeded")) {
            try client.set("Label", of: "Collection", at: ServiceClient.login) { writer in
                writer.variant(String(repeating: "l", count: 5_000))
            }
        }
    }
}
