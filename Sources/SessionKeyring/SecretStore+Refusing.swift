import Keyutils

extension SecretStore {
    /// Marks an item's value as refused, as ``SecretSlot/invalidate(_:waiting:)`` does, blocking the thread.
    @discardableResult
    package func invalidate<Value: Codable & Equatable>(_ refused: Value, for item: ItemIdentity) throws -> Bool {
        try checkWrite(item)
        var operation = RefuseOperation(of: refused, as: item, in: self, coding(Value.self))
        var wait = Wait()
        return try wait.run { effort throws(SecretStoreError) in try operation.attempt(effort) }
    }
}

/// Marking an item's value as refused.
struct RefuseOperation<Value: Equatable> {
    private let refused: Value
    private let item: ItemIdentity
    private let store: SecretStore
    private let coding: ValueCoding<Value>
    /// The value of an earlier attempt that was blocked.
    ///
    /// The next attempt is for the same value, even if it is gone by now, because it may have to complete a ring that
    /// the earlier one has begun to make.
    private var blocked: KnownValue?

    init(of refused: Value, as item: ItemIdentity, in store: SecretStore, _ coding: ValueCoding<Value>) {
        (self.refused, self.item, self.store, self.coding) = (refused, item, store, coding)
    }

    /// Makes one attempt; false if the item has another value.
    mutating func attempt(_ effort: Effort) throws(SecretStoreError) -> Outcome<Bool> {
        // Each further round means that somebody has stored the item meanwhile, perhaps with the same value.
        for _ in 0..<SecondLooks.lostLeases {
            if blocked == nil, let found = try store.found(item, coding), found.value == refused {
                blocked = found.known
            }
            guard let known = blocked else { return .done(false) }
            let outcome = try store.backend.changeFacts(of: item, known, effort) { $0.isRefused = true }
            if case .blocked = outcome { return outcome }
            blocked = nil
            if case .done(true) = outcome { return outcome }
        }
        return .blocked(SecretStoreError(.blocked(.itemLease), item: item))
    }
}
