import Keyutils
import SessionKeyring

/// An item's label, attributes and times, as far as they are known; the store keeps it as texts (``ItemFacts``).
struct ItemDetails: Equatable {
    /// The largest size of a label, of a content type, or of an attribute that is not in the name, in bytes.
    static let longestText = 1_024

    /// `nil` if no client has given one.
    var label: String?
    var contentType = "text/plain"
    /// The attributes that the item's name does not have; `nil` if they are not known.
    var others: [Name: Name]?
    /// When the item was created and last changed, and when it expires, in milliseconds since 1970; `nil` if unknown.
    var created, modified, end: UInt64?

    init() {}

    init(_ texts: [Name: Name]) {
        label = texts["label"]?.text
        contentType = texts["type"]?.text ?? contentType
        created = texts["created"].flatMap { UInt64($0.text) }
        modified = texts["modified"].flatMap { UInt64($0.text) } ?? created
        end = texts["end"].flatMap { UInt64($0.text) }
        // A client that creates an item gives all of its attributes, so these are known from then on.
        guard created != nil else { return }
        others = [:]
        for name in ItemAttributeSet.otherNames { others?[name] = texts[":\(name)"] }
    }

    var texts: [Name: Name] {
        var texts: [Name: Name] = [:]
        texts["label"] = label.map { Name($0) }
        texts["type"] = contentType == "text/plain" ? nil : Name(contentType)
        texts["created"] = created.map { Name("\($0)") }
        texts["modified"] = modified == created ? nil : modified.map { Name("\($0)") }
        texts["end"] = end.map { Name("\($0)") }
        for (name, value) in others ?? [:] { texts[Name(":\(name.text)")] = value }
        return texts
    }

    /// Refuses a label or a content type that is too long to be remembered.
    static func check(_ text: String, _ name: String) throws(ServiceFailure) {
        guard text.utf8.count <= longestText else { throw .limit("a \(name) has at most \(longestText) bytes") }
    }

    /// Returns the time left, which the kernel reports less precisely.
    func timeLeft(within left: KeyTimeLeft) -> Duration {
        guard let end else { return left.atLeast }
        let known = Duration.milliseconds(Int64(clamping: end) - Int64(clamping: SystemTime.now()))
        return min(max(known, left.atLeast), left.atLeast + left.precision)
    }

    /// Records a change that is made now, and the timeout that begins with it.
    mutating func change(timeout: Duration?) {
        modified = SystemTime.now()
        end = timeout.map { SystemTime.after($0) }
    }
}
