public import Keyutils

/// The operations that change an item, for tasks: where others are in the way, these wait without keeping a thread.
///
/// Each does what the blocking form does, and waits for others up to `limit`; for quota it waits less than a second.
///
/// The blocking forms may be called from tasks too. They take microseconds, but where items are updated they wait for
/// whoever has the item, for ten seconds at most, and where the quota is full they wait for the kernel, for less than one.
extension SecretStore {
    /// Stores bytes, replacing any existing item; waits for others up to `limit`.
    ///
    /// - Throws: `CancellationError`; ``SecretStoreError`` as ``set(_:for:timeout:refreshAfter:usableFor:)-(SecretBytes,_,_,_,_)``.
    public nonisolated(nonsending) func set(
        _ secret: borrowing SecretBytes, for item: ItemIdentity, timeout: Duration? = nil,
        refreshAfter: Duration? = nil,
        usableFor: Duration? = nil, waiting limit: Duration
    ) async throws {
        try await store(
            secret, for: item, timeout: timeout, refreshAfter: refreshAfter, usableFor: usableFor, ifAbsent: false,
            waiting: limit)
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
        try await store(
            secret, for: item, timeout: timeout, refreshAfter: refreshAfter, usableFor: usableFor, ifAbsent: true,
            waiting: limit)
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
        let keyTimeout = try Self.keyTimeout(timeout, item: item)
        try check(item)
        guard try await waiting(upTo: limit, { store in try store.backend.expire(item, timeout: keyTimeout) }) else {
            return false
        }
        try await finishing { store, _ in try store.expireSentinels(of: item, timeout: timeout) }
        return true
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
        try check(item)
        guard try await waiting(upTo: limit, { store in try store.backend.expire(item, timeout: nil) }) else {
            return false
        }
        try await finishing { store, limit in try store.keepRefusals(of: item, waiting: limit) }
        return true
    }

    /// Deletes the item; false where there was none.
    ///
    /// Waits for others up to `limit`.
    ///
    /// - Throws: `CancellationError`; ``SecretStoreError`` as ``delete(_:)``.
    @discardableResult
    public nonisolated(nonsending) func delete(_ item: ItemIdentity, waiting limit: Duration) async throws -> Bool {
        try await waiting(upTo: limit) { store in try store.delete(item) }
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
        try await waiting(upTo: limit) { store in
            for item in try store.identities(of: kind, service: service) where try store.delete(item) { count += 1 }
        }
        return count
    }

    /// Runs `attempt` on a store that does not wait, until nobody is in its way.
    ///
    /// It waits for quota too, but only for as long as the kernel may take to give back what was freed; what is left to do
    /// where it stays full is done in a last attempt.
    nonisolated(nonsending) func waiting<Result: ~Copyable>(
        _ wait: consuming DeadlineWait, _ attempt: (SecretStore) throws -> Result
    ) async throws -> Result {
        try Task.checkCancellation()
        var wait = wait
        var quotaWait: QuotaWait?
        var isLast = false
        while true {
            let store = SecretStore(backend: backend.withoutWaiting(lastResorts: isLast), codec: codec)
            do {
                return try attempt(store)
            } catch let error as SecretStoreError {
                switch error.code {
                case .contended:
                    guard try await wait.waitInTask() else { throw error }
                case .quotaExceeded where !isLast:
                    var wait = quotaWait ?? QuotaWait(backoff: .long)
                    isLast = try await !wait.waitInTask()
                    quotaWait = wait
                default: throw error
                }
            }
        }
    }

    /// The same, up to a limit.
    nonisolated(nonsending) func waiting<Result: ~Copyable>(
        upTo limit: Duration, _ attempt: (SecretStore) throws -> Result
    ) async throws -> Result {
        try await waiting(DeadlineWait(limit, backoff: .long), attempt)
    }

    /// The second step of what others can see already: a task that is cancelled now goes through with it on its thread.
    ///
    /// - Parameter attempt: gets a store, and how long it may wait.
    nonisolated(nonsending) func finishing(_ attempt: (SecretStore, Duration) throws -> Void) async throws {
        do {
            try await waiting(upTo: RetryBudget.heldLease) { store in try attempt(store, .zero) }
        } catch is CancellationError {
            try attempt(self, RetryBudget.heldLease)
        }
    }

    func encoded<Value: Encodable>(
        _ value: Value, for item: ItemIdentity
    ) throws(SecretStoreError) -> SecretBytes {
        let codec = codec
        return try encoding(item) { try RawCoding.encode(value, else: codec) }
    }
}
