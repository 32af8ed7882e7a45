extension SecretStore {
    /// Takes the lease with this name, waiting for its holder without blocking a thread.
    ///
    /// If several callers wait, any of them can be next.
    package nonisolated(nonsending) func lease(
        _ name: String, lasting duration: Duration = .seconds(10), waiting limit: Duration
    ) async throws -> Lease {
        try Self.check(name, lasting: duration)
        var wait = Wait(upTo: limit)
        do {
            let held = try await wait.runInTask { effort throws(SecretStoreError) in
                try backend.takeLease(name, lasting: duration, effort)
            }
            return Lease(name: name, held: held)
        } catch let error as SecretStoreError where error.isLeaseHeld {
            throw SecretStoreError(.heldLease(name))
        }
    }

    /// Takes the lease with this name, blocking the thread while it waits for the holder.
    @available(*, noasync, message: "blocks the thread; use 'await lease'")
    package func blockingLease(
        _ name: String, lasting duration: Duration = .seconds(10), waiting limit: Duration
    ) throws(SecretStoreError) -> Lease {
        try Self.check(name, lasting: duration)
        var wait = Wait(upTo: limit)
        do throws(SecretStoreError) {
            let held = try wait.run { effort throws(SecretStoreError) in
                try backend.takeLease(name, lasting: duration, effort)
            }
            return Lease(name: name, held: held)
        } catch {
            throw error.isLeaseHeld ? SecretStoreError(.heldLease(name)) : error
        }
    }

    private static func check(_ name: String, lasting duration: Duration) throws(SecretStoreError) {
        try HeldLease.check(duration)
        guard !name.isEmpty else { throw SecretStoreError(.invalidName(.empty, of: .lease)) }
    }
}

extension SecretStore {
    /// Runs `body` while it holds the lease with this name, after waiting for other holders.
    ///
    /// ```swift
    /// try await store.withLease("deploy", waiting: .seconds(30)) { lease in
    ///     try await deploy(fencedBy: lease.fencingNumber)
    /// }
    /// ```
    ///
    /// The lease is renewed until `body` returns, however long that takes, and then released. If the process dies, the
    /// lease ends immediately if others can tell that the process is dead, otherwise after `duration`. If the process
    /// is stopped, the lease ends after `duration`.
    ///
    /// - Parameters:
    ///   - name: the name to lock; any text that is not empty. A lease and an item can have the same name. A lease
    ///     belongs to the store's scope and namespace.
    ///   - duration: how long the lease lasts after each renewal; 10 milliseconds to one hour.
    ///   - limit: how long to wait for other holders; zero to fail immediately if somebody holds it. In any case, the
    ///     call can wait 100 ms for the kernel to free the name of a dead holder's lease, and about a second for quota.
    ///     It blocks no thread.
    ///   - body: runs while nobody else holds the lease. It calls ``Lease/checkHeld()`` before a step that must not run
    ///     without the lease.
    /// - Returns: the result of `body`.
    /// - Throws: the error of `body`; `CancellationError` while it waits; ``SecretStoreError`` with `leaseHeld` if
    ///   others held the lease the whole time, `leaseLost` if the lease was lost before `body` returned, so that
    ///   another holder may have run at the same time, `invalidTimeout` or `invalidName`.
    public nonisolated(nonsending) func withLease<Result: Sendable>(
        _ name: String, lasting duration: Duration = .seconds(10), waiting limit: Duration,
        _ body: nonisolated(nonsending) (Lease) async throws -> Result
    ) async throws -> Result {
        let lease = try await lease(name, lasting: duration, waiting: limit)
        let held = lease.held
        let renewal = LeaseRenewer.inBackground(held, lasting: duration)
        // Release the lease now, also if `body` throws. Otherwise the timer might keep the handle, and with it the
        // lease, for a moment longer.
        defer { withExtendedLifetime(renewal) { _ = held.release() } }
        let result = try await body(lease)
        guard held.release() else { throw SecretStoreError(.lostLease(name)) }
        return result
    }

    /// Runs `body` in a task under the lease with this name, and cancels the task if the lease is lost.
    ///
    /// A cancelled `body` may keep running until it notices, so its effects are unknown: another holder may run at the
    /// same time. A lost lease is noticed after half of `duration` at most, unless the process is stopped.
    ///
    /// - Parameters:
    ///   - name: the name to lock; any text that is not empty.
    ///   - duration: how long the lease lasts after each renewal; 10 milliseconds to one hour.
    ///   - limit: how long to wait.
    ///   - body: runs while nobody else holds the lease.
    /// - Returns: the result of `body`.
    /// - Throws: ``SecretStoreError`` with `leaseLost` if the lease was lost, whatever `body` throws in that case;
    ///   otherwise as ``withLease(_:lasting:waiting:_:)``.
    public nonisolated(nonsending) func withCancellingLease<Result: Sendable>(
        _ name: String, lasting duration: Duration = .seconds(10), waiting limit: Duration,
        _ body: @escaping @Sendable (Lease) async throws -> Result
    ) async throws -> Result {
        try await withLease(name, lasting: duration, waiting: limit) { lease in
            let held = lease.held
            let work = Task { try await body(lease) }
            // Not in a task, because the threads of tasks may all be busy.
            let watch = BackgroundTimer(after: duration / 8, repeats: true) {
                if held.timeLeft <= .zero, !work.isCancelled { BriefThread.run { work.cancel() } }
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

    /// Runs `body` while it holds the lease with this name, blocking the thread.
    ///
    /// Everything else is as for ``withLease(_:lasting:waiting:_:)``.
    ///
    /// - Throws: as ``withLease(_:lasting:waiting:_:)``, except for `CancellationError`.
    @available(*, noasync, message: "blocks the thread; use 'await withLease'")
    public func withBlockingLease<Result: ~Copyable>(
        _ name: String, lasting duration: Duration = .seconds(10), waiting limit: Duration,
        _ body: (Lease) throws -> Result
    ) throws -> Result {
        let lease = try blockingLease(name, lasting: duration, waiting: limit)
        let held = lease.held
        let renewal = LeaseRenewer.inBackground(held, lasting: duration)
        // Release the lease now, also if `body` throws. Otherwise the timer might keep the handle, and with it the
        // lease, for a moment longer.
        defer { withExtendedLifetime(renewal) { _ = held.release() } }
        let result = try body(lease)
        guard held.release() else { throw SecretStoreError(.lostLease(name)) }
        return result
    }
}

/// A lock that all processes of the scope respect, and that ends by itself if its holder dies.
///
/// A holder that was stopped can check whether it still has the lease (``checkHeld()``). A service that the holder writes
/// to can refuse late writes by their ``fencingNumber``. When the closure that got it ends, the lease is released; a copy
/// of it then only throws in ``checkHeld()``.
public struct Lease: Sendable {
    /// The name that is locked.
    package let name: String
    let held: any LeaseHandle

    init(name: String, held: any LeaseHandle) {
        self.name = name
        self.held = held
    }

    /// A number greater than that of every earlier holder of the lease, until the machine restarts.
    ///
    /// Pass it to the service that you write to. A service that has seen a greater number can refuse a late holder. The
    /// number is the time since the start of the machine at which the lease was taken, in nanoseconds
    /// (`clock_gettime(2)`, `CLOCK_BOOTTIME`), so it can be compared only among processes of one time namespace.
    public var fencingNumber: UInt64 { held.fencingNumber }

    /// Whether the lease is certainly still held, for at least two milliseconds from now.
    package var isHeld: Bool { held.timeLeft > .zero }

    /// How long the lease is certainly still held; zero if somebody else may have it.
    package var timeLeft: Duration { held.timeLeft }

    /// Throws if somebody else may have the lease by now.
    ///
    /// - Throws: ``SecretStoreError`` with `leaseLost`.
    public func checkHeld() throws(SecretStoreError) {
        guard isHeld else { throw SecretStoreError(.lostLease(name)) }
    }

    /// Extends the lease to this duration from now.
    ///
    /// - Throws: ``SecretStoreError`` with `leaseLost` if somebody else may have the lease by now, or `invalidTimeout`.
    package func renew(lasting duration: Duration) throws(SecretStoreError) {
        try HeldLease.check(duration)
        guard try held.renew(lasting: duration) else { throw SecretStoreError(.lostLease(name)) }
    }

    /// Releases the lease; false if somebody else may have had it by then.
    @discardableResult
    package func release() -> Bool {
        held.release()
    }
}
