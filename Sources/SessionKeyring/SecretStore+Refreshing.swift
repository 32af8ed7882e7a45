import Keyutils

/// How long a value that is being stored is fresh and usable, with a lease that keeps fetches out.
///
/// Storing the value and stating its freshness are two steps. If nobody is fetching the item, a `Freshness` holds the
/// lease for fetching it, so that no fetch begins between the two steps. If a process is already fetching the item, it
/// notices the first step, and no lease is needed.
struct Freshness: ~Copyable {
    private let item: ItemIdentity
    private let lifetime: Lifetime
    private let hash: UInt64
    private let lease: (any LeaseHandle)?

    init(of secret: borrowing SecretBytes, for item: ItemIdentity, _ lifetime: Lifetime, in store: SecretStore) {
        self.lifetime = lifetime
        self.item = item
        hash = secret.withBytes(FNV1a.hash(of:))
        let effort = Effort(mayUseLastResorts: false)
        let isFetched = try? store.backend.isLeaseHeld(item.fetchLeaseName)
        lease =
            isFetched == false
            ? try? store.backend.takeLease(item.fetchLeaseName, lasting: Wait.usualLimit, effort).get() : nil
    }

    deinit {
        _ = lease?.release()
    }

    /// Returns the steps that follow storing the value.
    func steps(in store: SecretStore) throws(SecretStoreError) -> [Wait.FurtherStep] {
        try store.backend.stepsAfterStoring(item, hash: hash, lifetime, refreshing: .dueOrUnusable, lifting: .any)
    }
}

extension SecretStore {
    /// States how long the stored value is fresh and usable.
    ///
    /// If the quota is too full for that, the next caller fetches the value again.
    func finish(_ freshness: borrowing Freshness) throws(SecretStoreError) {
        do throws(SecretStoreError) {
            try Wait.run(try freshness.steps(in: self))
        } catch {
            guard error.isLackOfRoomOrTurn else { throw error }
        }
    }

    /// States how long the stored value is fresh and usable, suspending the task between attempts.
    nonisolated(nonsending) func finishInTask(_ freshness: borrowing Freshness) async throws {
        do {
            try await Wait.runInTask(try freshness.steps(in: self))
        } catch let error as SecretStoreError where error.isLackOfRoomOrTurn {}
    }

    /// Marks an item's value as refused, for example by the server that the token is for.
    ///
    /// From now on, `value(for:)` does not return the refused value. The next caller fetches the item again, and its
    /// closure gets the refused value as the old one. `get` still returns the refused value. If the item has another
    /// value by now, nothing happens. The call may wait for others, as `update` does.
    ///
    /// - Parameters:
    ///   - refused: the value that was refused.
    ///   - item: which item.
    /// - Returns: false if the item's value is not the refused one.
    /// - Throws: ``SecretStoreError`` with `leaseLost` or `undecodable`.
    @discardableResult
    public func invalidate<Value: Codable & Equatable>(_ refused: Value, for item: ItemIdentity) throws -> Bool {
        try invalidate(refused, for: item, coding(Value.self))
    }

    func invalidate<Value: Equatable>(
        _ refused: Value, for item: ItemIdentity, _ coding: ValueCoding<Value>
    ) throws(SecretStoreError) -> Bool {
        try check(item)
        var operation = UpdateOperation(item.freshnessSentinel, in: backend)
        var isRefused = false
        var wait = Wait()
        try wait.run { effort throws(SecretStoreError) in
            try operation.attempt(effort) { update throws(SecretStoreError) in
                try invalidate(refused, for: item, coding, by: update, &isRefused, effort)
            }
        }
        return isRefused
    }

    /// Marks an item's value as refused, waiting for others up to `limit` without blocking a thread.
    ///
    /// - Throws: `CancellationError`, or as ``invalidate(_:for:)``.
    @discardableResult
    public nonisolated(nonsending) func invalidate<Value: Codable & Equatable>(
        _ refused: Value, for item: ItemIdentity, waiting limit: Duration
    ) async throws -> Bool {
        try await invalidate(refused, for: item, coding(Value.self), waiting: limit)
    }

    nonisolated(nonsending) func invalidate<Value: Equatable>(
        _ refused: Value, for item: ItemIdentity, _ coding: ValueCoding<Value>, waiting limit: Duration
    ) async throws -> Bool {
        try check(item)
        var operation = UpdateOperation(item.freshnessSentinel, in: backend)
        var isRefused = false
        var wait = Wait.updating(upTo: limit)
        try await wait.runInTask { effort throws(SecretStoreError) in
            try operation.attempt(effort) { update throws(SecretStoreError) in
                try invalidate(refused, for: item, coding, by: update, &isRefused, effort)
            }
        }
        return isRefused
    }

    /// Marks the value as refused, in one attempt.
    ///
    /// The update holds the lease of the sentinel. So this can't overwrite a statement about a value that somebody
    /// stores in the meantime.
    private func invalidate<Value: Equatable>(
        _ refused: Value, for item: ItemIdentity, _ coding: ValueCoding<Value>, by update: any ItemUpdate,
        _ isRefused: inout Bool, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<Bool> {
        _ = try update.read { _ in }
        let stored = try found(item, coding)
        isRefused = stored?.value == refused
        guard isRefused, let stored else { return .done(true) }
        let record = Sentinel.refused(stored.hash).bytes
        return try unsafe update.commit(record.span.bytes, timeout: try timeout(outlasting: item), effort)
    }

    /// Returns a timeout that ends no earlier than the item's own; `nil` if that is absent or unknown.
    private func timeout(outlasting item: ItemIdentity) throws(SecretStoreError) -> KeyTimeout? {
        guard case .after(let left) = try backend.attributes(of: item)?.expiry else { return nil }
        return try? KeyTimeout(left.atLeast + left.precision + .seconds(1))
    }
}
