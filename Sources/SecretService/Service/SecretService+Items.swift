import Keyutils
import SecretText
import SessionKeyring

/// The methods of collections and items.
extension SecretService {
    /// The methods of a collection.
    func call(
        _ member: String, on collection: SecretCollection, _ body: inout WireReader, _ client: String,
        _ change: inout StoreChange
    ) throws -> (inout WireWriter) -> Void {
        switch member {
        case "SearchItems":
            let found = try collection.search(ItemAttributeSet(try body.stringDictionary()))
            return { $0.strings(found) }
        case "Delete":
            guard collection.name != login.name, collection.name != session.name else {
                throw ServiceFailure.notSupported("the collection \(collection.name) can't be deleted")
            }
            try collection.store.clear()
            created[collection.name] = nil
            signal("CollectionDeleted", collection.path)
            return { $0.string("/") }
        default: return try createItem(in: collection, &body, client, &change)
        }
    }

    func createItem(
        in collection: SecretCollection, _ body: inout WireReader, _ client: String, _ change: inout StoreChange
    ) throws -> (inout WireWriter) -> Void {
        var attributes = ItemAttributeSet([:])
        var label: String?
        try body.properties { name, value throws(WireError) in
            let type = try value.variant()
            switch (name, type.bytes) {
            case ("\(Interface.item.name).Attributes", Array("a{ss}".utf8)):
                attributes = ItemAttributeSet(try value.stringDictionary())
            case ("\(Interface.item.name).Label", Array("s".utf8)): label = try value.string()
            default: try value.skip(type)
            }
        }
        let (secret, contentType) = try readSecret(&body, client)
        let item = attributes.identity
        let isNew = try !collection.store.contains(item)
        try change.set(
            secret.bytes, for: item, timeout: timeouts.timeout(of: attributes.all), in: collection.store)
        renamed[collection.path(of: item)] = nil
        let entry = ItemLabels.Entry(label: label ?? "", contentType: contentType, ignored: attributes.ignored)
        // The secret is stored even if the quota is too full for the labels.
        var labelling = StoreChange()
        try? collection.keep(entry, of: item, &labelling)
        signal(isNew ? "ItemCreated" : "ItemChanged", from: collection, collection.path(of: item))
        return { writer in
            writer.string(collection.path(of: item))
            writer.string("/")
        }
    }

    /// The methods of an item.
    func call(
        _ member: String, on item: ItemIdentity, _ collection: SecretCollection, _ body: inout WireReader,
        _ client: String, _ change: inout StoreChange
    ) throws -> (inout WireWriter) -> Void {
        let path = collection.path(of: item)
        switch member {
        case "GetSecret":
            let sessionPath = try body.objectPath()
            let session = try session(sessionPath, client)
            guard let secret = try secret(of: item, in: collection, session, sessionPath) else {
                throw ServiceFailure.unknownObject(path)
            }
            return secret.write
        case "SetSecret":
            let (secret, contentType) = try readSecret(&body, client)
            let timeout = timeouts.timeout(of: collection.attributes(of: item))
            try change.set(secret.bytes, for: item, timeout: timeout, in: collection.store)
            if var entry = collection.labels()[item] {
                entry.contentType = contentType
                var labelling = StoreChange()
                try? collection.keep(entry, of: item, &labelling)
            }
            signal("ItemChanged", from: collection, path)
            return { _ in }
        default:
            guard try change.delete(item, in: collection.store) else { throw ServiceFailure.unknownObject(path) }
            renamed = renamed.filter { $0.value != item || !$0.key.text.hasPrefix("\(collection.path)/") }
            signal("ItemDeleted", from: collection, path)
            return { $0.string("/") }
        }
    }
}
