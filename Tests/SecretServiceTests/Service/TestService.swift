import Glibc
import Keyutils
import SessionKeyring
import SessionKeyringTesting
import Testing

@testable import SecretService

/// A service in this process, in a scratch keyring, with clients on pairs of sockets.
final class TestService {
    let scratch: ScratchKeyring
    let server: SecretServer
    let service: SecretService
    let store: SecretStore

    init(timeouts: TimeoutRules = TimeoutRules()) throws {
        scratch = try ScratchKeyring()
        let scope = SecretScope.keyring(scratch.keyring.serial)
        service = try SecretService(scope, namespace: "default", timeouts: timeouts)
        server = SecretServer(service, listener: -1)
        store = try SecretStore(scope)
    }

    /// Connects a client, and returns its end of the connection.
    func connect() throws -> CInt {
        var ends: [CInt] = [-1, -1]
        try #require(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &ends) == 0)
        server.connect(ends[1])
        return ends[0]
    }

    /// Connects a client that has opened a session.
    func client() throws -> ServiceClient { try ServiceClient(socket: connect(), of: self) }

    /// Serves what has arrived.
    func serve(for duration: Duration = .zero) {
        let end = ContinuousClock.now + duration
        repeat { server.serve(until: min(end, .now + .milliseconds(20)), or: []) } while .now < end
    }
}

/// More calls of clients.
extension ServiceClient {
    static func error(_ name: String) -> Failure { Failure(name: "org.freedesktop.DBus.Error.\(name)") }

    /// Stores a text and returns its path.
    @discardableResult
    func create(
        _ attributes: [String: String], _ secret: String, label: String = "label", type: String = "text/plain",
        replace: Bool = true, in collection: String = login, session: String? = nil
    ) throws(Failure) -> String {
        try create(
            attributes, Array(secret.utf8), label: label, type: type, replace: replace, in: collection,
            session: session)
    }

    /// Replaces the secret of an item.
    func setSecret(_ secret: String, type: String = "text/plain", of path: String) throws(Failure) {
        let session = session
        _ = try call("SetSecret", at: path, signature: "(oayays)") { body in
            Self.write(Array(secret.utf8), type: type, session, &body)
        }
    }

    /// Returns the texts of the items that have these attributes.
    func texts(_ attributes: [String: String], in collection: String = login) throws(Failure) -> [String] {
        var texts: [String] = []
        for path in try search(attributes, in: collection) { texts.append(try text(at: path) ?? "gone") }
        return texts
    }

    /// Returns the attributes of an item.
    func attributes(of path: String) throws -> [Name: Name] {
        var (answer, attributes) = (try property("Attributes", at: path), [Name: Name]())
        let size = Int(try answer.number())
        try answer.align(to: 8)
        let end = answer.offset + size
        while answer.offset < end {
            try answer.align(to: 8)
            attributes[Name(try answer.string())] = Name(try answer.string())
        }
        return attributes
    }

    /// Returns the text of an item; `nil` if the item is gone.
    func text(at path: String, session: String? = nil) throws(Failure) -> String? {
        try secret(at: path, session: session).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Gets a property, and returns what is in the variant.
    func property(_ name: String, of interface: String = "Item", at path: String) throws -> BusReader {
        var answer = try call("Get", at: path, signature: "ss") { writer in
            writer.string("org.freedesktop.Secret.\(interface)")
            writer.string(name)
        }
        _ = try answer.signature()
        return answer
    }

    func contentType(of path: String) throws -> String {
        let session = session
        var answer = try call("GetSecret", at: path, signature: "o") { $0.string(session) }
        _ = try (answer.string(), answer.data(), answer.data())
        return try answer.string()
    }

    func label(of path: String) throws -> String {
        var answer = try property("Label", at: path)
        return try answer.string()
    }

    /// The paths of all collections.
    func collections() throws -> [String] {
        var answer = try property("Collections", of: "Service", at: Self.service)
        return try answer.strings()
    }

    func set(
        _ property: String, of interface: String = "Item", at path: String, _ value: (inout BusWriter) -> Void
    ) throws(Failure) {
        _ = try call("Set", at: path, signature: "ssv") { writer in
            writer.string("org.freedesktop.Secret.\(interface)")
            writer.string(property)
            value(&writer)
        }
    }

    func setAttributes(_ attributes: [String: String], of path: String) throws(Failure) {
        try set("Attributes", at: path) { writer in
            writer.signature("a{ss}")
            writer.dictionary(attributes)
        }
    }

    func createCollection(_ label: String, alias: String = "") throws -> String {
        var answer = try call("CreateCollection", signature: "a{sv}s") { writer in
            writer.array(alignedTo: 8) { properties in
                properties.string("org.freedesktop.Secret.Collection.Label")
                properties.variant(label)
            }
            writer.string(alias)
        }
        return try answer.string()
    }
}
