public import Keyutils

/// The operations that change an item, for tasks: where others are in the way, these wait without keeping a thread.
///
/// Each does what the blocking form does, and waits up to `limit`: for others, and if the quota is full, for the kernel to
/// free quota. A set or add waits for quota all that time, an update for about a second, the rest for 150 ms, because they
/// can do without. With a limit of zero there is one attempt, besides waits of at most 100 ms for the kernel or for a
/// process that makes the namespace's keyrings. A task that is cancelled after a step that others can see completes the
/// operation, which then waits for up to ten seconds, whatever the limit.
///
/// The blocking forms may be called from tasks too. They take microseconds, but if items are updated they wait for
/// the holder of the item, for ten seconds at most, and if the quota is full for about a second.
extension SecretStore {
    /// Stores bytes, replacing any existing item; waits for others up to `limit`.
    ///
    /// - Throws: `CancellationError`; ``SecretStoreError`` as ``set(_:for:timeout:refreshAfter:usableFor:)-(SecretBytes,_,_,_,_)``.
    public nonisolated(nonsending) func set(
        _ secret: borrowing SecretBytes, for item: ItemIdentity, timeout: Duration? = nil,
        refreshAfter: Duration? = nil,
        usableFor: Duration? = nil, waiting limit: Duration
    ) async throws {
        let freshness = try freshness(secret, item, timeout, refreshAfter, usableFor)
        let keyTimeout = try writeTimeout(timeout, for: item)
        var wait = Wait(upTo: limit, quota: limit)
        try await wait.runInTask { attempt throws(SecretStoreError) in
            try secret.withBytes { bytes throws(SecretStoreError) in
                try backend.set(bytes, for: item, timeout: keyTimeout, &attempt)
            }
        }
        if let freshness { try await finishInTask(freshness) }
    }

    /// Stores a value, replacing any existing item; waits for others up to `limit`.
    ///
    /// - Throws: `CancellationError`; ``SecretStoreError`` as ``set(_:for:timeout:refreshAfter:usableFor:)-(Value,_,_,_,_)``.
    public nonisolated(nonsending) func set<Value: Encodable>(
        _ value: Value, for item: ItemIdentity, timeout: Duration? = nil, refreshAfter: Duration? = nil,
        usableFor: Duration? = nil, waiting limit: Duration
    ) async throws {
        try await set(
            try encoded(value, for: item), for: item, timeout: timeout, refreshAfter: refreshAfter,
            usableFor: usableFor, waiting: limit)
    }

    /// Stores bytes only if there is no live item; waits for others up to `limit`.
    ///
    /// - Throws: `CancellationError`; ``SecretStoreError`` as ``add(_:for:timeout:refreshAfter:usableFor:)-(SecretBytes,_,_,_,_)``.
    public nonisolated(nonsending) func add(
        _ secret: borrowing SecretBytes, for item: ItemIdentity, timeout: Duration? = nil,
        refreshAfter: Duration? = nil,
        usableFor: Duration? = nil, waiting limit: Duration
    ) async throws {
        let freshness = try freshness(secret, item, timeout, refreshAfter, usableFor)
        let keyTimeout = try writeTimeout(timeout, for: item)
        var wait = Wait(upTo: limit, quota: limit)
        try await wait.runInTask { attempt throws(SecretStoreError) in
            try secret.withBytes { bytes throws(SecretStoreError) in
                try backend.add(bytes, for: item, timeout: keyTimeout, &attempt)
            }
        }
        if let freshness { try await finishInTask(freshness) }
    }

    /// Stores a value only if there is no live item; waits for others up to `limit`.
    ///
    /// - Throws: `CancellationError`; ``SecretStoreError`` as ``add(_:for:timeout:refreshAfter:usableFor:)-(Value,_,_,_,_)``.
    public nonisolated(nonsending) func add<Value: Encodable>(
        _ value: Value, for item: ItemIdentity, timeout: Duration? = nil, refreshAfter: Duration? = nil,
        usableFor: Duration? = nil, waiting limit: Duration
    ) async throws {
        try await add(
            try encoded(value, for: item), for: item, timeout: timeout, refreshAfter: refreshAfter,
            usableFor: usableFor, waiting: limit)
    }

    /// Gives the item that is there a new timeout, counted from now; false where there is none.
    ///
    /// Waits for others up to `limit`.
    ///
    /// - Throws: `CancellationError`; ``SecretStoreError`` as ``expire(_:timeout:)``.
    @discardableResult
    public nonisolated(nonsending) func expire(
        _ item: ItemIdentity, timeout: Duration, waiting limit: Duration
    ) async throws -> Bool {
        try checkWrite(item)
        let keyTimeout = try Self.keyTimeout(timeout, item: item)
        var wait = Wait.freeingQuota(upTo: limit)
        let isFound = try await wait.runInTask { attempt throws(SecretStoreError) in
            try backend.expire(item, timeout: keyTimeout, &attempt)
        }
        if isFound { try await Wait.runInTask(try stepsToExpireSentinels(of: item, timeout: timeout)) }
        return isFound
    }

    /// Takes the timeout of the item that is there away, so that it lives as long as its scope; false where there is none.
    ///
    /// Waits for others up to `limit`.
    ///
    /// - Throws: `CancellationError`; ``SecretStoreError`` as ``removeTimeout(of:)``.
    @discardableResult
    public nonisolated(nonsending) func removeTimeout(
        of item: ItemIdentity, waiting limit: Duration
    ) async throws -> Bool {
        try checkWrite(item)
        var wait = Wait.freeingQuota(upTo: limit)
        let isFound = try await wait.runInTask { attempt throws(SecretStoreError) in
            try backend.expire(item, timeout: nil, &attempt)
        }
        if isFound { try await Wait.runInTask(stepsToKeepRefusals(of: item)) }
        return isFound
    }

    /// Deletes the item; false where there was none.
    ///
    /// Waits for others up to `limit`.
    ///
    /// - Throws: `CancellationError`; ``SecretStoreError`` as ``delete(_:)``.
    @discardableResult
    public nonisolated(nonsending) func delete(_ item: ItemIdentity, waiting limit: Duration) async throws -> Bool {
        try checkWrite(item)
        var wait = Wait.freeingQuota(upTo: limit)
        return try await wait.runInTask { attempt throws(SecretStoreError) in try backend.delete(item, &attempt) }
    }

    /// Deletes the items of a service, server or tag, whatever their accounts, one after the other; waits for others up to
    /// `limit` in all.
    ///
    /// - Returns: how many there were.
    /// - Throws: `CancellationError`; ``SecretStoreError`` as ``clear(of:service:)``.
    @discardableResult
    public nonisolated(nonsending) func clear(
        of kind: ItemIdentity.Kind, service: String, waiting limit: Duration
    ) async throws -> Int {
        var count = 0
        var wait = Wait.freeingQuota(upTo: limit)
        for item in try identities(of: kind, service: service) {
            try checkWrite(item)
            // The count is owed to the caller once an item is gone.
            let isDeleted = try await wait.runInTask(isCancellable: count == 0) { attempt throws(SecretStoreError) in
                try backend.delete(item, &attempt)
            }
            if isDeleted { count += 1 }
        }
        return count
    }
}
