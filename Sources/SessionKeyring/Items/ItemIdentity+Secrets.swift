package import Keyutils

/// Items of the Secret Service that are named by their attributes.
extension ItemIdentity {
    /// A secret that any set of attributes names.
    ///
    /// The description has the attributes in the order of their names, such as `secret:account:alice:server:a.example`.
    /// Further secrets with the same attributes end with a number, such as `secret:account:alice:2`: an attribute has
    /// two fields, so the number, at the end of an odd number of fields, is not one.
    ///
    /// - Parameter number: 1 for the first secret with these attributes.
    package static func secret(attributes: [Name: Name], number: Int = 1) -> ItemIdentity {
        // No encoded text is a single dot.
        var fields = attributes.isEmpty ? ["."] : []
        for (name, value) in attributes.sorted(by: { $0.key < $1.key }) {
            fields += [PercentCoding.encode(name.text), PercentCoding.encode(value.text)]
        }
        if number > 1 { fields.append(String(number)) }
        return ItemIdentity(.secret, service: fields.joined(separator: ":"), account: "")
    }

    /// The attributes that name a secret; `nil` for another kind.
    package var secretAttributes: [Name: Name]? { kind == .secret ? Self.attributes(service) : nil }

    /// The hidden key of a namespace in which the Secret Service keeps a collection's label.
    package static let collectionLabel = ItemIdentity(
        kind: .secret, service: "label", account: "", keyDescription: "label:secret")

    /// Reads back the description of a secret; `nil` unless `secret(attributes:number:)` could have written it.
    init?(secretDescription: String) {
        // Bytes, because an accent can follow the colon.
        let service = String(Substring(secretDescription.utf8.dropFirst("secret:".utf8.count)))
        self.init(kind: .secret, service: service, account: "", keyDescription: secretDescription)
        guard case .some = secretAttributes else { return nil }
    }

    private static func attributes(_ encoded: String) -> [Name: Name]? {
        var fields = encoded.split(separator: ":", omittingEmptySubsequences: false)[...]
        let isEmpty = fields.first == "."
        if isEmpty { fields.removeFirst() }
        if fields.count % 2 == 1, let number = fields.popLast() {
            guard let value = Int(number), value > 1, String(value) == number else { return nil }
        }
        var attributes: [Name: Name] = [:]
        var last: Name?
        while let field = fields.popFirst(), let text = fields.popFirst() {
            guard let name = PercentCoding.decode(field).map({ Name($0) }), let value = PercentCoding.decode(text),
                last.map({ $0 < name }) ?? true
            else { return nil }
            attributes[name] = Name(value)
            last = name
        }
        return attributes.isEmpty == isEmpty ? attributes : nil
    }
}

extension ItemIdentity.Kind {
    /// Whether items of this kind have only one name.
    var hasNoAccount: Bool { self == .key || self == .secret }
}
