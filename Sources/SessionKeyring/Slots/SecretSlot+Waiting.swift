/// Async forms of the operations that change the item; they wait for others without blocking a thread.
///
/// Each form does the same as its blocking counterpart, and waits for at most `limit`, as the forms of
/// ``SecretStore`` do.
extension SecretSlot {
    /// Saves the value, replacing any existing one; waits for at most `limit`.
    ///
    /// - Throws: `CancellationError`, or as ``save(_:timeout:refreshAfter:usableFor:)``, which documents
    ///   the parameters.
    public nonisolated(nonsending) func save(
        _ secret: Secret, timeout: Duration? = nil, refreshAfter: Duration? = nil, usableFor: Duration? = nil,
        waiting limit: Duration
    ) async throws {
        try await store.set(
            try bytes(of: secret), for: item, timeout: timeout ?? self.timeout, refreshAfter: refreshAfter,
            usableFor: usableFor, waiting: limit)
    }

    /// Saves the value unless one exists; waits for at most `limit`.
    ///
    /// - Throws: `CancellationError`, or as ``add(_:timeout:)``, which documents the parameters.
    public nonisolated(nonsending) func add(
        _ secret: Secret, timeout: Duration? = nil, waiting limit: Duration
    ) async throws {
        try await store.add(try bytes(of: secret), for: item, timeout: timeout ?? self.timeout, waiting: limit)
    }

    /// Sets a new timeout for the existing value, counted from now; waits for at most `limit`.
    ///
    /// - Returns: false if the value does not exist.
    /// - Throws: `CancellationError`, or as ``expire(timeout:)``.
    @discardableResult
    public nonisolated(nonsending) func expire(timeout: Duration, waiting limit: Duration) async throws -> Bool {
        try await store.expire(item, timeout: timeout, waiting: limit)
    }

    /// Deletes the value; waits for at most `limit`.
    ///
    /// - Returns: false if the value did not exist.
    /// - Throws: `CancellationError`, or as ``delete()``.
    @discardableResult
    public nonisolated(nonsending) func delete(waiting limit: Duration) async throws -> Bool {
        try await store.delete(item, waiting: limit)
    }

    /// Replaces the value with one made from the current value, as one step to all other writers.
    ///
    /// - Parameters:
    ///   - timeout: the timeout of the new value; `nil` for the slot's timeout.
    ///   - duration: how long the update can take, at most one hour.
    ///   - limit: how long to wait for other writers.
    ///   - change: makes the new value from the current one, which is `nil` if it does not exist. Return `nil` to
    ///     delete the value.
    /// - Throws: `CancellationError` while it waits, or as ``blockingUpdate(timeout:lasting:waiting:_:)``.
    @discardableResult
    public nonisolated(nonsending) func update(
        timeout: Duration? = nil, lasting duration: Duration = .seconds(2), waiting limit: Duration = .seconds(10),
        _ change: (Secret?) throws -> Secret?
    ) async throws -> Secret? {
        try await store.update(
            item, coding, timeout: timeout ?? self.timeout, lasting: duration, waiting: limit, change)
    }
}
