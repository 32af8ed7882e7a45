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
