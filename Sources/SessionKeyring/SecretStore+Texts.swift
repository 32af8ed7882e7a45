package import Keyutils

/// Texts about items, which the Secret Service keeps in their companions (``ItemFacts/texts``).
extension SecretStore {
    /// Prepares to store an item with texts; nothing is sealed.
    package func settingWithTexts(_ item: ItemIdentity) throws(SecretStoreError) -> TextsSetOperation {
        try checkWrite(item)
        return TextsSetOperation(item, in: backend)
    }

    /// Lends an item's bytes to `body`, and returns the texts about it; nothing is opened that was sealed.
    ///
    /// - Returns: `nil` if the item does not exist; empty if the texts are not known.
    package func texts(
        of item: ItemIdentity, _ body: (RawSpan) -> Void = { _ in }
    ) throws(SecretStoreError) -> [Name: Name]? {
        try check(item)
        guard let known = try backend.readWithFacts(item, body) else { return nil }
        return known.facts?.texts ?? [:]
    }

    /// Makes one attempt to change the texts about an item, whose value and timeout stay the same.
    ///
    /// - Returns: false if the item does not exist.
    package func changeTexts(
        of item: ItemIdentity, _ effort: Effort, _ change: (inout [Name: Name]) -> Void
    ) throws(SecretStoreError) -> Outcome<Bool> {
        try checkWrite(item)
        // Each further round means that somebody has stored the item meanwhile.
        for _ in 0..<SecondLooks.lostLeases {
            guard let known = try backend.readWithFacts(item, { _ in }) else { return .done(false) }
            let outcome = try backend.changeFacts(of: item, known, effort) { change(&$0.texts) }
            if case .done(false) = outcome { continue }
            return outcome
        }
        return .blocked(SecretStoreError(.blocked(.itemLease), item: item))
    }
}
