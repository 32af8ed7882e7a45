extension SecretStore {
    /// Takes the lease of that name if nobody holds it; `nil` if somebody does.
    ///
    /// Names of leases and of items are apart. A lease belongs to the store's scope and namespace.
    ///
    /// - Parameters:
    ///   - name: what is locked; any text that is not empty.
    ///   - duration: after how long it ends by itself, if it is neither released nor renewed; up to one hour.
    /// - Throws: ``SecretStoreError`` with `invalidLease`, `invalidName`, `quotaExceeded`, `forbidden`, `sessionRevoked`
    ///   or `unavailable`. That somebody holds it is not an error.
    public func tryLease(_ name: String, lasting duration: Duration) throws(SecretStoreError) -> Lease? {
        try Self.checkLease(duration)
        guard !name.isEmpty else { throw SecretStoreError(.invalidName(.empty)) }
        guard let held = try backend.tryLease(name, lasting: duration) else { return nil }
        return Lease(name: name, held: held)
    }

    /// Takes the lease of that name, waiting for its holder.
    ///
    /// Of those who wait, any may be next. The calling thread sleeps; tasks use the asynchronous form.
    ///
    /// - Parameters:
    ///   - name: what is locked; any text that is not empty.
    ///   - duration: after how long it ends by itself, if it is neither released nor renewed; up to one hour.
    ///   - limit: how long to wait.
    /// - Throws: ``SecretStoreError`` with `leaseHeld` where somebody else held it all the time, or as
    ///   ``tryLease(_:lasting:)``.
    public func lease(
        _ name: String,
        lasting duration: Duration,
        waiting limit: Duration
    ) throws(SecretStoreError) -> Lease {
        var deadline = DeadlineWait(limit, at: backend)
        if let lease = try tryLease(name, lasting: duration) { return lease }
        while deadline.wait() {
            if try backend.isLeaseHeld(name) { continue }
            if let lease = try tryLease(name, lasting: duration) { return lease }
        }
        throw SecretStoreError(.leaseHeld)
    }

    /// Takes the lease of that name, waiting for its holder without keeping a thread.
    ///
    /// - Parameters:
    ///   - name: what is locked; any text that is not empty.
    ///   - duration: after how long it ends by itself, if it is neither released nor renewed; up to one hour.
    ///   - limit: how long to wait.
    /// - Throws: ``SecretStoreError`` with `cancelled` where the task was cancelled while it waited, `leaseHeld` where
    ///   somebody else held it all the time, or as ``tryLease(_:lasting:)``.
    public func lease(
        _ name: String,
        lasting duration: Duration,
        waiting limit: Duration
    ) async throws(SecretStoreError) -> Lease {
        var deadline = DeadlineWait(limit, at: backend)
        if let lease = try tryLease(name, lasting: duration) { return lease }
        while try await deadline.waitInTask() {
            if try backend.isLeaseHeld(name) { continue }
            if let lease = try tryLease(name, lasting: duration) { return lease }
        }
        throw SecretStoreError(.leaseHeld)
    }

    static func checkLease(_ duration: Duration) throws(SecretStoreError) {
        guard duration >= .milliseconds(10), duration <= RingLease.longest else {
            throw SecretStoreError(.invalidLease)
        }
    }
}
