import Keyutils
import SecretText
import SessionKeyring

/// The facts about a collection's items that their identities don't have: labels, content types, times and ignored
/// attributes.
///
/// They are in one hidden key of at most 4 KB, because a key for each item would soon fill the quota. The key can be
/// missing, and other programs can write it, so nothing important is only there.
struct ItemLabels {
    struct Entry {
        var label = ""
        var contentType = "text/plain"
        var ignored: [Name: String] = [:]
        /// Seconds since 1970; 0 if unknown.
        var created: UInt64 = 0
        var modified: UInt64 = 0
    }

    private static let largest = 4_096

    /// The collection's own label.
    var label: String?
    /// The entries, oldest first.
    private var entries: [(item: String, entry: Entry)] = []

    init() {}

    /// Reads the key's payload; lines that are not understood are skipped.
    init(parsing payload: RawSpan) {
        guard payload.byteCount <= Self.largest else { return }
        for line in String(lossy: payload).split(separator: "\n") {
            let fields = line.split(separator: " ", omittingEmptySubsequences: false)
            let texts = fields.dropFirst().compactMap { PercentCoding.decode($0) }
            guard texts.count == fields.count - 1 else { continue }
            if fields[0] == ".", texts.count == 1 {
                label = texts[0]
            } else if texts.count >= 4, texts.count % 2 == 0 {
                let pairs = stride(from: 4, to: texts.count, by: 2).map { (Name(texts[$0]), texts[$0 + 1]) }
                let ignored = Dictionary(pairs) { first, _ in first }
                let entry = Entry(
                    label: texts[0], contentType: texts[1], ignored: ignored, created: UInt64(texts[2]) ?? 0,
                    modified: UInt64(texts[3]) ?? 0)
                entries.append((String(fields[0]), entry))
            }
        }
    }

    subscript(_ item: ItemIdentity) -> Entry? {
        get {
            let name = item.keyDescription
            return entries.last { $0.item == name }?.entry
        }
        set {
            let name = item.keyDescription
            entries.removeAll { $0.item == name }
            if let newValue { entries.append((name, newValue)) }
        }
    }

    /// Encodes the entries of live items, as many of the newest as there is room for.
    ///
    /// - Returns: `nil` if nothing is left.
    func payload(of live: [ItemIdentity]) -> SecretBytes? {
        let names = Set(live.map { Name($0.keyDescription) })
        var lines = label.map { [". \(PercentCoding.encode($0))\n"] } ?? []
        var count = lines.reduce(0) { $0 + $1.utf8.count }
        for (item, entry) in entries.reversed() where names.contains(Name(item)) {
            let ignored = entry.ignored.sorted { $0.key < $1.key }.flatMap { [$0.key.text, $0.value] }
            let fields = [entry.label, entry.contentType, "\(entry.created)", "\(entry.modified)"] + ignored
            let line = "\(item) \(fields.map(PercentCoding.encode).joined(separator: " "))\n"
            guard count + line.utf8.count <= Self.largest else { continue }
            count += line.utf8.count
            lines.append(line)
        }
        return lines.isEmpty ? nil : SecretBytes(utf8: lines.reversed().joined())
    }
}
