import Keyutils
import SecretText
import SessionKeyring

/// A collection of the Secret Service: the items of one namespace.
struct SecretCollection {
    /// Our collections' prefix of namespaces that clients have created.
    static let prefix = "secrets-"

    let name: String
    let store: SecretStore

    var path: String { "\(SecretService.path)/collection/\(ObjectPath.element(name))" }

    func path(of item: ItemIdentity) -> String { "\(path)/\(ObjectPath.element(item.keyDescription))" }

    /// Whether a collection that a client has created still exists, and can be read.
    func exists() throws -> Bool {
        try ifReadable { try store.contains(.collectionLabel) || !store.identities().isEmpty } ?? false
    }

    /// Returns `nil` for what this process must not read, so that an odd key hides only itself.
    func ifReadable<Result>(_ body: () throws -> Result?) throws -> Result? {
        do {
            return try body()
        } catch let error as SecretStoreError {
            guard error.code == .forbidden else { throw error }
            return nil
        }
    }

    /// The live items of the Secret Service.
    func items() throws -> [ItemIdentity] { try store.identities().filter(ItemAttributeSet.isItem) }

    /// Reads what is known about an item; `nil` if the item is gone, or must not be read.
    func details(of item: ItemIdentity) throws -> ItemDetails? {
        try ifReadable { try store.texts(of: item).map { ItemDetails($0) } }
    }

    /// Reads what is known about an item, with all of its attributes if another process is about to store them.
    private func settledDetails(of item: ItemIdentity) throws -> ItemDetails? {
        let details = try details(of: item)
        guard let details, details.others == nil else { return details }
        try checkNotWritten(item)
        return try self.details(of: item)
    }

    /// Throws an error that lets the call be repeated if another process is writing the item.
    func checkNotWritten(_ item: ItemIdentity) throws(SecretStoreError) {
        if try store.backend.isBeingWritten(item) { throw SecretStoreError(.contended, item: item) }
    }

    /// How long an item still lives; `nil` if nothing ends it.
    ///
    /// - Throws: ``ServiceFailure``, also if the kernel does not show it.
    func timeLeft(of item: ItemIdentity, _ details: ItemDetails) throws -> Duration? {
        switch try store.attributes(of: item)?.expiry {
        case .after(let left): return max(details.timeLeft(within: left), .seconds(1))
        case .never: return nil
        case .unknown: throw ServiceFailure.notSupported("/proc/keys does not show the item's time left")
        case nil: throw ServiceFailure.unknownObject(path(of: item))
        }
    }

    /// Adds the items that a query possibly finds to a list, which will look at them.
    func search(_ query: ItemAttributeSet, _ list: inout LongList) throws {
        for item in try store.identities() {
            guard let wanted = query.attributesBeyondName(of: item) else { continue }
            list.left.append { list in
                let details = try wanted.isEmpty ? details(of: item) : settledDetails(of: item)
                guard let details, query.finds(item, details, wanted: wanted) else { return }
                list.found.append(.init(path: path(of: item), modified: details.modified ?? 0))
            }
        }
    }

    func value(of property: String) throws -> WireValue? {
        switch property {
        case "Items": .objectPaths(try items().map(path(of:)))
        case "Label": .string(try store.lending(.collectionLabel) { String(lossy: $0) } ?? name)
        case "Locked": .bool(false)
        case "Created", "Modified": .time(0)
        default: nil
        }
    }

    /// Returns the value of an item's property.
    func value(of property: String, _ item: ItemIdentity, _ details: ItemDetails) -> WireValue? {
        let attributes = ItemAttributeSet.attributes(of: item, details)
        switch property {
        case "Attributes": return .stringDictionary(attributes)
        case "Label": return .string(details.label ?? Self.label(of: item))
        case "Type": return .string(attributes["xdg:schema"]?.text ?? "")
        case "Locked": return .bool(false)
        case "Created": return .time((details.created ?? 0) / 1_000)
        case "Modified": return .time((details.modified ?? 0) / 1_000)
        default: return nil
        }
    }

    /// The label of an item that no client has labelled.
    private static func label(of item: ItemIdentity) -> String {
        item.account.isEmpty ? item.service : "\(item.account) @ \(item.service)"
    }
}

/// Storing items.
extension SecretCollection {
    /// Makes one attempt to store an item with these attributes.
    ///
    /// - Parameters:
    ///   - isReplacing: whether an item with the same attributes is replaced.
    ///   - details: what is known about the item; not yet its times.
    /// - Returns: the item, and whether it is a new one.
    func set(
        _ secret: borrowing SecretBytes, _ attributes: ItemAttributeSet, _ details: ItemDetails, timeout: Duration?,
        isReplacing: Bool, _ progress: inout CallProgress
    ) throws -> (item: ItemIdentity, isNew: Bool) {
        // Each further round means that another process has stored an item of that name meanwhile.
        for _ in 0..<4 {
            let item = try progress.item ?? name(for: attributes, isReplacing: isReplacing)
            let isStored = try progress.set(secret, for: item, in: store) { old in
                var details = details
                details.change(timeout: timeout)
                details.created = details.created ?? details.modified
                // The name of a secret has all of its attributes.
                details.others = item.kind == .secret ? [:] : attributes.others
                guard let old = old.map({ ItemDetails($0) }) else { return (timeout, details.texts) }
                guard isReplacing, item.kind == .secret || !attributes.conflicts(with: old) else { return nil }
                details.created = old.created ?? details.created
                // The programs that share an item still find it by what each of them has said about itself.
                if item.kind != .secret { details.others?.merge(old.others ?? [:]) { new, _ in new } }
                return (timeout, details.texts)
            }
            if isStored { return (item, !progress.replaces) }
        }
        throw SecretStoreError(.contended)
    }

    /// Returns the name for a new item with these attributes, or of the one that it replaces.
    private func name(for attributes: ItemAttributeSet, isReplacing: Bool) throws -> ItemIdentity {
        let (all, first) = (try store.identities(), ItemIdentity.secret(attributes: attributes.all))
        var equal = all.filter {
            $0.keyDescription.hasPrefix(first.keyDescription) && $0.secretAttributes == attributes.all
        }
        if let shared = attributes.sharedName {
            if !all.contains(shared) {
                if equal.isEmpty || !isReplacing { return shared }
            } else if isReplacing, let details = try details(of: shared) {
                if details.others == attributes.others {
                    equal.append(shared)
                } else if equal.isEmpty, !attributes.conflicts(with: details) {
                    return shared
                }
            }
        }
        guard isReplacing else {
            let taken = Set(equal.map { Name($0.keyDescription) })
            var (number, name) = (1, first.keyDescription)
            while taken.contains(Name(name)) {
                number += 1
                name = "\(first.keyDescription):\(number)"
            }
            return .secret(attributes: attributes.all, number: number)
        }
        let times = try equal.map { (item: $0, modified: try details(of: $0)?.modified ?? 0) }
        return times.max { $0.modified < $1.modified }?.item ?? first
    }
}
