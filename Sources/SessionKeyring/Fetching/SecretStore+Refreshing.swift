import Keyutils

/// How long a value that is being stored is fresh and usable, with a lease that keeps fetches out until that is stated.
///
/// If nobody fetches the item, nobody is to begin between the two steps; a process that fetches it notices the first one.
struct Freshness: ~Copyable {
    private let item: ItemIdentity
    private let lifetime: Lifetime
    private let hash: UInt64
    private let lease: (any LeaseHandle)?

    init(of secret: borrowing SecretBytes, for item: ItemIdentity, _ lifetime: Lifetime, in store: SecretStore) {
        self.lifetime = lifetime
        self.item = item
        hash = secret.withBytes(LeaseRecord.hash(of:))
        var attempt = BackendAttempt(mayUseLastResorts: false)
        let isFetched = try? store.backend.isLeaseHeld(item.fetchLeaseName)
        lease =
            isFetched == false
            ? try? store.backend.takeLease(item.fetchLeaseName, lasting: Wait.usualLimit, &attempt) : nil
    }

    deinit {
        _ = lease?.release()
    }

    /// The steps after storing the value.
    func steps(in store: SecretStore) throws(SecretStoreError) -> [Wait.Step] {
        try store.stepsAfterStoring(item, hash: hash, lifetime, refreshing: .dueOrUnusable, lifting: .any)
    }
}

extension SecretStore {
    /// States how long the stored value is fresh and usable; on a full quota, the next caller fetches it again.
    func finish(_ freshness: borrowing Freshness) throws(SecretStoreError) {
        do throws(SecretStoreError) {
            try Wait.run(try freshness.steps(in: self))
        } catch {
            guard error.isLackOfRoomOrTurn else { throw error }
        }
    }

    /// The same in a task.
    nonisolated(nonsending) func finishInTask(_ freshness: borrowing Freshness) async throws {
        do {
            try await Wait.runInTask(try freshness.steps(in: self))
        } catch let error as SecretStoreError where error.isLackOfRoomOrTurn {}
    }

    /// Says that a value was refused, as by the server that it is a token for: from now on nobody gets it from `value(for:)`,
    /// and the next one who asks fetches it anew, with the refused one at hand.
    ///
    /// Nothing happens where something else is stored by now. `get` still gives it. May wait as `update` does.
    ///
    /// - Parameters:
    ///   - refused: the value that was refused.
    ///   - item: which item.
    /// - Returns: false where it is not what is stored.
    /// - Throws: ``SecretStoreError`` with `leaseLost` or `undecodable`.
    @discardableResult
    public func invalidate<Value: Codable & Equatable>(_ refused: Value, for item: ItemIdentity) throws -> Bool {
        try invalidate(refused, for: item, coding(Value.self))
    }

    func invalidate<Value: Equatable>(
        _ refused: Value, for item: ItemIdentity, _ coding: ValueCoding<Value>
    ) throws(SecretStoreError) -> Bool {
        var wait = Wait()
        return try wait.run { attempt throws(SecretStoreError) in
            try invalidate(refused, for: item, coding, &attempt)
        }
    }

    /// The same for tasks: waits for others up to `limit`, without keeping a thread.
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
        var wait = Wait.updating(upTo: limit)
        return try await wait.runInTask { attempt throws(SecretStoreError) in
            try invalidate(refused, for: item, coding, &attempt)
        }
    }

    private func invalidate<Value: Equatable>(
        _ refused: Value, for item: ItemIdentity, _ coding: ValueCoding<Value>, _ attempt: inout BackendAttempt
    ) throws(SecretStoreError) -> Bool {
        try check(item)
        var isRefused = false
        // Under the right to change the sentinel, so that nothing is stated of what somebody stores meanwhile.
        try backend.update(item.freshnessSentinel, &attempt) { update, attempt throws(SecretStoreError) in
            _ = try update.read { _ in }
            let stored = try found(item, coding)
            isRefused = stored?.value == refused
            guard isRefused, let stored else { return true }
            let record = Sentinel.refused(stored.hash).bytes
            return try unsafe update.commit(record.span.bytes, timeout: try timeout(outlasting: item), &attempt)
        }
        return isRefused
    }

    /// A timeout that ends no sooner than the item's own; `nil` if the item has none, or nobody knows.
    private func timeout(outlasting item: ItemIdentity) throws(SecretStoreError) -> KeyTimeout? {
        guard case .after(let left) = try backend.attributes(of: item)?.expiry else { return nil }
        return try? KeyTimeout(left.atLeast + left.precision + .seconds(1))
    }
}
