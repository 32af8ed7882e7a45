public import Keyutils

/// Async forms of the operations that change an item; they wait for others without blocking a thread.
///
/// Each form does the same as its blocking counterpart, but waits for at most `limit`: for other writers and, if the
/// quota is full, for the kernel to free quota. `set` and `add` use the whole limit to wait for quota. An update waits
/// and ``SecretSlot/invalidate(_:waiting:)`` about a second for it, and the other operations 150 ms, because they can work
/// without it.
///
/// With a limit of zero, an operation makes one attempt. It can still wait up to 100 ms for the kernel, or for a
/// process that is creating the namespace's keyrings.
///
/// If a task is cancelled after a step that others can already see, the operation is completed anyway. It then waits up
/// to ten seconds, whatever the limit.
///
/// Tasks can also call the blocking forms. These take microseconds, but they block the thread for up to ten seconds
/// while another writer holds the item for an update, and for about a second if the quota is full.
extension SecretStore {
    /// Stores bytes, replacing any existing item; waits for at most `limit`.
    ///
    /// - Throws: `CancellationError`; ``SecretStoreError`` as ``set(_:for:lasting:)-(SecretBytes,_,_)``.
    public nonisolated(nonsending) func set(
        _ secret: borrowing SecretBytes, for item: ItemIdentity, lasting lifetime: Lifetime = .scope,
        waiting limit: Duration
    ) async throws {
        try await write(secret, of: item, try setting(item, lasting: lifetime), waiting: limit)
    }

    /// Stores a value, replacing any existing item; waits for at most `limit`.
    ///
    /// - Throws: `CancellationError`; ``SecretStoreError`` as ``set(_:for:lasting:)-(Value,_,_)``.
    public nonisolated(nonsending) func set<Value: Encodable>(
        _ value: Value, for item: ItemIdentity, lasting lifetime: Lifetime = .scope, waiting limit: Duration
    ) async throws {
        try await set(try encoded(value, for: item), for: item, lasting: lifetime, waiting: limit)
    }

    /// Stores bytes unless a live item exists; waits for at most `limit`.
    ///
    /// - Throws: `CancellationError`; ``SecretStoreError`` as ``add(_:for:lasting:)-(SecretBytes,_,_)``.
    public nonisolated(nonsending) func add(
        _ secret: borrowing SecretBytes, for item: ItemIdentity, lasting lifetime: Lifetime = .scope,
        waiting limit: Duration
    ) async throws {
        try await write(secret, of: item, try setting(item, lasting: lifetime, isAddition: true), waiting: limit)
    }

    /// Stores a value unless a live item exists; waits for at most `limit`.
    ///
    /// - Throws: `CancellationError`; ``SecretStoreError`` as ``add(_:for:lasting:)-(Value,_,_)``.
    public nonisolated(nonsending) func add<Value: Encodable>(
        _ value: Value, for item: ItemIdentity, lasting lifetime: Lifetime = .scope, waiting limit: Duration
    ) async throws {
        try await add(try encoded(value, for: item), for: item, lasting: lifetime, waiting: limit)
    }

    private nonisolated(nonsending) func write(
        _ secret: borrowing SecretBytes, of item: ItemIdentity, _ operation: SetOperation, waiting limit: Duration
    ) async throws {
        guard let sealing else { return try await write(secret, operation, waiting: limit) }
        try await write(try sealing.sealed(secret, of: item), operation, waiting: limit)
    }

    private nonisolated(nonsending) func write(
        _ bytes: borrowing SecretBytes, _ operation: SetOperation, waiting limit: Duration
    ) async throws {
        var operation = operation
        var wait = Wait(upTo: limit, quota: limit)
        try await wait.runInTask { effort throws(SecretStoreError) in
            try bytes.withBytes { bytes throws(SecretStoreError) in try operation.attempt(bytes, effort) }
        }
    }

    /// Sets a new timeout for the existing item, counted from now; waits for at most `limit`.
    ///
    /// - Returns: false if the item does not exist.
    /// - Throws: `CancellationError`; ``SecretStoreError`` as ``expire(_:timeout:)``.
    @discardableResult
    public nonisolated(nonsending) func expire(
        _ item: ItemIdentity, timeout: Duration?, waiting limit: Duration
    ) async throws -> Bool {
        let keyTimeout = try writeTimeout(timeout, for: item)
        var wait = Wait.freeingQuota(upTo: limit)
        return try await wait.runInTask { effort throws(SecretStoreError) in
            try backend.expire(item, timeout: keyTimeout?.left, effort)
        }
    }

    /// Deletes the item; waits for at most `limit`.
    ///
    /// - Returns: false if the item did not exist.
    /// - Throws: `CancellationError`; ``SecretStoreError`` as ``delete(_:)``.
    @discardableResult
    public nonisolated(nonsending) func delete(_ item: ItemIdentity, waiting limit: Duration) async throws -> Bool {
        var operation = try deleting(item)
        var wait = Wait.freeingQuota(upTo: limit)
        return try await wait.runInTask { effort throws(SecretStoreError) in try operation.attempt(effort) }
    }
}
