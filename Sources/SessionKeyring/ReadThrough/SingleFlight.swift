import Keyutils

/// Fetching an item that many want at once: one of them does it, under a lease, and the others wait for what it finds.
///
/// Whether what is there is good says the freshness sentinel, a hidden item beside it: empty, it is fresh; with the hash of
/// what is there, that was refused; gone, it is to be fetched anew by those who refresh, while others still get it.
package struct SingleFlight: Sendable {
    /// What somebody who wants the item should do now.
    package enum Turn<Value> {
        /// Take this.
        case take(Value)
        /// Fetch it, holding the lease meanwhile; what is there still is good enough if that fails, unless it was refused.
        case fetch(FetchLease, old: Value?, isOldGood: Bool)
        /// Wait a while for somebody who is fetching it.
        case wait
    }

    private let store: SecretStore
    package let item: ItemIdentity
    private let leaseName: String
    let leaseDuration: Duration
    private let refreshes: Bool
    private let failureTimeout: KeyTimeout?

    /// - Parameters:
    ///   - leaseDuration: for how long the lease is taken at a time.
    ///   - refreshes: whether the item is fetched anew before its timeout ends.
    ///   - failureTimeout: for how long others don't fetch after a failure; `nil` where each tries by itself.
    /// - Throws: ``SecretStoreError`` with `invalidLease`, `invalidTimeout` or `invalidName`.
    package init(
        store: SecretStore, item: ItemIdentity, leaseDuration: Duration, refreshes: Bool,
        failureTimeout: Duration? = nil
    ) throws(SecretStoreError) {
        try SecretStore.checkLease(leaseDuration)
        try store.check(item)
        self.store = store
        self.item = item
        self.leaseName = "fetch:" + item.keyDescription
        self.leaseDuration = leaseDuration
        self.refreshes = refreshes
        var timeout: KeyTimeout?
        if let failureTimeout { timeout = try SecretStore.keyTimeout(failureTimeout, item: item) }
        self.failureTimeout = timeout
    }

    /// What is there, if nobody has to fetch it.
    func good<Value>(_ read: () throws(SecretStoreError) -> Value?) throws(SecretStoreError) -> Value? {
        guard let value = try read(), standing() == .good else { return nil }
        return value
    }

    /// What is there, if somebody else fetches it anew and it was not refused.
    func usable<Value>(_ read: () throws(SecretStoreError) -> Value?) throws(SecretStoreError) -> Value? {
        guard let value = try read(), standing() != .refused else { return nil }
        return value
    }

    /// What to do now.
    ///
    /// - Parameters:
    ///   - force: whether what is there counts for nothing.
    ///   - read: reads the item.
    /// - Throws: ``SecretStoreError`` with `fetchFailed` where that is remembered.
    package func nextTurn<Value>(
        force: Bool = false,
        read: () throws(SecretStoreError) -> Value?
    ) throws(SecretStoreError) -> Turn<Value> {
        if !force, let value = try read() {
            let standing = standing()
            if standing == .good { return .take(value) }
            if standing == .due { return try turnToRefresh(value, read) }
        }
        try checkFailure()
        guard try !store.backend.isLeaseHeld(leaseName), let lease = try tryLease() else { return .wait }
        // Behind the lease another one may have brought it.
        if !force, let value = try good(read) { return .take(value) }
        try checkFailure()
        return .fetch(lease, old: try read(), isOldGood: false)
    }

    /// Keeps what was fetched, unless the lease was lost, since somebody else may have fetched something newer then, or
    /// something happened to the item since the fetch began: what was deleted in the meantime stays so.
    package func keep(
        _ bytes: RawSpan, for lifetime: Lifetime, under lease: FetchLease
    ) throws(SecretStoreError) {
        if try put(bytes, for: lifetime, under: lease) { try setSentinels(lifetime) }
    }

    /// The first step of keeping it; false where it may not be kept.
    func put(_ bytes: RawSpan, for lifetime: Lifetime, under lease: FetchLease) throws(SecretStoreError) -> Bool {
        guard lease.timeLeft > .zero else { return false }
        return try lease.store(bytes, timeout: lifetime.timeout)
    }

    /// The second one, so that whoever sees the sentinel sees what is fresh.
    func setSentinels(_ lifetime: Lifetime) throws(SecretStoreError) {
        try store.setFreshness(of: item, to: lifetime, refreshes: refreshes)
        if failureTimeout != nil { _ = try store.backend.delete(item.failureSentinel) }
    }

    /// Remembers that a fetch has failed, where that is asked for.
    func rememberFailure() {
        guard let failureTimeout else { return }
        // The failure itself matters more than that others don't know of it.
        try? store.setEmpty(item.failureSentinel, timeout: failureTimeout)
    }

    /// Drops the item, so that it is fetched anew; false where there was none.
    package func forget() throws(SecretStoreError) -> Bool {
        _ = try store.backend.delete(item.freshnessSentinel)
        return try store.delete(item)
    }

    /// The turn of somebody with a good value at hand, to whom nothing that goes wrong here is worth an error: the next one
    /// who asks tries again.
    private func turnToRefresh<Value>(
        _ value: Value, _ read: () throws(SecretStoreError) -> Value?
    ) throws(SecretStoreError) -> Turn<Value> {
        guard !hasFailed, let lease = (try? tryLease()) ?? nil else { return .take(value) }
        // Somebody may have been through with it just before.
        if let newer = try good(read) { return .take(newer) }
        return .fetch(lease, old: value, isOldGood: standing() != .refused)
    }

    private enum Standing { case good, due, refused }

    /// What the sentinel says of the item; good where it can't be asked.
    private func standing() -> Standing {
        var refused: UInt64?
        let isThere = try? store.backend.read(item.freshnessSentinel) { bytes in
            if bytes.byteCount == 8 { refused = unsafe bytes.unsafeLoadUnaligned(as: UInt64.self) }
        }
        if let refused, let current = try? store.withBytes(of: item, LeaseRecord.hash(of:)), current == refused {
            return .refused
        }
        guard isThere == false || refused != nil else { return .good }
        return refreshes ? .due : .good
    }

    private var hasFailed: Bool {
        failureTimeout != nil && (try? store.backend.contains(item.failureSentinel)) == true
    }

    private func checkFailure() throws(SecretStoreError) {
        if hasFailed { throw SecretStoreError(.fetchFailed, item: item) }
    }

    private func tryLease() throws(SecretStoreError) -> FetchLease? {
        guard let lease = try store.backend.tryLease(leaseName, lasting: leaseDuration) else { return nil }
        return FetchLease(lease, watching: try store.backend.beginFetch(of: item))
    }
}

extension SecretStore {
    /// Says for how long what was just stored is fresh.
    func setFreshness(
        of item: ItemIdentity, to lifetime: Lifetime, refreshes: Bool
    ) throws(SecretStoreError) {
        let end = lifetime.refreshAfter
        guard refreshes || end != nil, end.map({ $0 > .zero }) ?? true else {
            // One that outlived its item would call this one fresh.
            _ = try backend.delete(item.freshnessSentinel)
            return
        }
        let timeout = end.map { (try? KeyTimeout($0)) ?? .longest } ?? lifetime.timeout
        try setEmpty(item.freshnessSentinel, timeout: timeout)
    }

    func setEmpty(_ sentinel: ItemIdentity, timeout: KeyTimeout?) throws(SecretStoreError) {
        let nothing = InlineArray<0, UInt8>(repeating: 0)
        try unsafe backend.publish(nothing.span.bytes, for: sentinel, timeout: timeout, ifAbsent: false)
    }
}
