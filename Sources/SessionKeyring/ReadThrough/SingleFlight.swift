/// Fetching an item that many want at once: one of them does it, under a lease, and the others wait for what it finds.
package struct SingleFlight: Sendable {
    /// What somebody who wants the item should do now.
    package enum Turn<Value> {
        /// Take this.
        case take(Value)
        /// Fetch it, holding the lease meanwhile; what is there still is good enough if that fails.
        case fetch(FetchLease, stillGood: Value?)
        /// Wait a while for somebody who is fetching it.
        case wait
    }

    private let store: SecretStore
    package let item: ItemIdentity
    private let leaseName: String
    private let leaseDuration: Duration

    /// - Throws: ``SecretStoreError`` with `invalidLease` or `invalidName`.
    package init(store: SecretStore, item: ItemIdentity, leaseDuration: Duration) throws(SecretStoreError) {
        try SecretStore.checkLease(leaseDuration)
        try store.check(item)
        self.store = store
        self.item = item
        self.leaseName = "fetch:" + item.keyDescription
        self.leaseDuration = leaseDuration
    }

    /// What to do now.
    ///
    /// - Parameters:
    ///   - refreshes: whether the item is fetched anew before its timeout ends.
    ///   - force: whether what is there counts for nothing.
    ///   - read: reads the item.
    package func nextTurn<Value>(
        refreshes: Bool,
        force: Bool = false,
        read: () throws(SecretStoreError) -> Value?
    ) throws(SecretStoreError) -> Turn<Value> {
        if !force, let value = try read() {
            guard refreshes, let lease = leaseToRefresh() else { return .take(value) }
            // Somebody may have been through with it just before.
            if try isFresh(), let newer = try read() { return .take(newer) }
            return .fetch(lease, stillGood: value)
        }
        guard try !store.backend.isLeaseHeld(leaseName), let lease = try tryLease() else { return .wait }
        // Behind the lease another one may have brought it.
        if !force, let value = try read() { return .take(value) }
        return .fetch(lease, stillGood: nil)
    }

    /// Keeps what was fetched, unless the lease was lost, since somebody else may have fetched something newer then, or
    /// something happened to the item since the fetch began: what was deleted in the meantime stays so.
    package func keep(
        _ bytes: RawSpan, for lifetime: Lifetime, under lease: FetchLease
    ) throws(SecretStoreError) {
        guard lease.timeLeft > .zero, try lease.store(bytes, timeout: lifetime.keyTimeout(of: item)) else { return }
        // After it, so that whoever sees the mark sees what is fresh.
        if let freshness = lifetime.freshness {
            let nothing = InlineArray<0, UInt8>(repeating: 0)
            try unsafe store.publish(
                nothing.span.bytes, for: item.freshnessSentinel, timeout: freshness, ifAbsent: false)
        } else {
            // One that outlived its item would call this one fresh.
            _ = try store.backend.remove(item.freshnessSentinel)
        }
    }

    /// Drops the item, so that it is fetched anew; false where there was none.
    package func forget() throws(SecretStoreError) -> Bool {
        _ = try store.backend.remove(item.freshnessSentinel)
        return try store.delete(item)
    }

    /// Renews the lease until what is returned is gone.
    func renewing(_ lease: any LeaseHandle) -> LeaseRenewal {
        LeaseRenewal(of: lease, lasting: leaseDuration)
    }

    /// The lease, if it is time to fetch the item anew and nobody does.
    ///
    /// With a good value at hand, nothing that goes wrong here is worth an error: the next one who asks tries again.
    private func leaseToRefresh() -> FetchLease? {
        guard (try? isFresh()) == false else { return nil }
        return (try? tryLease()) ?? nil
    }

    private func isFresh() throws(SecretStoreError) -> Bool {
        try store.backend.contains(item.freshnessSentinel)
    }

    private func tryLease() throws(SecretStoreError) -> FetchLease? {
        guard let lease = try store.backend.tryLease(leaseName, lasting: leaseDuration) else { return nil }
        return FetchLease(lease, watching: try store.backend.beginFetch(of: item))
    }
}
