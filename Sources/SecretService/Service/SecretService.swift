import Keyutils
import SecretText
package import SessionKeyring

/// `org.freedesktop.secrets`: answers the calls of clients from a keyring.
///
/// It never waits. If another process blocks the store, the call throws a failure that is ``ServiceFailure/isBlocked``.
/// Such a call has changed nothing that matters, and can be repeated.
package final class SecretService {
    static let path = "/org/freedesktop/secrets"
    static let name = "org.freedesktop.secrets"

    let scope: SecretScope
    let login: SecretCollection
    let session: SecretCollection
    let timeouts: TimeoutRules
    /// The collections that clients have created, as far as a call has found them.
    var created: [Name: SecretCollection] = [:]
    /// The names of collections by their aliases.
    var aliases: [Name: String] = [:]
    var sessions: [Name: [Name: SecretSession]] = [:]
    var sessionCount = 0
    /// Whether a client has asked for encryption, so that the next one will probably do so too.
    var sessionsAreEncrypted = false
    var nextKeys: KeyPair?
    /// The items whose attributes were changed, by their old paths, which clients still use.
    var renamed: [Name: ItemIdentity] = [:]
    /// The program's lines of the report.
    package var settings: [String] = []
    /// Returns the server's lines of the report.
    var report: () -> String = { "" }
    /// The signals of the latest call.
    private var signals: [Signal] = []

    /// - Parameters:
    ///   - scope: where the collection `login` is, and the collections that clients create; `session` is always in the
    ///     session scope.
    ///   - namespace: the namespace of `login`.
    package init(
        _ scope: SecretScope, namespace: String, timeouts: TimeoutRules
    ) throws(SecretStoreError) {
        self.scope = scope
        self.timeouts = timeouts
        login = SecretCollection(name: "login", store: try SecretStore(scope, namespace: namespace))
        session = SecretCollection(
            name: "session", store: try SecretStore(scope.ofSession, namespace: "\(SecretCollection.prefix)session"))
    }

    /// Does what makes a later call faster, when there is nothing else to do.
    func prepare() {
        if sessionsAreEncrypted, nextKeys == nil { nextKeys = KeyPair() }
    }

    /// Checks that the keyring can be used.
    package func check() throws(SecretStoreError) {
        _ = try login.store.contains(.collectionLabel)
        _ = try login.store.namespaces()
    }

    /// Whether the keyring still exists: it ends with the login session.
    package var isKeyringThere: Bool {
        do throws(SecretStoreError) {
            _ = try login.store.contains(.collectionLabel)
            return true
        } catch {
            return error.code != .sessionRevoked && error.code != .forbidden
        }
    }

    /// Returns the signals of the latest call, and forgets them.
    func takeSignals() -> [Signal] {
        defer { signals = [] }
        return signals
    }

    /// Forgets a client that has gone.
    func forget(_ client: String) {
        sessions[client] = nil
    }

    /// An answer: the types of the results, and what writes them.
    typealias Answer = (signature: String, write: (inout WireWriter) -> Void)

    /// Answers a call.
    ///
    /// - Parameters:
    ///   - client: the unique name of the client, to which its sessions belong.
    ///   - change: the change that the call makes, with the progress of an earlier try of the same call.
    func answer(
        _ call: MessageHeader, _ body: WireReader, from client: String, _ progress: inout CallProgress
    ) throws(ServiceFailure) -> Answer {
        try ServiceFailure.converting(call) {
            // A ping is answered at any path.
            let object = call.interface == Interface.peer.name ? .root : try find(call.path ?? "/", for: client)
            let (interface, results) = try Interface.find(
                call, progress.isInList ? nil : body, among: object.interfaces)
            var body = body
            let member = call.member ?? ""
            return (
                results,
                try answer(member, of: interface.name, on: object, at: call.path ?? "/", &body, client, &progress)
            )
        }
    }
}

/// The methods.
extension SecretService {
    func answer(
        _ member: String, of interface: String, on object: Object, at path: String, _ body: inout WireReader,
        _ client: String, _ progress: inout CallProgress
    ) throws -> (inout WireWriter) -> Void {
        switch (object, interface) {
        case (_, Interface.properties.name): return try property(member, object, at: path, &body, &progress)
        case (_, Interface.introspectable.name):
            let children: [String] =
                switch object {
                case .service: try collections().map { String($0.path.dropFirst(Self.path.count + 1)) }
                case .collection(let collection):
                    try collection.items().map { ObjectPath.element($0.keyDescription) }
                case .root: ObjectPath.element(after: path, in: Self.path).map { [$0] } ?? []
                case .item, .session: []
                }
            let text = Interface.description(of: object.interfaces + Interface.common, children: children)
            return { $0.string(text) }
        case (_, Interface.peer.name):
            return member == "Ping" ? { _ in } : { $0.string(String(repeating: "0", count: 32)) }
        case (.session(let path), _):
            sessions[client]?[path] = nil
            return { _ in }
        case (.collection(let collection), _): return try call(member, on: collection, &body, client, &progress)
        case (.item(let collection, let item), _):
            return try call(member, on: item, collection, &body, client, &progress)
        default: return try call(member, &body, client, &progress)
        }
    }

    /// The methods of the service.
    func call(
        _ member: String, _ body: inout WireReader, _ client: String, _ progress: inout CallProgress
    ) throws -> (inout WireWriter) -> Void {
        switch member {
        case "OpenSession": return try openSession(&body, client)
        case "SearchItems":
            let found = try search(collections(), &body, &progress)
            return { writer in
                writer.strings(found)
                writer.strings([])
            }
        case "Lock", "Unlock":
            // Nothing is ever locked.
            let found = try progress.list {
                try member == "Lock"
                    ? []
                    : distinct(body.objectPaths()).map { path in
                        { list in if self.isLockable(path, client) { list.found.append(.init(path: path)) } }
                    }
            }
            return { writer in
                writer.strings(found.map(\.path))
                writer.string("/")
            }
        case "GetSecrets": return try secrets(&body, client, &progress)
        case "ReadAlias":
            let path = try alias(try body.string())?.path ?? "/"
            return { $0.string(path) }
        case "SetAlias":
            try setAlias(body.string(), to: body.objectPath())
            return { _ in }
        case "CreateCollection": return try createCollection(&body, &progress)
        default:
            let counts = try [login, session].map {
                "collection: \(PercentCoding.encode($0.name)) (items: \(try $0.items().count))"
            }
            let text = (["scope: \(scope.name)"] + settings + counts + [report()]).joined(separator: "\n")
            return { $0.string(text) }
        }
    }

    /// Whether a path leads to a collection or an item, which could be locked in another Secret Service.
    private func isLockable(_ path: String, _ client: String) -> Bool {
        switch try? find(path, for: client) {
        case .collection, .item: true
        case .root, .service, .session, nil: false
        }
    }

    func createCollection(
        _ body: inout WireReader, _ progress: inout CallProgress
    ) throws -> (inout WireWriter) -> Void {
        var label = "collection"
        try body.properties { name, value throws(WireError) in
            if name == "\(Interface.collection.name).Label" {
                label = try value.stringVariant()
            } else {
                try value.skip(value.variant())
            }
        }
        let alias = try body.string()
        try checkLabel(label)
        let existing = try self.alias(alias)
        if existing == nil, !alias.isEmpty { try checkRoomForAlias(alias) }
        let collection = try existing ?? makeCollection(label, &progress)
        if existing == nil, !alias.isEmpty { aliases[alias] = collection.name }
        return { writer in
            writer.string(collection.path)
            writer.string("/")
        }
    }

    func checkLabel(_ label: String) throws(ServiceFailure) {
        guard label.utf8.count <= 256 else { throw .limit("a collection's label has at most 256 bytes") }
    }

    /// Makes a collection, whose name is the label or the label with a number.
    private func makeCollection(_ label: String, _ progress: inout CallProgress) throws -> SecretCollection {
        let taken = try login.store.namespaces()
        var number = 1
        while true {
            let name = number == 1 ? label : "\(label) \(number)"
            number += 1
            guard ![login.name, session.name].contains(name), !taken.contains(SecretCollection.prefix + name) else {
                continue
            }
            let collection = try newCollection(name)
            // Without this key, the collection would not exist.
            guard try progress.set(label: label, in: collection.store, isAddition: true) else { continue }
            signal("CollectionCreated", collection.path)
            return collection
        }
    }

    /// Announces a change to the object with this path, which belongs to a collection or to the service itself.
    func signal(_ member: String, from collection: SecretCollection? = nil, _ path: String) {
        let interface = collection == nil ? Interface.service : Interface.collection
        signal(member, of: interface.name, from: collection?.path ?? Self.path, "o", [path]) { $0.string(path) }
    }

    func signal(
        _ member: String, of interface: String, from path: String, _ signature: String, _ arguments: [String],
        _ write: @escaping (inout WireWriter) -> Void
    ) {
        var header = MessageHeader(kind: .signal)
        (header.path, header.interface, header.member) = (path, interface, member)
        (header.signature, header.expectsReply) = (signature, false)
        signals.append(Signal(header: header, arguments: arguments, write: write))
    }
}

/// A signal that is to be sent.
struct Signal {
    let header: MessageHeader
    /// The first arguments, as far as they are texts or paths.
    let arguments: [String]
    let write: (inout WireWriter) -> Void
}
