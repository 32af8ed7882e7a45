extension SecretStore {
    /// Takes the lease of that name if nobody holds it; `nil` if somebody does.
    ///
    /// Names of leases and of items are apart. A lease belongs to the store's scope and namespace. This waits for nobody who
    /// holds it, but for quota up to 750 ms; in a task, the asynchronous `lease` that waits for no time keeps no thread.
    ///
    /// - Parameters:
    ///   - name: what is locked; any text that is not empty.
    ///   - duration: after how long it ends by itself, if it is neither released nor renewed; up to one hour.
    /// - Throws: ``SecretStoreError`` with `invalidLease` or `invalidName`. That somebody holds it is not an error.
    public func tryLease(_ name: String, lasting duration: Duration) throws(SecretStoreError) -> Lease? {
        try Self.checkLease(duration)
        guard !name.isEmpty else { throw SecretStoreError(.invalidName(.empty)) }
        guard let held = try backend.tryLease(name, lasting: duration) else { return nil }
        return Lease(name: name, held: held)
    }

    /// Takes the lease of that name, waiting for its holder.
    ///
    /// Of those who wait, any may be next. The calling thread sleeps; in a task the asynchronous form is called.
    ///
    /// - Parameters:
    ///   - name: what is locked; any text that is not empty.
    ///   - duration: after how long it ends by itself, if it is neither released nor renewed; up to one hour.
    ///   - limit: how long to wait.
    /// - Throws: ``SecretStoreError`` with `leaseHeld` where somebody else held it all the time, or as
    ///   ``tryLease(_:lasting:)``.
    @available(*, noasync, message: "keeps the thread; 'await' the asynchronous form")
    public func lease(
        _ name: String, lasting duration: Duration, waiting limit: Duration
    ) throws(SecretStoreError) -> Lease {
        var wait = DeadlineWait(limit, at: backend)
        if let lease = try tryLease(name, lasting: duration) { return lease }
        while wait.wait() {
            if try backend.isLeaseHeld(name) { continue }
            if let lease = try tryLease(name, lasting: duration) { return lease }
        }
        throw SecretStoreError(.leaseHeld)
    }

    /// Takes the lease of that name, waiting for its holder without keeping a thread.
    ///
    /// Call it in a function: at the top level of a program the compiler takes the blocking form, and then refuses it.
    ///
    /// - Parameters:
    ///   - name: what is locked; any text that is not empty.
    ///   - duration: after how long it ends by itself, if it is neither released nor renewed; up to one hour.
    ///   - limit: how long to wait.
    /// - Throws: `CancellationError`; ``SecretStoreError`` with `leaseHeld` where somebody else held it all the time, or as
    ///   ``tryLease(_:lasting:)``.
    public nonisolated(nonsending) func lease(
        _ name: String, lasting duration: Duration, waiting limit: Duration
    ) async throws -> Lease {
        do {
            return try await waiting(DeadlineWait(limit, at: backend)) { store in
                guard let lease = try store.tryLease(name, lasting: duration) else {
                    throw SecretStoreError(.contended)
                }
                return lease
            }
        } catch let error as SecretStoreError where error.code == .contended {
            throw SecretStoreError(.leaseHeld)
        }
    }

    /// Runs `body` while it holds the lease of that name, waiting for others who hold it.
    ///
    /// ```swift
    /// try await store.withLease("deploy", waiting: .seconds(30)) { lease in
    ///     try await deploy(fencedBy: lease.fencingNumber)
    /// }
    /// ```
    ///
    /// The lease is renewed until `body` is through, however long that takes, and then released. If the process dies, it
    /// ends at once where others can see that, else after `duration`; if it is stopped, after `duration`.
    ///
    /// - Parameters:
    ///   - name: what is locked; any text that is not empty.
    ///   - duration: for how long it is taken at a time; up to one hour.
    ///   - limit: how long to wait.
    ///   - body: what no other holder does at the same time; asks the lease whether it is still held where that matters.
    /// - Returns: what `body` returns.
    /// - Throws: what `body` throws; `CancellationError` while it waits; ``SecretStoreError`` with `leaseHeld` where somebody
    ///   else held it all the time, `leaseLost` where it was lost meanwhile, so that another one may have run beside `body`,
    ///   or as ``tryLease(_:lasting:)``.
    public nonisolated(nonsending) func withLease<Result: Sendable>(
        _ name: String, lasting duration: Duration = .seconds(10), waiting limit: Duration,
        _ body: nonisolated(nonsending) (borrowing Lease) async throws -> Result
    ) async throws -> Result {
        let lease = try await lease(name, lasting: duration, waiting: limit)
        let held = lease.held
        let renewal = LeaseRenewer.inBackground(held, lasting: duration)
        // Also if `body` throws, and at once: the timer may keep the handle for a moment.
        defer { withExtendedLifetime(renewal) { _ = held.release() } }
        let result = try await body(lease)
        guard held.release() else { throw SecretStoreError(.leaseLost) }
        return result
    }

    /// Runs `body` while it holds the lease of that name, as ``withLease(_:lasting:waiting:_:)`` does, keeping the thread.
    ///
    /// - Throws: as ``withLease(_:lasting:waiting:_:)``, but for `CancellationError`.
    @available(*, noasync, message: "keeps the thread; use 'withLease'")
    public func withBlockingLease<Result: ~Copyable>(
        _ name: String, lasting duration: Duration = .seconds(10), waiting limit: Duration,
        _ body: (borrowing Lease) throws -> Result
    ) throws -> Result {
        let lease = try lease(name, lasting: duration, waiting: limit)
        let held = lease.held
        let renewal = LeaseRenewer.inBackground(held, lasting: duration)
        // Also if `body` throws, and at once: the timer may keep the handle for a moment.
        defer { withExtendedLifetime(renewal) { _ = held.release() } }
        let result = try body(lease)
        guard held.release() else { throw SecretStoreError(.leaseLost) }
        return result
    }

    static func checkLease(_ duration: Duration) throws(SecretStoreError) {
        guard duration >= .milliseconds(10), duration <= RingLease.longest else {
            throw SecretStoreError(.invalidLease)
        }
    }
}
