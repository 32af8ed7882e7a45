import Keyutils
import SecretText
import SessionKeyring

/// `org.freedesktop.DBus.Properties`.
extension SecretService {
    func property(
        _ member: String, _ object: Object, at path: String, _ body: inout WireReader, _ progress: inout CallProgress
    ) throws -> (inout WireWriter) -> Void {
        let interface = object.interfaces.first
        let name = try body.string()
        guard let interface, name.isEmpty || name == interface.name else {
            if member == "GetAll" { return { $0.entries([String]()) { _, _ in } } }
            throw ServiceFailure.invalid("the object does not have the interface \(name)")
        }
        let value = try values(of: object)
        if member == "GetAll" {
            let values = try interface.properties.keys.sorted().map(\.text).compactMap { name in
                try value(name).map { (name, $0) }
            }
            return { writer in
                writer.entries(values) { entry, writer in
                    writer.string(entry.0)
                    writer.variant(entry.1)
                }
            }
        }
        let property = try body.string()
        guard let description = interface.properties[property], let value = try value(property) else {
            throw ServiceFailure.invalid("the object does not have the property \(property)")
        }
        if member == "Get" { return { $0.variant(value) } }
        guard description.isWritable, try body.variant().bytes == Array(description.type.utf8) else {
            throw ServiceFailure.invalid("the property \(property) can't be set to this")
        }
        let written = body
        try set(property, of: object, &body, &progress)
        signalChange(of: property, description.type, written, interface, path)
        return { _ in }
    }

    /// Tells clients the new value of a property of the object with this path, which the caller has used.
    func signalChange(
        of property: String, _ type: String, _ value: WireReader, _ interface: Interface, _ path: String
    ) {
        var reader = value
        guard
            let value = try? type == "s"
                ? WireValue.string(reader.string()) : .stringDictionary(reader.stringDictionary())
        else { return }
        signal("PropertiesChanged", of: Interface.properties.name, from: path, "sa{sv}as", [interface.name]) { writer in
            writer.string(interface.name)
            writer.entries([property]) { property, writer in
                writer.string(property)
                writer.variant(value)
            }
            writer.strings([])
        }
    }

    /// Returns what reads the properties of an object: for an item, all from one version of it.
    func values(of object: Object) throws -> (_ property: String) throws -> WireValue? {
        switch object {
        case .service: return { _ in .objectPaths(try self.collections().map(\.path)) }
        case .collection(let collection): return { try collection.value(of: $0) }
        case .item(let collection, let item):
            let details = try collection.details(of: item)
            return { property in details.flatMap { collection.value(of: property, item, $0) } }
        case .root, .session: return { _ in nil }
        }
    }

    func set(
        _ property: String, of object: Object, _ body: inout WireReader, _ progress: inout CallProgress
    ) throws {
        switch (object, property) {
        case (.collection(let collection), _):
            let label = try body.string()
            try checkLabel(label)
            try progress.set(label: label, in: collection.store)
            signal("CollectionChanged", collection.path)
        case (.item(let collection, let item), "Label"):
            let label = try body.string()
            try ItemDetails.check(label, "label")
            guard try progress.change(item, in: collection.store, { $0.label = label }) else {
                throw ServiceFailure.unknownObject(collection.path(of: item))
            }
            signal("ItemChanged", from: collection, collection.path(of: item))
        case (.item(let collection, let item), _):
            try setAttributes(ItemAttributeSet(try body.stringDictionary()), of: item, in: collection, &progress)
        default: break
        }
    }

    /// Stores an item under a name with other attributes, with its time left.
    private func setAttributes(
        _ attributes: ItemAttributeSet, of item: ItemIdentity, in collection: SecretCollection,
        _ progress: inout CallProgress
    ) throws {
        let store = collection.store
        var new = item
        if attributes.canHaveName(item) {
            let isThere = try progress.change(item, in: store) { details in
                details.created = details.created ?? SystemTime.now()
                details.others = item.kind == .secret ? [:] : attributes.others
            }
            guard isThere else { throw ServiceFailure.unknownObject(collection.path(of: item)) }
        } else {
            // Otherwise, the new item would be stored and removed at each attempt.
            if progress.secret == nil { try collection.checkNotWritten(item) }
            var bytes = SecretBytes(zeros: 0)
            guard let texts = try store.texts(of: item, { bytes = SecretBytes(copying: $0) }) else {
                throw ServiceFailure.unknownObject(collection.path(of: item))
            }
            let (details, current) = (ItemDetails(texts), SecretBox(bytes))
            let timeout = try collection.timeLeft(of: item, details) ?? timeouts.timeout(of: attributes.all)
            // An attempt that was blocked when others could already see the new item must store the same bytes.
            let secret = progress.secret ?? current
            defer { progress.secret = progress.step == nil ? nil : secret }
            new = try collection.set(secret.bytes, attributes, details, timeout: timeout, isReplacing: false, &progress)
                .item
            do {
                // A newer value of another program stays, and gets the new name when the call is repeated. The last
                // resorts are allowed, because the new item is already there.
                guard try store.deleteIfStored(item, secret.bytes, Effort()).get() else {
                    throw SecretStoreError(.contended, item: item)
                }
            } catch {
                _ = try? store.deleteIfStored(new, secret.bytes, Effort())
                throw error
            }
            for (path, current) in renamed where current == item && path.text.hasPrefix("\(collection.path)/") {
                renamed[path] = new
            }
            if renamed.count < 1_000 { renamed[collection.path(of: item)] = new }
        }
        signal("ItemChanged", from: collection, collection.path(of: new))
    }
}
