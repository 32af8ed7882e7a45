import Keyutils
import SecretText
import SessionKeyring

/// The objects.
extension SecretService {
    enum Object {
        /// An ancestor of the service.
        case root
        case service
        case collection(SecretCollection)
        case item(SecretCollection, ItemIdentity)
        case session(String)

        var interfaces: [Interface] {
            switch self {
            case .root: []
            case .service: [.service, .status]
            case .collection: [.collection]
            case .item: [.item]
            case .session: [.session]
            }
        }
    }

    /// All collections.
    func collections() throws -> [SecretCollection] {
        let created = try login.store.namespaces().filter { $0.hasPrefix(SecretCollection.prefix) }.map { namespace in
            // Bytes, because an accent can follow the prefix.
            String(Substring(namespace.utf8.dropFirst(SecretCollection.prefix.utf8.count)))
        }
        return try [login, session] + created.filter { $0 != session.name }.compactMap(collection(named:))
    }

    /// Returns the collection with this name; `nil` if it does not exist.
    func collection(named name: String) throws -> SecretCollection? {
        switch name {
        case login.name: return login
        case session.name: return session
        default:
            let collection = try created[name] ?? newCollection(name)
            // Its store remembers its keyring, which makes the next look fast.
            created[name] = try collection.exists() ? collection : nil
            return created[name]
        }
    }

    func newCollection(_ name: String) throws -> SecretCollection {
        SecretCollection(name: name, store: try SecretStore(scope, namespace: SecretCollection.prefix + name))
    }

    func find(_ path: String, for client: String) throws -> Object {
        let elements = path.split(separator: "/").map(String.init)
        if ObjectPath.element(after: path, in: Self.path) != nil { return .root }
        guard Array(elements.prefix(3)) == ["org", "freedesktop", "secrets"] else {
            throw ServiceFailure.unknownObject(path)
        }
        let names = elements.dropFirst(3)
        if names.isEmpty { return .service }
        if names.first == "session", names.count == 2, sessions[client]?[path] != nil { return .session(path) }
        guard let (collection, item) = try location(names) else { throw ServiceFailure.unknownObject(path) }
        guard let item else { return .collection(collection) }
        let usual = collection.path(of: item)
        if try collection.store.contains(item) {
            // A new item has the path now.
            renamed[usual] = nil
            return .item(collection, item)
        }
        guard let current = renamed[usual], try collection.store.contains(current) else {
            throw ServiceFailure.unknownObject(path)
        }
        return .item(collection, current)
    }

    /// Returns the collection that a path leads to, and the item, which doesn't have to exist.
    func location(_ names: ArraySlice<String>) throws -> (SecretCollection, ItemIdentity?)? {
        let names = Array(names)
        let collection: SecretCollection? =
            switch names.first {
            case "aliases" where names.count > 1: try alias(names[1])
            case "collection" where names.count > 1: try ObjectPath.text(names[1]).flatMap(collection(named:))
            default: nil
            }
        guard let collection, names.count <= 3 else { return nil }
        guard names.count == 3 else { return (collection, nil) }
        guard let item = ObjectPath.text(names[2]).flatMap(ItemIdentity.init(keyDescription:)),
            ItemAttributeSet.isItem(item)
        else { return nil }
        return (collection, item)
    }

    func alias(_ name: String) throws -> SecretCollection? {
        switch name {
        case "default", login.name: login
        case session.name: session
        default: try aliases[name].flatMap(collection(named:))
        }
    }

    /// Sets an alias, or removes it for the path `/`.
    ///
    /// Aliases are forgotten when the service ends.
    func setAlias(_ name: String, to path: String) throws {
        if try alias(name)?.path == path { return }
        guard !["", "default", login.name, session.name].contains(name) else {
            throw ServiceFailure.notSupported("the alias \(name) can't lead to another collection")
        }
        guard path != "/" else {
            aliases[name] = nil
            return
        }
        let names = path.split(separator: "/").dropFirst(3).map(String.init)
        guard let (collection, item) = try location(names[...]), item == nil else {
            throw ServiceFailure.unknownObject(path)
        }
        try checkRoomForAlias(name)
        aliases[name] = collection.name
    }

    func checkRoomForAlias(_ name: String) throws(ServiceFailure) {
        guard aliases.count < 100 || aliases[name] != nil else { throw .limit("remove some aliases first") }
    }
}
