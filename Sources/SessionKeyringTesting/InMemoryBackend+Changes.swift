public import SessionKeyring

extension InMemoryBackend {
    /// Reports the changes of the items from now on.
    ///
    /// As in the kernel's backend, an expired item or a new timeout is not a change.
    public func changes(_ attempt: inout BackendAttempt) throws(SecretStoreError) -> SecretChanges {
        let (changes, continuation) = AsyncStream.makeStream(of: SecretChange.self)
        let number = state.withLock { $0.observers.add(continuation) }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { $0.observers.remove(number) }
        }
        return SecretChanges(changes)
    }

    /// The streams that receive changes.
    struct Observers: Sendable {
        private var continuations: [Int: AsyncStream<SecretChange>.Continuation] = [:]
        private var next = 0

        mutating func add(_ continuation: AsyncStream<SecretChange>.Continuation) -> Int {
            defer { next += 1 }
            continuations[next] = continuation
            return next
        }

        mutating func remove(_ number: Int) {
            continuations[number] = nil
        }

        func tell(_ change: SecretChange, of item: ItemIdentity? = nil) {
            guard item?.isListed ?? true else { return }
            for continuation in continuations.values { continuation.yield(change) }
        }
    }
}

extension ItemIdentity {
    /// Whether the item belongs to the store's users, and is not one that the store keeps for itself.
    var isListed: Bool { ItemIdentity(keyDescription: keyDescription) != nil }
}
