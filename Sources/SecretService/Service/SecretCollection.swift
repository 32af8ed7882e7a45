import Glibc
import Keyutils
import SecretText
import SessionKeyring

/// A collection of the Secret Service: the items of one namespace.
struct SecretCollection {
    /// Our collections' prefix of namespaces that clients have created.
    static let prefix = "secrets-"

    let name: String
    let store: SecretStore
    private let cache = LabelCache()

    var path: String { "\(SecretService.path)/collection/\(ObjectPath.element(name))" }

    func path(of item: ItemIdentity) -> String { "\(path)/\(ObjectPath.element(item.keyDescription))" }

    /// Whether a collection that a client has created still exists.
    func exists() throws -> Bool { try store.contains(.secretLabels) || !store.identities().isEmpty }

    /// The live items of the Secret Service.
    func items() throws -> [ItemIdentity] {
        try store.identities().filter { ItemAttributeSet.isItem($0) }
    }

    func search(_ query: ItemAttributeSet) throws -> [String] {
        let labels = query.needsIgnored ? labels() : nil
        return try store.identities().filter { query.finds($0, ignored: labels?[$0]?.ignored ?? [:]) }.map(path(of:))
    }

    /// The collection's labels; empty if they can't be read, because nothing important is only there.
    func labels() -> ItemLabels {
        let labels = try? store.lending(.secretLabels) { cache.labels(parsing: $0) }
        return (labels ?? nil) ?? ItemLabels()
    }

    /// Keeps the entry of an item that has just been stored or renamed.
    func keep(_ entry: ItemLabels.Entry, of item: ItemIdentity, _ change: inout StoreChange) throws {
        var (labels, entry) = (labels(), entry)
        entry.modified = UInt64(max(0, time(nil)))
        entry.created = labels[item]?.created ?? entry.modified
        labels[item] = entry
        try keep(labels, &change)
    }

    /// Stores the labels of the items that exist.
    func keep(_ labels: ItemLabels, _ change: inout StoreChange) throws {
        if let payload = labels.payload(of: try store.identities()) {
            try change.set(payload, for: .secretLabels, timeout: nil, in: store)
        } else {
            try change.delete(.secretLabels, in: store)
        }
    }

    /// All attributes of an item.
    func attributes(of item: ItemIdentity) -> [Name: String] {
        let ignored = labels()[item]?.ignored ?? [:]
        return (ItemAttributeSet.telling(of: item) ?? [:]).merging(ignored) { telling, _ in telling }
    }

    func value(of property: String) throws -> WireValue? {
        switch property {
        case "Items": .objectPaths(try items().map(path(of:)))
        case "Label": .string(labels().label ?? name)
        case "Locked": .bool(false)
        case "Created", "Modified": .time(0)
        default: nil
        }
    }

    func value(of property: String, _ item: ItemIdentity) -> WireValue? {
        let entry = labels()[item]
        switch property {
        case "Attributes": return .stringDictionary(attributes(of: item))
        case "Label": return .string(entry?.label ?? Self.label(of: item))
        case "Type": return .string(entry?.ignored["xdg:schema"] ?? "")
        case "Locked": return .bool(false)
        case "Created": return .time(entry?.created ?? 0)
        case "Modified": return .time(entry?.modified ?? 0)
        default: return nil
        }
    }

    /// The label of an item that no client has labelled.
    private static func label(of item: ItemIdentity) -> String {
        item.account.isEmpty ? item.service : "\(item.account) @ \(item.service)"
    }
}

/// The labels that were read last: most calls need them, and they seldom change.
private final class LabelCache {
    private var payload = SecretBytes(zeros: 0)
    private var labels = ItemLabels()

    /// Parses a payload, unless it is the same as last time.
    func labels(parsing bytes: RawSpan) -> ItemLabels {
        let isSame = payload.withBytes {
            unsafe $0.withUnsafeBytes { known in
                unsafe bytes.withUnsafeBytes { unsafe known.elementsEqual($0) }
            }
        }
        guard !isSame else { return labels }
        payload = SecretBytes(copying: bytes)
        labels = ItemLabels(parsing: bytes)
        return labels
    }
}
