import Keyutils

extension SecretStore {
    /// How long an update may take unless another duration is given: much longer than one that only computes.
    package static let updateDuration = Duration.seconds(2)

    /// Reads an item, lets `change` make a new value of it, and stores that, as one step to everybody else: no write of
    /// another thread or process is lost.
    ///
    /// ```swift
    /// try store.blockingUpdate(counter, timeout: .seconds(3_600)) { (old: Int?) in (old ?? 0) + 1 }
    /// ```
    ///
    /// Writers of the same item take turns: whoever sets, adds, updates, deletes or expires it waits until the update is
    /// through, for ten seconds at most (then `contended`). So `change` should be quick, do nothing that lasts, and not write
    /// the same item in another way; it may be called again where the item was cleared or has expired meanwhile. Readers
    /// never wait, and see the old value or the new one.
    ///
    /// **What is guaranteed when it takes too long**, because `change` does, or because the process is stopped or killed:
    /// after `duration` somebody else may begin. From that moment on this update can't write any more, wherever it was
    /// stopped: the kernel itself turns its write down, however late it comes. It then throws `leaseLost`, and has written
    /// nothing; also where nobody else came, if it finds out in time. An update that returns has been written.
    ///
    /// There are two exceptions. A ``clear()`` or an expiry takes no turn: one that falls between the update's last look and
    /// its write, a microsecond, counts as before the update. And where the quota has no room for the new value beside the
    /// old one, that is written over in place, and only the clock keeps a process from doing so late.
    ///
    /// - Parameters:
    ///   - item: which item.
    ///   - type: what it holds.
    ///   - timeout: when the kernel drops the new value, counted from now; `nil` for the scope's life. The old timeout is
    ///     replaced with the old value: the kernel can't tell it exactly, so say what the new value is to have.
    ///   - duration: how long the update may take; up to one hour.
    ///   - limit: how long to wait for others.
    ///   - change: makes the new value of the old one, which is `nil` where there is no such item; `nil` deletes the item.
    /// - Returns: the new value.
    /// - Throws: ``SecretStoreError`` with `leaseLost`, `contended` where others had the item all the time, `undecodable`,
    ///   `unencodable`, `tooLarge` or `invalidTimeout`; and what `change` throws. The item is unchanged then.
    @available(*, noasync, message: "keeps the thread; 'await' 'update'")
    @discardableResult
    public func blockingUpdate<Value: Codable>(
        _ item: ItemIdentity,
        as type: Value.Type = Value.self,
        timeout: Duration?,
        lasting duration: Duration = .seconds(2),
        waiting limit: Duration = .seconds(10),
        _ change: (Value?) throws -> Value?
    ) throws -> Value? {
        let update = try beginUpdate(of: item, lasting: duration, waiting: limit)
        return try self.update(item, updateKey(item), by: update, coding(type), timeout: timeout, change)
    }

    /// Replaces an item's value with one made of the old value, as one step, without keeping a thread.
    ///
    /// Its guarantees and parameters are those of ``blockingUpdate(_:as:timeout:lasting:waiting:_:)``. `change` is not
    /// asynchronous on purpose: all other writers of the item wait for it. It may also be called again if the quota is full
    /// for a moment.
    ///
    /// - Throws: `CancellationError` while it waits, and as ``blockingUpdate(_:as:timeout:lasting:waiting:_:)``.
    @discardableResult
    public nonisolated(nonsending) func update<Value: Codable>(
        _ item: ItemIdentity,
        as type: Value.Type = Value.self,
        timeout: Duration?,
        lasting duration: Duration = .seconds(2),
        waiting limit: Duration = .seconds(10),
        _ change: (Value?) throws -> Value?
    ) async throws -> Value? {
        try await update(item, coding(type), timeout: timeout, lasting: duration, waiting: limit, change)
    }

    nonisolated(nonsending) func update<Value>(
        _ item: ItemIdentity, _ coding: ValueCoding<Value>, timeout: Duration?, lasting duration: Duration,
        waiting limit: Duration, _ change: (Value?) throws -> Value?
    ) async throws -> Value? {
        let key = updateKey(item)
        do {
            return try await waiting(upTo: limit) { store in
                let update = try store.beginUpdate(of: item, lasting: duration, waiting: .zero)
                return try store.update(item, key, by: update, coding, timeout: timeout) { old in
                    do { return try change(old) } catch { throw ChangeFailure(error: error) }
                }
            }
        } catch let failure as ChangeFailure {
            throw failure.error
        }
    }

    /// What `change` has thrown, which is not to be taken for what the store throws.
    private struct ChangeFailure: Error {
        let error: any Error
    }

    func beginUpdate(
        of item: ItemIdentity, lasting duration: Duration, waiting limit: Duration
    ) throws(SecretStoreError) -> any ItemUpdate {
        try checkWrite(item)
        try Self.checkLease(duration)
        guard let update = try backend.beginUpdate(of: item, lasting: duration, waiting: limit) else {
            throw SecretStoreError(.contended, item: item)
        }
        return update
    }

    /// - Parameter key: the item's key in the store that the caller of `update` has, and that `change` may write to.
    func update<Value>(
        _ item: ItemIdentity, _ key: FetchKey, by update: any ItemUpdate, _ coding: ValueCoding<Value>,
        timeout: Duration?, _ change: (Value?) throws -> Value?
    ) throws -> Value? {
        let keyTimeout = try timeout.map { timeout in try Self.keyTimeout(timeout, item: item) }
        while true {
            var found: Result<Value, any Error>?
            _ = try update.read { bytes in found = Result { try coding.decode(bytes) } }
            let old = try decoded(found, item)
            guard let new = try OpenUpdates.changing(key, { try change(old) }) else {
                if try old == nil || update.commit(nil, timeout: nil) { return nil }
                continue
            }
            let bytes = try encoding(item) { try coding.encode(new) }
            let isDone = try bytes.withBytes { bytes throws(SecretStoreError) in
                try update.commit(bytes, timeout: keyTimeout)
            }
            if isDone { return new }
        }
    }
}
