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
        try blockingUpdate(item, coding(type), timeout: timeout, lasting: duration, waiting: limit, change)
    }

    func blockingUpdate<Value>(
        _ item: ItemIdentity, _ coding: ValueCoding<Value>, timeout: Duration?, lasting duration: Duration,
        waiting limit: Duration, _ change: (Value?) throws -> Value?
    ) throws -> Value? {
        let keyTimeout = try writeTimeout(timeout, for: item)
        try Self.checkLease(duration)
        var wait = Wait.updating(upTo: limit)
        let update = try wait.run { attempt throws(SecretStoreError) in
            try backend.beginUpdate(of: item, lasting: duration, &attempt)
        }
        while true {
            let new = try newValue(of: item, by: update, coding, change)
            var wait = Wait.updating(upTo: limit)
            if try wait.run({ attempt throws(SecretStoreError) in try new.commit(by: update, keyTimeout, &attempt) }) {
                return new.value
            }
        }
    }

    /// Replaces an item's value with one made of the old value, as one step, without keeping a thread.
    ///
    /// Its guarantees and parameters are those of ``blockingUpdate(_:as:timeout:lasting:waiting:_:)``. `change` is not
    /// asynchronous on purpose: all other writers of the item wait for it.
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
        let keyTimeout = try writeTimeout(timeout, for: item)
        try Self.checkLease(duration)
        var wait = Wait.updating(upTo: limit)
        let update = try await wait.runInTask { attempt throws(SecretStoreError) in
            try backend.beginUpdate(of: item, lasting: duration, &attempt)
        }
        while true {
            let new = try newValue(of: item, by: update, coding, change)
            var wait = Wait.updating(upTo: limit)
            let isDone = try await wait.runInTask { attempt throws(SecretStoreError) in
                try new.commit(by: update, keyTimeout, &attempt)
            }
            if isDone { return new.value }
        }
    }

    /// The result of an update's closure, encoded.
    private struct NewValue<Value>: ~Copyable {
        let value: Value?
        /// `nil` to delete the item.
        let bytes: SecretBytes?
        /// False if the item is absent and stays so.
        let isChange: Bool

        func commit(
            by update: any ItemUpdate, _ timeout: KeyTimeout?, _ attempt: inout BackendAttempt
        ) throws(SecretStoreError) -> Bool {
            guard isChange else { return true }
            switch bytes {
            case .some(let bytes):
                return try bytes.withBytes { bytes throws(SecretStoreError) in
                    try update.commit(bytes, timeout: timeout, &attempt)
                }
            case nil: return try update.commit(nil, timeout: nil, &attempt)
            }
        }
    }

    /// Reads the item and lets `change` make a new value of it.
    private func newValue<Value>(
        of item: ItemIdentity, by update: any ItemUpdate, _ coding: ValueCoding<Value>,
        _ change: (Value?) throws -> Value?
    ) throws -> NewValue<Value> {
        var found: Result<Value, any Error>?
        _ = try update.read { bytes in found = Result { try coding.decode(bytes) } }
        let old = try decoded(found, item)
        guard let new = try OpenUpdates.changing(updateKey(item), { try change(old) }) else {
            return NewValue(value: nil, bytes: nil, isChange: old != nil)
        }
        return NewValue(value: new, bytes: try encoding(item) { try coding.encode(new) }, isChange: true)
    }

    private func decoded<Value>(
        _ result: Result<Value, any Error>?,
        _ item: ItemIdentity
    ) throws(SecretStoreError) -> Value? {
        do {
            return try result?.get()
        } catch {
            throw .undecodable(error, item: item)
        }
    }
}
