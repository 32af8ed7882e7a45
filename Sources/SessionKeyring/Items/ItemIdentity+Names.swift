import Keyutils

/// Looking up secrets by name, whatever their kind.
extension ItemIdentity.Kind {
    /// The kinds among which a secret is looked up by name, in this order.
    package static let ofSecrets: [Self] = [.password, .internet, .credential]

    /// The position in ``ofSecrets``; `nil` for the other kinds.
    fileprivate var rank: Int? { Self.ofSecrets.firstIndex(of: self) }

    /// Whether a lookup by name considers items of this kind.
    package var isOfSecrets: Bool { rank != nil }
}

extension ItemIdentity {
    /// Orders items by kind, then by account and service.
    fileprivate static func isOrdered(_ left: ItemIdentity, _ right: ItemIdentity) -> Bool {
        guard left.kind == right.kind else { return (left.kind.rank ?? 0) < (right.kind.rank ?? 0) }
        return left.account == right.account ? left.service < right.service : left.account < right.account
    }
}

extension [ItemIdentity] {
    /// Returns the matching secrets, ordered by kind, then by account and service.
    package func secrets(where isMeant: (ItemIdentity) -> Bool) -> [ItemIdentity] {
        var found: [ItemIdentity] = []
        for item in self where item.kind.isOfSecrets && isMeant(item) { found.append(item) }
        if found.count > 1 { found.sort(by: ItemIdentity.isOrdered) }
        return found
    }
}
