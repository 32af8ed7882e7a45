extension SecretStore {
    /// Takes the lease of that name if nobody holds it; `nil` if somebody does.
    ///
    /// It doesn't wait for a holder, but up to 100 ms for the kernel to collect a dead holder's lease, and about a second for
    /// quota, without keeping a thread. Leases and items may have the same names. A lease belongs to the store's scope and
    /// namespace.
    ///
    /// - Parameters:
    ///   - name: what is locked; any text that is not empty.
    ///   - duration: after how long it ends by itself, if it is neither released nor renewed; up to one hour.
    /// - Throws: `CancellationError`; ``SecretStoreError`` with `invalidTimeout` or `invalidName`. A lease that somebody holds
    ///   is not an error.
    public nonisolated(nonsending) func tryLease(
        _ name: String, lasting duration: Duration = .seconds(10)
    ) async throws -> Lease? {
        do {
            return try await lease(name, lasting: duration, waiting: .zero)
        } catch let error as SecretStoreError where error.code == .leaseHeld {
            return nil
        }
    }

    /// Takes the lease of that name if nobody holds it, keeping the thread; `nil` if somebody holds it.
    ///
    /// - Throws: ``SecretStoreError`` as ``tryLease(_:lasting:)``.
    @available(*, noasync, message: "keeps the thread; 'await' 'tryLease'")
    public func blockingTryLease(
        _ name: String, lasting duration: Duration = .seconds(10)
    ) throws(SecretStoreError) -> Lease? {
        do throws(SecretStoreError) {
            return try blockingLease(name, lasting: duration, waiting: .zero)
        } catch {
            guard error.code == .leaseHeld else { throw error }
            return nil
        }
    }

    /// Takes the lease of that name, waiting for its holder without keeping a thread.
    ///
    /// Any of those who wait may be next.
    ///
    /// - Parameters:
    ///   - name: what is locked; any text that is not empty.
    ///   - duration: after how long it ends by itself, if it is neither released nor renewed; up to one hour.
    ///   - limit: how long to wait.
    /// - Throws: `CancellationError`; ``SecretStoreError`` with `leaseHeld` if somebody else held it all the time, or as
    ///   ``tryLease(_:lasting:)``.
    public nonisolated(nonsending) func lease(
        _ name: String, lasting duration: Duration = .seconds(10), waiting limit: Duration
    ) async throws -> Lease {
        try Self.check(name, lasting: duration)
        var wait = Wait(upTo: limit, at: backend)
        do {
            return try await wait.runInTask { attempt throws(SecretStoreError) in
                Lease(name: name, held: try backend.takeLease(name, lasting: duration, &attempt))
            }
        } catch let error as SecretStoreError where error.isLeaseHeld {
            throw SecretStoreError(.leaseHeld)
        }
    }

    /// Takes the lease of that name, waiting for its holder and keeping the thread.
    ///
    /// - Throws: ``SecretStoreError`` as ``lease(_:lasting:waiting:)``.
    @available(*, noasync, message: "keeps the thread; 'await' 'lease'")
    public func blockingLease(
        _ name: String, lasting duration: Duration = .seconds(10), waiting limit: Duration
    ) throws(SecretStoreError) -> Lease {
        try Self.check(name, lasting: duration)
        var wait = Wait(upTo: limit, at: backend)
        do throws(SecretStoreError) {
            return try wait.run { attempt throws(SecretStoreError) in
                Lease(name: name, held: try backend.takeLease(name, lasting: duration, &attempt))
            }
        } catch {
            throw error.isLeaseHeld ? SecretStoreError(.leaseHeld) : error
        }
    }

    private static func check(_ name: String, lasting duration: Duration) throws(SecretStoreError) {
        try checkLease(duration)
        guard !name.isEmpty else { throw SecretStoreError(.invalidName(.empty, of: .lease)) }
    }
}

extension SecretStore {
    /// Runs `body` while it holds the lease of that name, waiting for others who hold it.
    ///
    /// ```swift
    /// try await store.withLease("deploy", waiting: .seconds(30)) { lease in
    ///     try await deploy(fencedBy: lease.fencingNumber)
    /// }
    /// ```
    ///
    /// The lease is renewed until `body` returns, however long that takes, and then released. If the process dies, the lease
    /// ends immediately if others can see that, else after `duration`; if the process is stopped, after `duration`.
    ///
    /// - Parameters:
    ///   - name: what is locked; any text that is not empty.
    ///   - duration: for how long it is taken at a time; up to one hour.
    ///   - limit: how long to wait.
    ///   - body: runs alone among all holders. It calls ``Lease/checkHeld()`` before a step that must not run without the
    ///     lease.
    /// - Returns: the result of `body`.
    /// - Throws: the error of `body`; `CancellationError` while it waits; ``SecretStoreError`` with `leaseHeld` if somebody
    ///   else held it all the time, `leaseLost` if it was lost meanwhile, so that another holder may have run at the same
    ///   time, or as ``tryLease(_:lasting:)``.
    public nonisolated(nonsending) func withLease<Result: Sendable>(
        _ name: String, lasting duration: Duration = .seconds(10), waiting limit: Duration,
        _ body: nonisolated(nonsending) (borrowing Lease) async throws -> Result
    ) async throws -> Result {
        let lease = try await lease(name, lasting: duration, waiting: limit)
        let held = lease.held
        let renewal = LeaseRenewer.inBackground(held, lasting: duration)
        // Also if `body` throws, and without delay: the timer may keep the handle for a moment.
        defer { withExtendedLifetime(renewal) { _ = held.release() } }
        let result = try await body(lease)
        guard held.release() else { throw SecretStoreError(.leaseLost) }
        return result
    }

    /// Runs `body` in a task while it holds the lease of that name, and cancels the task if the lease is lost.
    ///
    /// A cancelled `body` may run on until it notices, so its effects are unknown: another holder may run at the same time.
    /// A lost lease is noticed after half of `duration` at most, unless the process is stopped.
    ///
    /// - Parameters:
    ///   - name: what is locked; any text that is not empty.
    ///   - duration: for how long it is taken at a time; up to one hour.
    ///   - limit: how long to wait.
    ///   - body: runs alone among all holders.
    /// - Returns: the result of `body`.
    /// - Throws: ``SecretStoreError`` with `leaseLost` if the lease was lost, whatever `body` throws then; else as
    ///   ``withLease(_:lasting:waiting:_:)``.
    public nonisolated(nonsending) func withCancellingLease<Result: Sendable>(
        _ name: String, lasting duration: Duration = .seconds(10), waiting limit: Duration,
        _ body: @escaping @Sendable (borrowing Lease) async throws -> Result
    ) async throws -> Result {
        try await withLease(name, lasting: duration, waiting: limit) { lease in
            let held = lease.held
            let work = Task { try await body(Lease(name: name, held: held)) }
            // On a timer's thread: the threads of tasks may all be busy.
            let watch = BackgroundTimer(after: duration / 8, repeats: true) {
                if held.timeLeft <= .zero { work.cancel() }
            }
            defer { withExtendedLifetime(watch) {} }
            let result = await withTaskCancellationHandler {
                await work.result
            } onCancel: {
                work.cancel()
            }
            try lease.checkHeld()
            return try result.get()
        }
    }

    /// Runs `body` while it holds the lease of that name, as ``withLease(_:lasting:waiting:_:)`` does, keeping the thread.
    ///
    /// - Throws: as ``withLease(_:lasting:waiting:_:)``, but for `CancellationError`.
    @available(*, noasync, message: "keeps the thread; use 'withLease'")
    public func withBlockingLease<Result: ~Copyable>(
        _ name: String, lasting duration: Duration = .seconds(10), waiting limit: Duration,
        _ body: (borrowing Lease) throws -> Result
    ) throws -> Result {
        let lease = try blockingLease(name, lasting: duration, waiting: limit)
        let held = lease.held
        let renewal = LeaseRenewer.inBackground(held, lasting: duration)
        // Also if `body` throws, and without delay: the timer may keep the handle for a moment.
        defer { withExtendedLifetime(renewal) { _ = held.release() } }
        let result = try body(lease)
        guard held.release() else { throw SecretStoreError(.leaseLost) }
        return result
    }
}

/// A lock that all processes of the scope respect, and that nobody can keep by dying: it ends by itself.
///
/// It is released when it goes out of scope. A holder that works for longer than the lease lasts must ``renew(lasting:)``
/// it in time; one that was stopped meanwhile is told by ``isHeld``, and whatever it writes to elsewhere can refuse it by
/// its ``fencingNumber``.
public struct Lease: ~Copyable, Sendable {
    /// What is locked.
    package let name: String
    let held: any LeaseHandle

    init(name: String, held: any LeaseHandle) {
        self.name = name
        self.held = held
    }

    /// A number greater than that of every holder of the lease before, until the machine restarts.
    ///
    /// Hand it to what you write to; whoever has seen a greater one can turn a late holder away. It is the time since the
    /// start of the machine at which the lease was taken, in nanoseconds (`clock_gettime(2)`, `CLOCK_BOOTTIME`), so it
    /// holds among processes of one time namespace.
    public var fencingNumber: UInt64 { held.fencingNumber }

    /// Whether it is surely still held, for at least two milliseconds when asked.
    public var isHeld: Bool { held.timeLeft > .zero }

    /// How long it is surely still held; zero if it may be somebody else's.
    public var timeLeft: Duration { held.timeLeft }

    /// Throws if the lease may be somebody else's by now.
    ///
    /// - Throws: ``SecretStoreError`` with `leaseLost`.
    public func checkHeld() throws(SecretStoreError) {
        guard isHeld else { throw SecretStoreError(.leaseLost) }
    }

    /// Makes it last so long from now on.
    ///
    /// - Throws: ``SecretStoreError`` with `leaseLost` where it may be somebody else's by now, or `invalidTimeout`.
    public func renew(lasting duration: Duration) throws(SecretStoreError) {
        try SecretStore.checkLease(duration)
        guard try held.renew(lasting: duration) else { throw SecretStoreError(.leaseLost) }
    }

    /// Gives it back; false if it may have been somebody else's by then.
    @discardableResult
    public consuming func release() -> Bool {
        held.release()
    }
}
