package import Keyutils

/// Storing an item together with texts about it (``ItemFacts/texts``), under the item's lease.
///
/// The new texts can depend on those of the existing item: no other write comes in between, except a `clear`.
package struct TextsSetOperation {
    private let backend: any SecretBackend
    private let item: ItemIdentity
    private var update: (any ItemUpdate)?
    /// The choice of a blocked attempt whose value others can already see.
    private var chosen: (timeout: RunningTimeout?, facts: ItemFacts)?

    init(_ item: ItemIdentity, in backend: any SecretBackend) {
        (self.item, self.backend) = (item, backend)
    }

    /// Makes one attempt; the bytes must be the same each time.
    ///
    /// If the quota has no room for the texts, the item is stored without.
    ///
    /// - Parameter choose: returns the timeout and the texts to store; `nil` to leave the item as it is. It gets the
    ///   existing item's texts: `nil` without an item, empty if they are not known.
    /// - Returns: whether the item was stored.
    package mutating func attempt(
        _ bytes: RawSpan, _ effort: Effort,
        _ choose: (_ old: [Name: Name]?) -> (timeout: Duration?, texts: [Name: Name])?
    ) throws(SecretStoreError) -> Outcome<Bool> {
        if update == nil {
            switch try backend.beginUpdate(of: item, lasting: .seconds(2), effort) {
            case .done(let begun): update = begun
            case .blocked(let reason, let step): return .blocked(reason, after: step)
            }
        }
        do throws(SecretStoreError) {
            // Each further round means that the item was cleared or has expired meanwhile.
            for _ in 0..<SecondLooks.lostLeases {
                guard let update, let (timeout, facts) = try choice(update, choose) else {
                    self.update = nil
                    return .done(false)
                }
                let outcome = try update.commit(bytes, timeout: timeout?.left, facts, effort)
                if outcome.step == nil { chosen = nil }
                if case .done(false) = outcome { continue }
                // If nobody can see the value yet, others have their turn until the next attempt.
                if outcome.step == nil { self.update = nil }
                return outcome
            }
        } catch {
            guard error.code == .leaseLost else { throw error }
            chosen = nil
        }
        update = nil
        return .blocked(SecretStoreError(.blocked(.itemLease), item: item))
    }

    private mutating func choice(
        _ update: any ItemUpdate, _ choose: ([Name: Name]?) -> (timeout: Duration?, texts: [Name: Name])?
    ) throws(SecretStoreError) -> (timeout: RunningTimeout?, facts: ItemFacts)? {
        if let chosen { return chosen }
        let isThere = try update.read { _ in }
        guard let new = choose(isThere ? update.facts?.texts ?? [:] : nil) else { return nil }
        var timeout: RunningTimeout?
        if let duration = new.timeout { timeout = RunningTimeout(try KeyTimeout(duration, of: item)) }
        chosen = (timeout, ItemFacts(texts: new.texts))
        return chosen
    }
}
