public import Keyutils

/// Async forms of the operations that change an item; they wait for others without blocking a thread.
///
/// Each form does the same as its blocking counterpart, but waits for at most `limit`: for other writers and, if the
/// quota is full, for the kernel to free quota. `set` and `add` use the whole limit to wait for quota. An update waits
/// about a second for it, and the other operations 150 ms, because they can work without it.
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
    /// - Throws: `CancellationError`; ``SecretStoreError`` as
    ///   ``set(_:for:timeout:refreshAfter:usableFor:)-(SecretBytes,_,_,_,_)``.
    public nonisolated(nonsending) func set(
        _ secret: borrowing SecretBytes, for item: ItemIdentity, timeout: Duration? = nil,
        refreshAfter: Duration? = nil,
        usableFor: Duration? = nil, waiting limit: Duration
    ) async throws {
        var operation = try setting(item, timeout: timeout, refreshAfter: refreshAfter, usableFor: usableFor)
        var wait = Wait(upTo: limit, quota: limit)
        try await wait.runInTask { effort throws(SecretStoreError) in
            try secret.withBytes { bytes throws(SecretStoreError) in try operation.attempt(bytes, effort) }
        }
    }

    /// Stores a value, replacing any existing item; waits for at most `limit`.
    ///
    /// - Throws: `CancellationError`; ``SecretStoreError`` as
    ///   ``set(_:for:timeout:refreshAfter:usableFor:)-(Value,_,_,_,_)``.
    public nonisolated(nonsending) func set<Value: Encodable>(
        _ value: Value, for item: ItemIdentity, timeout: Duration? = nil, refreshAfter: Duration? = nil,
        usableFor: Duration? = nil, waiting limit: Duration
    ) async throws {
        try await set(
            try encoded(value, for: item), for: item, timeout: timeout, refreshAfter: refreshAfter,
            usableFor: usableFor, waiting: limit)
    }

    /// Stores bytes unless a live item exists; waits for at most `limit`.
    ///
    /// - Throws: `CancellationError`; ``SecretStoreError`` as
    ///   ``add(_:for:timeout:refreshAfter:usableFor:)-(SecretBytes,_,_,_,_)``.
    public nonisolated(nonsending) func add(
        _ secret: borrowing SecretBytes, for item: ItemIdentity, timeout: Duration? = nil,
        refreshAfter: Duration? = nil,
        usableFor: Duration? = nil, waiting limit: Duration
    ) async throws {
        var operation = try setting(
            item, timeout: timeout, refreshAfter: refreshAfter, usableFor: usableFor, isAddition: true)
        var wait = Wait(upTo: limit, quota: limit)
        try await wait.runInTask { effort throws(SecretStoreError) in
            try secret.withBytes { bytes throws(SecretStoreError) in try operation.attempt(bytes, effort) }
        }
    }

    /// Stores a value unless a live item exists; waits for at most `limit`.
    ///
    /// - Throws: `CancellationError`; ``SecretStoreError`` as
    ///   ``add(_:for:timeout:refreshAfter:usableFor:)-(Value,_,_,_,_)``.
    public nonisolated(nonsending) func add<Value: Encodable>(
        _ value: Value, for item: ItemIdentity, timeout: Duration? = nil, refreshAfter: Duration? = nil,
        usableFor: Duration? = nil, waiting limit: Duration
    ) async throws {
        try await add(
            try encoded(value, for: item), for: item, timeout: timeout, refreshAfter: refreshAfter,
            usableFor: usableFor, waiting: limit)
    }

    /// Sets a new timeout for the existing item, counted from now; waits for at most `limit`.
    ///
    /// - Returns: false if the item does not exist.
    /// - Throws: `CancellationError`; ``SecretStoreError`` as ``expire(_:timeout:)``.
    @discardableResult
    public nonisolated(nonsending) func expire(
        _ item: ItemIdentity, timeout: Duration, waiting limit: Duration
    ) async throws -> Bool {
        let keyTimeout = try writeTimeout(timeout, for: item)
        var wait = Wait.freeingQuota(upTo: limit)
        return try await wait.runInTask { effort throws(SecretStoreError) in
            try backend.expire(item, timeout: keyTimeout?.left, effort)
        }
    }

    /// Removes the existing item's timeout, so that it lives as long as its scope; waits for at most `limit`.
    ///
    /// - Returns: false if the item does not exist.
    /// - Throws: `CancellationError`; ``SecretStoreError`` as ``removeTimeout(of:)``.
    @discardableResult
    public nonisolated(nonsending) func removeTimeout(
        of item: ItemIdentity, waiting limit: Duration
    ) async throws -> Bool {
        try checkWrite(item)
        var wait = Wait.freeingQuota(upTo: limit)
        return try await wait.runInTask { effort throws(SecretStoreError) in
            try backend.expire(item, timeout: nil, effort)
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

    /// Deletes all items of a service, server or tag, whatever their accounts; waits for at most `limit` in all.
    ///
    /// The items are deleted one after the other.
    ///
    /// - Returns: the number of deleted items.
    /// - Throws: `CancellationError`; ``SecretStoreError`` as ``clear(of:service:)``.
    @discardableResult
    public nonisolated(nonsending) func clear(
        of kind: ItemIdentity.Kind, service: String, waiting limit: Duration
    ) async throws -> Int {
        var count = 0
        var wait = Wait.freeingQuota(upTo: limit)
        for item in try identities(of: kind, service: service) {
            var operation = try deleting(item)
            // After the first deletion, the caller must get the count, so the task can't be cancelled any more.
            let isDeleted = try await wait.runInTask(isCancellable: count == 0) { effort throws(SecretStoreError) in
                try operation.attempt(effort)
            }
            if isDeleted { count += 1 }
        }
        return count
    }
}
