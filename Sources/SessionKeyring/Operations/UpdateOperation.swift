/// Changing an item by the right to update it.
struct UpdateOperation {
    let backend: any SecretBackend
    let item: ItemIdentity
    /// The right that an earlier attempt has got.
    private var update: (any ItemUpdate)?

    /// How long an update can take unless its caller says otherwise: much longer than a few system calls need.
    static let duration = Duration.seconds(2)

    init(_ item: ItemIdentity, in backend: any SecretBackend) {
        (self.backend, self.item) = (backend, item)
    }

    /// Makes one attempt.
    ///
    /// - Parameter change: reads the item and commits. It returns false if the item has changed, and is then
    ///   called again.
    mutating func attempt(
        _ effort: Effort, _ change: (any ItemUpdate) throws(SecretStoreError) -> Outcome<Bool>
    ) throws(SecretStoreError) -> Outcome<Void> {
        if update == nil {
            switch try backend.beginUpdate(of: item, lasting: Self.duration, effort) {
            case .done(let begun): update = begun
            case .blocked(let error, let step): return .blocked(error, after: step)
            }
        }
        while let update {
            switch try change(update) {
            case .done(true): self.update = nil
            case .done(false): continue
            case .blocked(let error, let step): return .blocked(error, after: step)
            }
        }
        return .done(())
    }
}
