import Keyutils

extension SecretStore {
    /// Stores bytes, and if asked to, how long they are fresh and usable.
    func store(
        _ secret: borrowing SecretBytes, for item: ItemIdentity, timeout: Duration?, refreshAfter: Duration?,
        usableFor: Duration?, ifAbsent: Bool
    ) throws(SecretStoreError) {
        guard refreshAfter != nil || usableFor != nil else {
            try publish(secret, for: item, timeout: timeout, ifAbsent: ifAbsent)
            return
        }
        let lifetime = try Lifetime(timeout: timeout, refreshAfter: refreshAfter, usableFor: usableFor, of: item)
        let lease = leaseAgainstFetches(of: item)
        defer { _ = lease?.release() }
        let hash = secret.withBytes(LeaseRecord.hash(of:))
        try publish(secret, for: item, timeout: timeout, ifAbsent: ifAbsent)
        do throws(SecretStoreError) {
            try setSentinels(
                of: item, hash: hash, to: lifetime, refreshing: .vouched, lifting: .any,
                waiting: RetryBudget.heldLease)
        } catch {
            guard error.isLackOfRoomOrTurn else { throw error }
        }
    }

    /// The same for tasks: waits for others up to `limit`, for quota less than a second, without keeping a thread.
    nonisolated(nonsending) func store(
        _ secret: borrowing SecretBytes, for item: ItemIdentity, timeout: Duration?, refreshAfter: Duration?,
        usableFor: Duration?, ifAbsent: Bool, waiting limit: Duration
    ) async throws {
        guard refreshAfter != nil || usableFor != nil else {
            try await waiting(upTo: limit) { store in
                try store.publish(secret, for: item, timeout: timeout, ifAbsent: ifAbsent)
            }
            return
        }
        let lifetime = try Lifetime(timeout: timeout, refreshAfter: refreshAfter, usableFor: usableFor, of: item)
        let lease = leaseAgainstFetches(of: item)
        defer { _ = lease?.release() }
        let hash = secret.withBytes(LeaseRecord.hash(of:))
        try await waiting(upTo: limit) { store in
            try store.publish(secret, for: item, timeout: timeout, ifAbsent: ifAbsent)
        }
        do {
            try await finishing { store, limit in
                try store.setSentinels(
                    of: item, hash: hash, to: lifetime, refreshing: .vouched, lifting: .any, waiting: limit)
            }
        } catch let error as SecretStoreError where error.isLackOfRoomOrTurn {}
    }

    /// Where nobody fetches the item, nobody is to begin between two steps; whoever fetches it notices the first one.
    private func leaseAgainstFetches(of item: ItemIdentity) -> (any LeaseHandle)? {
        try? backend.withoutWaiting(lastResorts: false).tryLease(
            item.fetchLeaseName, lasting: RetryBudget.heldLease)
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
        try invalidate(refused, for: item, coding(Value.self), waiting: RetryBudget.heldLease)
    }

    /// The same for tasks: waits for others up to `limit`, without keeping a thread.
    ///
    /// - Throws: `CancellationError`, or as ``invalidate(_:for:)``.
    @discardableResult
    public nonisolated(nonsending) func invalidate<Value: Codable & Equatable>(
        _ refused: Value, for item: ItemIdentity, waiting limit: Duration
    ) async throws -> Bool {
        try await waiting(upTo: limit) { store in
            try store.invalidate(refused, for: item, coding(Value.self), waiting: .zero)
        }
    }

    func invalidate<Value: Equatable>(
        _ refused: Value, for item: ItemIdentity, _ coding: ValueCoding<Value>, waiting limit: Duration
    ) throws -> Bool {
        try check(item)
        // Under the right to change the sentinel, so that nothing is said of what somebody stores meanwhile.
        let update = try beginUpdate(of: item.freshnessSentinel, lasting: Self.updateDuration, waiting: limit)
        while true {
            _ = try update.read { _ in }
            guard let stored = try found(item, coding), stored.value == refused else { return false }
            let record = Sentinel.refused(stored.hash).bytes
            if try unsafe update.commit(record.span.bytes, timeout: try timeout(outlasting: item)) { return true }
        }
    }

    /// A timeout that ends no sooner than the item's own; `nil` where the item has none, or nobody knows.
    private func timeout(outlasting item: ItemIdentity) throws(SecretStoreError) -> KeyTimeout? {
        guard case .after(let left) = try backend.attributes(of: item)?.expiry else { return nil }
        return try? KeyTimeout(left.atLeast + left.precision + .seconds(1))
    }
}
