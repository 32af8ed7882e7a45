import Keyutils
import SecretText
import SessionKeyring

/// The methods of collections and items.
extension SecretService {
    /// The methods of a collection.
    func call(
        _ member: String, on collection: SecretCollection, _ body: inout WireReader, _ client: String,
        _ progress: inout CallProgress
    ) throws -> (inout WireWriter) -> Void {
        switch member {
        case "SearchItems":
            let found = try search([collection], &body, &progress)
            return { $0.strings(found) }
        case "Delete":
            guard collection.name != login.name, collection.name != session.name else {
                throw ServiceFailure.notSupported("the collection \(collection.name) can't be deleted")
            }
            try collection.store.clear()
            // Otherwise, each later call would look at its empty keyring.
            try? login.store.removeEmptyNamespaces()
            created[collection.name] = nil
            aliases = aliases.filter { $0.value != collection.name }
            signal("CollectionDeleted", collection.path)
            return { $0.string("/") }
        default: return try createItem(in: collection, &body, client, &progress)
        }
    }

    /// Returns the paths of the items that a query finds, newest first.
    func search(
        _ collections: @autoclosure () throws -> [SecretCollection], _ body: inout WireReader,
        _ progress: inout CallProgress
    ) throws -> [String] {
        let found = try progress.list {
            let query = ItemAttributeSet(try body.stringDictionary())
            return try collections().map { collection in { list in try collection.search(query, &list) } }
        }
        return found.sorted { $0.modified > $1.modified }.map(\.path)
    }

    func createItem(
        in collection: SecretCollection, _ body: inout WireReader, _ client: String, _ progress: inout CallProgress
    ) throws -> (inout WireWriter) -> Void {
        var attributes = ItemAttributeSet([:])
        var details = ItemDetails()
        details.label = ""
        try body.properties { name, value throws(WireError) in
            let type = try value.variant()
            switch (name, type.bytes) {
            case ("\(Interface.item.name).Attributes", Array("a{ss}".utf8)):
                attributes = ItemAttributeSet(try value.stringDictionary())
            case ("\(Interface.item.name).Label", Array("s".utf8)): details.label = try value.string()
            default: try value.skip(type)
            }
        }
        let secret: SecretBox
        (secret, details.contentType) = try readSecret(&body, client)
        try ItemDetails.check(details.label ?? "", "label")
        let (item, isNew) = try collection.set(
            secret.bytes, attributes, details, timeout: timeouts.timeout(of: attributes.all),
            isReplacing: try body.bool(), &progress)
        renamed[collection.path(of: item)] = nil
        signal(isNew ? "ItemCreated" : "ItemChanged", from: collection, collection.path(of: item))
        return { writer in
            writer.string(collection.path(of: item))
            writer.string("/")
        }
    }

    /// The methods of an item.
    func call(
        _ member: String, on item: ItemIdentity, _ collection: SecretCollection, _ body: inout WireReader,
        _ client: String, _ progress: inout CallProgress
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
            var refusal: (any Error)?
            let isStored = try progress.set(secret.bytes, for: item, in: collection.store) { old in
                guard var details = old.map({ ItemDetails($0) }) else { return nil }
                do {
                    let timeout = try timeout(of: item, details, in: collection)
                    details.contentType = contentType
                    details.change(timeout: timeout)
                    return (timeout, details.texts)
                } catch {
                    refusal = error
                    return nil
                }
            }
            if let refusal { throw refusal }
            guard isStored else { throw ServiceFailure.unknownObject(path) }
            signal("ItemChanged", from: collection, path)
            return { _ in }
        default:
            guard try progress.delete(item, in: collection.store) else { throw ServiceFailure.unknownObject(path) }
            renamed = renamed.filter { $0.value != item || !$0.key.text.hasPrefix("\(collection.path)/") }
            signal("ItemDeleted", from: collection, path)
            return { $0.string("/") }
        }
    }

    /// Returns the timeout for the next value of an item.
    ///
    /// If not all of the item's attributes are known, this is not longer than the time that is left.
    private func timeout(
        of item: ItemIdentity, _ details: ItemDetails, in collection: SecretCollection
    ) throws -> Duration? {
        let usual = timeouts.timeout(of: ItemAttributeSet.attributes(of: item, details))
        guard item.kind != .secret, details.others == nil,
            let left = try collection.timeLeft(of: item, details)
        else { return usual }
        return min(usual ?? left, left)
    }
}
