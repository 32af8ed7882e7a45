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

    /// All collections, in the order of their paths.
    func collections() throws -> [SecretCollection] {
        var all = [login, session]
        for name in try login.store.namespaces() where name.utf8.starts(with: SecretCollection.prefix.utf8) {
            // Bytes, because an accent can follow the prefix.
            let name = String(Substring(name.utf8.dropFirst(SecretCollection.prefix.utf8.count)))
            if name != session.name, let collection = try collection(named: name) { all.append(collection) }
        }
        return all
    }

    /// Returns the collection with this name; `nil` if it does not exist.
    func collection(named name: String) throws -> SecretCollection? {
        switch name {
        case login.name: return login
        case session.name: return session
        default: break
        }
        guard try login.store.namespaces().contains(SecretCollection.prefix + name) else { return nil }
        let collection = try newCollection(name)
        return try collection.exists() ? collection : nil
    }

    func newCollection(_ name: String) throws -> SecretCollection {
        if let known = created[name] { return known }
        let store = try SecretStore(scope, namespace: SecretCollection.prefix + name)
        let collection = SecretCollection(name: name, store: store)
        if created.count < 100 { created[name] = collection }
        return collection
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
        guard aliases.count < 100 else { throw ServiceFailure.limit("remove some aliases first") }
        aliases[name] = collection.name
    }
}
