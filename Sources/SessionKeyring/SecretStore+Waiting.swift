public import Keyutils

/// The operations that change an item, for tasks: where others are in the way, these wait without keeping a thread.
///
/// The blocking forms may be called from tasks too. They take microseconds, but where items are updated they wait for
/// whoever has the item, for ten seconds at most, and where the quota is full they wait for the kernel, for less than one.
extension SecretStore {
    /// Stores bytes, as ``set(_:for:timeout:)`` does.
    ///
    /// - Parameter limit: how long to wait for others; for quota less than a second.
    /// - Throws: `CancellationError`; ``SecretStoreError`` with `contended` where others were in the way all the time, or as
    ///   ``set(_:for:timeout:)``.
    public func set(
        _ secret: borrowing SecretBytes, for item: ItemIdentity, timeout: Duration? = nil, waiting limit: Duration
    ) async throws {
        try await waiting(upTo: limit) { store in try store.set(secret, for: item, timeout: timeout) }
    }

    /// Stores a value, as ``set(_:for:timeout:)`` does.
    ///
    /// - Parameter limit: how long to wait for others; for quota less than a second.
    /// - Throws: `CancellationError`; ``SecretStoreError`` with `contended` where others were in the way all the time, or as
    ///   ``set(_:for:timeout:)``.
    public func set<Value: Encodable>(
        _ value: Value, for item: ItemIdentity, timeout: Duration? = nil, waiting limit: Duration
    ) async throws {
        try await set(try encoded(value, for: item), for: item, timeout: timeout, waiting: limit)
    }

    /// Stores bytes only if no live item is there, as ``add(_:for:timeout:)`` does.
    ///
    /// - Parameter limit: how long to wait for others; for quota less than a second.
    /// - Throws: `CancellationError`; ``SecretStoreError`` as ``add(_:for:timeout:)``.
    public func add(
        _ secret: borrowing SecretBytes, for item: ItemIdentity, timeout: Duration? = nil, waiting limit: Duration
    ) async throws {
        try await waiting(upTo: limit) { store in try store.add(secret, for: item, timeout: timeout) }
    }

    /// Stores a value only if no live item is there, as ``add(_:for:timeout:)`` does.
    ///
    /// - Parameter limit: how long to wait for others; for quota less than a second.
    /// - Throws: `CancellationError`; ``SecretStoreError`` as ``add(_:for:timeout:)``.
    public func add<Value: Encodable>(
        _ value: Value, for item: ItemIdentity, timeout: Duration? = nil, waiting limit: Duration
    ) async throws {
        try await add(try encoded(value, for: item), for: item, timeout: timeout, waiting: limit)
    }

    /// Gives the item that is there a new timeout, counted from now; false where there is none.
    ///
    /// - Parameter limit: how long to wait for others.
    /// - Throws: `CancellationError`; ``SecretStoreError`` with `contended`, or as the blocking form.
    @discardableResult
    public func expire(
        _ item: ItemIdentity, timeout: Duration, waiting limit: Duration
    ) async throws -> Bool {
        try await waiting(upTo: limit) { store in try store.expire(item, timeout: timeout) }
    }

    /// Deletes the item; false where there was none.
    ///
    /// - Parameter limit: how long to wait for others.
    /// - Throws: `CancellationError`; ``SecretStoreError`` with `contended`, or as ``delete(_:)``.
    @discardableResult
    public func delete(_ item: ItemIdentity, waiting limit: Duration) async throws -> Bool {
        try await waiting(upTo: limit) { store in try store.delete(item) }
    }

    /// Runs `attempt` on a store that does not wait, until nobody is in its way.
    func waiting<Result: ~Copyable>(
        upTo limit: Duration, _ attempt: (SecretStore) throws -> Result
    ) async throws -> Result {
        try Task.checkCancellation()
        let store = withoutWaiting
        var wait = DeadlineWait(limit, at: backend)
        var quotaWait = DeadlineWait(min(limit, RetryBudget.fullQuota), backoff: .long)
        while true {
            let isOver: Bool
            do {
                return try attempt(store)
            } catch let error as SecretStoreError {
                switch error.code {
                case .contended: isOver = try await !wait.waitInTask()
                case .quotaExceeded: isOver = try await !quotaWait.waitInTask()
                default: throw error
                }
                if isOver { throw error }
            }
        }
    }

    /// The same items, where nothing waits.
    var withoutWaiting: SecretStore { SecretStore(backend: backend.withoutWaiting, codec: codec) }

    private func encoded<Value: Encodable>(
        _ value: Value, for item: ItemIdentity
    ) throws(SecretStoreError) -> SecretBytes {
        let codec = codec
        return try encoding(item) { try RawCoding.encode(value, else: codec) }
    }
}
