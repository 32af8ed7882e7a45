import Glibc
import Keyutils
import Synchronization

extension SecretStore {
    /// Replaces an item's value with one made from the old value, as one step that loses no other write.
    ///
    /// `change` gets the old value and returns the new one. To all other threads and processes, the read and the write
    /// are one step, so none of their writes is lost.
    ///
    /// ```swift
    /// try store.blockingUpdate(counter, lasting: .seconds(3_600)) { (old: Int?) in (old ?? 0) + 1 }
    /// ```
    ///
    /// Writers of the same item are serialised. A thread or process that sets, adds, updates, deletes or expires the
    /// item waits until the update has finished. If that takes more than ten seconds, it throws `contended`. So
    /// `change` should be quick and have no lasting side effects, and it must not write the same item in another way.
    /// It can be called again if the item is cleared or expires during the update. Readers never wait; they see the old
    /// value or the new one.
    ///
    /// **If an update takes too long**, because `change` is slow or because the process is stopped or killed, another
    /// writer can begin after `duration`. From then on this update can't write, no matter where it was stopped: the
    /// kernel itself refuses its write, however late it arrives. The update then throws `leaseLost` and has written
    /// nothing. If it notices before its write that `duration` has passed, it throws `leaseLost` even if no other
    /// writer has begun. An update that returns has written its value.
    ///
    /// There is one exception: ``clear()`` and expiry don't wait for an update. If one of them happens in the
    /// microsecond between the update's last check and its write, the new value is stored, as if the update had come
    /// second.
    ///
    /// - Parameters:
    ///   - item: the item to update.
    ///   - type: the type of its value.
    ///   - lifetime: how long the new value lasts, counted from the call. It has no default, because the update can't
    ///     keep the old value's timeout: the kernel doesn't report that exactly. If the old value is one that is
    ///     refreshed, the new one is not fetched again before the end of this lifetime or its `refreshAfter`.
    ///   - duration: how long the update can take once it has begun, 10 milliseconds to one hour.
    ///   - limit: how long to wait for other writers.
    ///   - change: makes the new value from the old one, which is `nil` if the item does not exist. Return `nil` to
    ///     delete the item.
    /// - Returns: the new value.
    /// - Throws: ``SecretStoreError`` with `leaseLost`, `contended` if other writers held the item all the
    ///   time, `undecodable`, `unencodable`, `tooLarge` or `invalidTimeout`; the error of `change`. The item is
    ///   then unchanged.
    @available(*, noasync, message: "blocks the thread; use 'await update'")
    @discardableResult
    public func blockingUpdate<Value: Codable>(
        _ item: ItemIdentity,
        as type: Value.Type = Value.self,
        lasting lifetime: Lifetime,
        within duration: Duration = .seconds(2),
        waiting limit: Duration = .seconds(10),
        _ change: (Value?) throws -> Value?
    ) throws -> Value? {
        try blockingUpdate(item, coding(type), lasting: lifetime, within: duration, waiting: limit, change)
    }

    func blockingUpdate<Value>(
        _ item: ItemIdentity, _ coding: ValueCoding<Value>, lasting lifetime: Lifetime, within duration: Duration,
        waiting limit: Duration, _ change: (Value?) throws -> Value?
    ) throws -> Value? {
        try checkWrite(item)
        let running = try RunningLifetime(lifetime, of: item)
        try HeldLease.check(duration)
        var wait = Wait.updating(upTo: limit)
        let update = try wait.run { effort throws(SecretStoreError) in
            try backend.beginUpdate(of: item, lasting: duration, effort)
        }
        while true {
            let new = try newValue(of: item, by: update, coding, lifetime, change)
            var wait = Wait.updating(upTo: limit)
            let isDone = try wait.run { effort throws(SecretStoreError) in
                try new.commit(by: update, lasting: running, effort)
            }
            if isDone { return new.value }
        }
    }

    /// Replaces an item's value with one made from the old value, as one step, without blocking a thread.
    ///
    /// The guarantees and parameters are those of ``blockingUpdate(_:as:lasting:within:waiting:_:)``. `change` is
    /// deliberately not asynchronous, because all other writers of the item wait for it.
    ///
    /// - Throws: `CancellationError` while it waits; otherwise as ``blockingUpdate(_:as:lasting:within:waiting:_:)``.
    @discardableResult
    public nonisolated(nonsending) func update<Value: Codable>(
        _ item: ItemIdentity,
        as type: Value.Type = Value.self,
        lasting lifetime: Lifetime,
        within duration: Duration = .seconds(2),
        waiting limit: Duration = .seconds(10),
        _ change: (Value?) throws -> Value?
    ) async throws -> Value? {
        try await update(item, coding(type), lasting: lifetime, within: duration, waiting: limit, change)
    }

    nonisolated(nonsending) func update<Value>(
        _ item: ItemIdentity, _ coding: ValueCoding<Value>, lasting lifetime: Lifetime, within duration: Duration,
        waiting limit: Duration, _ change: (Value?) throws -> Value?
    ) async throws -> Value? {
        try checkWrite(item)
        let running = try RunningLifetime(lifetime, of: item)
        try HeldLease.check(duration)
        var wait = Wait.updating(upTo: limit)
        let update = try await wait.runInTask { effort throws(SecretStoreError) in
            try backend.beginUpdate(of: item, lasting: duration, effort)
        }
        while true {
            let new = try newValue(of: item, by: update, coding, lifetime, change)
            var wait = Wait.updating(upTo: limit)
            let isDone = try await wait.runInTask { effort throws(SecretStoreError) in
                try new.commit(by: update, lasting: running, effort)
            }
            if isDone { return new.value }
        }
    }

    /// The encoded result of an update's closure.
    private struct NewValue<Value>: ~Copyable {
        let value: Value?
        /// The bytes to store; `nil` to delete the item.
        let bytes: SecretBytes?
        /// Whether the new value has facts: if the lifetime asks for them, or if the old value is refreshed.
        ///
        /// Otherwise the next fetch would overwrite the new value.
        let hasFacts: Bool
        /// False if the item did not exist and the closure returned `nil`, so that there is nothing to write.
        let isChange: Bool

        func commit(
            by update: any ItemUpdate, lasting lifetime: RunningLifetime, _ effort: Effort
        ) throws(SecretStoreError) -> Outcome<Bool> {
            guard isChange else { return .done(true) }
            switch bytes {
            case .some(let bytes):
                return try bytes.withBytes { bytes throws(SecretStoreError) in
                    try update.commit(
                        bytes, timeout: lifetime.timeout?.left, hasFacts ? lifetime.facts() : nil, effort)
                }
            case nil: return try update.commit(nil, timeout: nil, nil, effort)
            }
        }
    }

    /// Reads the item, calls `change` with its value, and encodes the result.
    private func newValue<Value>(
        of item: ItemIdentity, by update: any ItemUpdate, _ coding: ValueCoding<Value>, _ lifetime: Lifetime,
        _ change: (Value?) throws -> Value?
    ) throws -> NewValue<Value> {
        var found: Result<Value, any Error>?
        let coding = coding.sealed(by: sealing, of: item)
        _ = try update.read { bytes in found = Result { try coding.decode(bytes) } }
        let old = try decoded(found, item)
        guard let new = try OpenUpdates.changing(updateKey(item), { try change(old) }) else {
            return NewValue(value: nil, bytes: nil, hasFacts: false, isChange: old != nil)
        }
        return NewValue(
            value: new, bytes: try encoding(item) { try coding.encode(new) },
            hasFacts: lifetime.hasRefresh || update.facts?.isOfRefreshed == true,
            isChange: true)
    }

    func decoded<Value>(_ result: Result<Value, any Error>?, _ item: ItemIdentity) throws(SecretStoreError) -> Value? {
        do {
            return try result?.get()
        } catch {
            throw .undecodable(error, item: item)
        }
    }
}

/// The items that `update` closures are changing now, each with the thread that runs the closure.
///
/// If such a closure wrote the same item, it would wait for itself until the update's lease ends. `checkWrite` looks
/// for that case here, and throws instead.
enum OpenUpdates {
    private static let count = Atomic<Int>(0)
    private static let open = LockBox<[(thread: pthread_t, item: FetchKey)]>([])

    /// Runs an update's closure, and records its item and thread while it runs.
    static func changing<Result>(_ item: FetchKey, _ body: () throws -> Result) rethrows -> Result {
        let thread = pthread_self()
        open.withLock { $0.append((thread, item)) }
        count.add(1, ordering: .relaxed)
        defer {
            count.subtract(1, ordering: .relaxed)
            open.withLock { open in
                if let index = open.lastIndex(where: { $0.thread == thread && $0.item == item }) {
                    open.remove(at: index)
                }
            }
        }
        return try body()
    }

    /// Whether the calling thread is running the closure of an update of this item.
    static func contain(_ item: @autoclosure () -> FetchKey) -> Bool {
        // If the thread is in a closure, it has counted itself, so a relaxed load is enough.
        guard count.load(ordering: .relaxed) > 0 else { return false }
        let (thread, item) = (pthread_self(), item())
        return open.withLock { open in open.contains { $0.thread == thread && $0.item == item } }
    }
}

extension SecretStore {
    /// Returns a key for the item in its scope and namespace, which is the same in all stores.
    func updateKey(_ item: ItemIdentity) -> FetchKey { FetchKey(backend, of: self, item, Void.self) }

    func checkWrite(_ item: ItemIdentity) throws(SecretStoreError) {
        try check(item)
        if OpenUpdates.contain(updateKey(item)) { throw SecretStoreError(.insideUpdate, item: item) }
    }
}
