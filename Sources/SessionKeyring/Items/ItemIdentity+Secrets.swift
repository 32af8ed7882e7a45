import Keyutils

/// Items of the Secret Service that are named by their attributes.
extension ItemIdentity {
    /// A secret that any set of attributes names.
    ///
    /// The description has the attributes in the order of their names, such as `secret:account:alice:server:a.example`.
    package static func secret(attributes: [Name: String]) -> ItemIdentity {
        let fields = attributes.sorted { $0.key < $1.key }.flatMap { [$0.key.text, $0.value] }.map(PercentCoding.encode)
        // No encoded text is a single dot.
        return ItemIdentity(.secret, service: fields.isEmpty ? "." : fields.joined(separator: ":"), account: "")
    }

    /// The attributes that name a secret; `nil` for another kind.
    package var secretAttributes: [Name: String]? {
        guard kind == .secret else { return nil }
        return service == "." ? [:] : Self.attributes(service)
    }

    /// The hidden key of a namespace in which the Secret Service keeps the labels of items.
    package static let secretLabels = ItemIdentity(
        kind: .secret, service: "labels", account: "", keyDescription: "labels:secret")

    /// Reads back the description of a secret; `nil` unless `secret(attributes:)` could have written it.
    init?(secretDescription: String) {
        // Bytes, because an accent can follow the colon.
        let service = String(Substring(secretDescription.utf8.dropFirst("secret:".utf8.count)))
        self.init(kind: .secret, service: service, account: "", keyDescription: secretDescription)
        guard case .some = secretAttributes else { return nil }
    }

    private static func attributes(_ encoded: String) -> [Name: String]? {
        let fields = encoded.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
            .map { PercentCoding.decode(Substring($0)) }
        guard fields.count % 2 == 0 else { return nil }
        var attributes: [Name: String] = [:]
        var last: String?
        for position in stride(from: 0, to: fields.count, by: 2) {
            guard let name = fields[position], let value = fields[position + 1], last.map({ $0 < name }) ?? true else {
                return nil
            }
            attributes[name] = value
            last = name
        }
        return attributes
    }
}

extension ItemIdentity.Kind {
    /// Whether items of this kind have only one name.
    var hasNoAccount: Bool { self == .key || self == .secret }
}
