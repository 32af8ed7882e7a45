/// The operations that change the item, for tasks: where others are in the way, these wait without keeping a thread.
///
/// Each does what the blocking form does, and waits up to `limit`, as that of ``SecretStore`` does.
extension SecretSlot {
    /// Saves the value, replacing any existing one; waits for others up to `limit`.
    ///
    /// - Throws: `CancellationError`, or as ``save(_:timeout:refreshAfter:usableFor:)``, which has its parameters.
    public nonisolated(nonsending) func save(
        _ secret: Secret, timeout: Duration? = nil, refreshAfter: Duration? = nil, usableFor: Duration? = nil,
        waiting limit: Duration
    ) async throws {
        try await store.set(
            try bytes(of: secret), for: item, timeout: timeout ?? self.timeout, refreshAfter: refreshAfter,
            usableFor: usableFor, waiting: limit)
    }

    /// Saves the value only if there is none; waits for others up to `limit`.
    ///
    /// - Throws: `CancellationError`, or as ``add(_:timeout:)``, which has its parameters.
    public nonisolated(nonsending) func add(
        _ secret: Secret, timeout: Duration? = nil, waiting limit: Duration
    ) async throws {
        try await store.add(try bytes(of: secret), for: item, timeout: timeout ?? self.timeout, waiting: limit)
    }

    /// Gives the value that is there a new timeout, counted from now; false where there is none.
    ///
    /// Waits for others up to `limit`.
    ///
    /// - Throws: `CancellationError`, or as ``expire(timeout:)``.
    @discardableResult
    public nonisolated(nonsending) func expire(timeout: Duration, waiting limit: Duration) async throws -> Bool {
        try await store.expire(item, timeout: timeout, waiting: limit)
    }

    /// Deletes the value; false where there was none.
    ///
    /// Waits for others up to `limit`.
    ///
    /// - Throws: `CancellationError`, or as ``delete()``.
    @discardableResult
    public nonisolated(nonsending) func delete(waiting limit: Duration) async throws -> Bool {
        try await store.delete(item, waiting: limit)
    }

    /// Saves a value made of the current one, as one step to everybody else.
    ///
    /// - Parameters:
    ///   - timeout: the timeout of the new value; `nil` for the slot's.
    ///   - duration: how long the update may take; up to one hour.
    ///   - limit: how long to wait for others.
    ///   - change: gets `nil` if there is no value; if it returns `nil`, the value is deleted.
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
