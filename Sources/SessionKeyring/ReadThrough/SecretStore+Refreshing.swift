public import Keyutils

extension SecretStore {
    /// Stores bytes, and says after how long ``value(for:as:staleWhileRefreshing:fetchLasting:sharingFailuresFor:fetch:)``
    /// fetches the item anew: what a login has brought is not fetched once more right behind it.
    ///
    /// - Parameters:
    ///   - secret: what to store.
    ///   - item: which item.
    ///   - timeout: when the kernel drops it; `nil` for the scope's life.
    ///   - refreshAfter: after how long it is fetched anew; more than nothing, and less than `timeout`.
    /// - Throws: ``SecretStoreError`` with `invalidRefresh`, or as ``set(_:for:timeout:)``.
    public func set(
        _ secret: borrowing SecretBytes, for item: ItemIdentity, timeout: Duration? = nil, refreshAfter: Duration
    ) throws(SecretStoreError) {
        let lifetime = try Lifetime(timeout: timeout, refreshAfter: refreshAfter, of: item)
        try set(secret, for: item, timeout: timeout)
        try setFreshness(of: item, to: lifetime, refreshes: true)
    }

    /// Stores a value, and says after how long it is fetched anew.
    ///
    /// - Parameters:
    ///   - value: what to store.
    ///   - item: which item.
    ///   - timeout: when the kernel drops it; `nil` for the scope's life.
    ///   - refreshAfter: after how long it is fetched anew; more than nothing, and less than `timeout`.
    /// - Throws: ``SecretStoreError`` with `invalidRefresh`, or as ``set(_:for:timeout:)``.
    public func set<Value: Encodable>(
        _ value: Value, for item: ItemIdentity, timeout: Duration? = nil, refreshAfter: Duration
    ) throws(SecretStoreError) {
        let codec = codec
        let bytes = try encoding(item) { try RawCoding.encode(value, else: codec) }
        try set(bytes, for: item, timeout: timeout, refreshAfter: refreshAfter)
    }

    /// Says that a value was refused, as by the server that it is a token for: from now on nobody gets it from `value(for:)`,
    /// and the next one who asks fetches it anew, with the refused one at hand.
    ///
    /// Nothing happens where something else is stored by now. ``get(_:as:)`` still gives it.
    ///
    /// - Parameters:
    ///   - refused: the value that was refused.
    ///   - item: which item.
    /// - Returns: false where it is not what is stored.
    /// - Throws: ``SecretStoreError`` with `contended`, `undecodable`, or as ``set(_:for:timeout:)``.
    @discardableResult
    public func invalidate<Value: Codable & Equatable>(_ refused: Value, for item: ItemIdentity) throws -> Bool {
        try check(item)
        // Under the right to change the sentinel, so that nothing is said of what somebody stores meanwhile.
        let update = try beginUpdate(
            of: item.freshnessSentinel, lasting: Self.updateDuration, waiting: RetryBudget.heldLease)
        let coding = coding(Value.self)
        while true {
            _ = try update.read { _ in }
            var hash: UInt64 = 0
            let stored = try decoding(item) { bytes in
                hash = LeaseRecord.hash(of: bytes)
                return try coding.decode(bytes)
            }
            guard stored == refused else { return false }
            let record: InlineArray<1, UInt64> = [hash]
            if try unsafe update.commit(record.span.bytes, timeout: Self.refusalTimeout) { return true }
        }
    }

    /// The same for tasks, without keeping a thread.
    ///
    /// - Parameter limit: how long to wait for others.
    /// - Throws: `CancellationError`, or as ``invalidate(_:for:)``.
    @discardableResult
    public func invalidate<Value: Codable & Equatable>(
        _ refused: Value, for item: ItemIdentity, waiting limit: Duration
    ) async throws -> Bool {
        try await waiting(upTo: limit) { store in try store.invalidate(refused, for: item) }
    }

    /// Longer than anybody waits until he asks again, so that what a process leaves behind does not last.
    private static let refusalTimeout = try? KeyTimeout(RingLease.longest)
}
