public import SessionKeyring

extension InMemoryBackend {
    /// The changes of the items from now on.
    ///
    /// As with the kernel's, an item that expires is none, nor is a new timeout.
    public func changes(_ attempt: inout BackendAttempt) throws(SecretStoreError) -> SecretChanges {
        let (changes, continuation) = AsyncStream.makeStream(of: SecretChange.self)
        let number = state.withLock { $0.observers.add(continuation) }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { $0.observers.remove(number) }
        }
        return SecretChanges(changes)
    }

    /// Those who are told of changes.
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
    /// Whether it is an item of the store's users, and not one that the store keeps for itself.
    var isListed: Bool { ItemIdentity(keyDescription: keyDescription) != nil }
}
