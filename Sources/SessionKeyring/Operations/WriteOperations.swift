import Keyutils

/// Storing an item over any existing one, or unless a live one exists.
///
/// The timeout counts from the creation of this value.
package struct SetOperation {
    private let backend: any SecretBackend
    private let item: ItemIdentity
    private let timeout: RunningTimeout?
    private let facts: ItemFacts?
    /// Whether a live item is left as it is.
    private let isAddition: Bool
    /// The step of an earlier attempt that others can see.
    private var step: VisibleStep?

    init(
        _ item: ItemIdentity, timeout: RunningTimeout?, facts: ItemFacts?, isAddition: Bool,
        in backend: any SecretBackend
    ) {
        (self.backend, self.item, self.timeout, self.facts) = (backend, item, timeout, facts)
        self.isAddition = isAddition
    }

    /// Makes one attempt; the bytes must be the same each time.
    package mutating func attempt(_ bytes: RawSpan, _ effort: Effort) throws(SecretStoreError) -> Outcome<Void> {
        if isAddition { return try backend.add(bytes, for: item, timeout: timeout?.left, facts, effort) }
        let outcome = try backend.set(bytes, for: item, timeout: timeout?.left, facts, effort, after: step)
        step = outcome.step
        return outcome
    }
}

/// Deleting an item.
package struct DeleteOperation {
    private let backend: any SecretBackend
    private let item: ItemIdentity
    /// The step of an earlier attempt that others can see.
    private var step: VisibleStep?

    init(_ item: ItemIdentity, in backend: any SecretBackend) {
        (self.backend, self.item) = (backend, item)
    }

    /// Makes one attempt; false if the item did not exist.
    package mutating func attempt(_ effort: Effort) throws(SecretStoreError) -> Outcome<Bool> {
        let outcome = try backend.delete(item, effort, after: step)
        step = outcome.step
        return outcome
    }
}
