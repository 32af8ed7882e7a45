import Keyutils

extension KernelBackend {
    package func changeFacts(
        of item: ItemIdentity, _ value: KnownValue, _ effort: Effort, _ change: (inout ItemFacts) -> Void
    ) throws(SecretStoreError) -> Outcome<Bool> {
        try rings.requireOwnSession()
        return try .of { () throws(SecretStoreError) in
            try inRoom(effort) { () throws(SecretStoreError) in
                try withPair(for: item, effort) { pair throws(KeyringError) in
                    switch try acquireFlagged(item, in: pair.leases, effort) {
                    case .done(let lease):
                        return try changeFacts(of: item, value, in: pair.items, under: lease, change)
                    case .blocked(let reason): return .blocked(reason)
                    }
                }
            }
        }
    }

    /// Writes the changed facts to a companion that ends no earlier than the item.
    ///
    /// The writers of facts hold the item's lease too, so none of them overwrites the refusal of the same value.
    private func changeFacts(
        of item: ItemIdentity, _ value: KnownValue, in ring: Keyring, under lease: borrowing HeldLease,
        _ change: (inout ItemFacts) -> Void
    ) throws(KeyringError) -> Step<Bool> {
        guard let key = try current(item, in: ring), key.serial.rawValue == value.key else { return .done(false) }
        let hash = try key.withPayload(PayloadEncoding.hashOfSecret)
        guard hash == value.hash else { return .done(false) }
        var facts = try facts(of: item, key: key, hash: hash, in: ring) ?? ItemFacts()
        change(&facts)
        var timeout: KeyTimeout?
        if case .after(let left) = ItemAttributes.Expiry((try? KeyTable.snapshot())?[key.serial]?.expiry) {
            timeout = try? KeyTimeout(left.atLeast + left.precision + .seconds(1))
        }
        let companion = try stage(facts, of: item, key: key, hash: hash, timeout: timeout)
        guard try lease.place(companion, in: ring) else { return .blocked(.itemLease) }
        // A `clear`, which takes no lease, could have come before the facts.
        guard try current(item, in: ring) == key else {
            try? companion.invalidate()
            return .done(false)
        }
        return .done(true)
    }
}
