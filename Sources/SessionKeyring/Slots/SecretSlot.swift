import Keyutils

/// One item that holds values of one type.
///
/// Code that only loads or only saves can depend on its own small protocol:
///
/// ```swift
/// protocol LoginLoader { func load() throws -> Login }
/// extension SecretSlot: LoginLoader where Secret == Login {}
/// ```
public struct SecretSlot<Secret: Sendable>: Sendable {
    /// The store that keeps the item.
    package let store: SecretStore
    /// The item that holds the value.
    package let item: ItemIdentity
    /// How long values last, unless a call gives another lifetime.
    package let lifetime: Lifetime

    private let makeCoding: @Sendable () -> ValueCoding<Secret>
    private var coding: ValueCoding<Secret> { makeCoding() }

    init(
        _ item: ItemIdentity, in store: SecretStore, lasting lifetime: Lifetime,
        coding makeCoding: @escaping @Sendable () -> ValueCoding<Secret>
    ) {
        (self.store, self.item, self.lifetime, self.makeCoding) = (store, item, lifetime, makeCoding)
    }

    /// Loads the value.
    ///
    /// - Throws: ``SecretStoreError`` with `notFound` if the value does not exist, or `undecodable`.
    public func load() throws(SecretStoreError) -> Secret {
        guard let secret = try loadIfPresent() else { throw SecretStoreError(.notFound, item: item) }
        return secret
    }

    /// Loads the value if it exists.
    ///
    /// - Returns: the value, or `nil` if it does not exist.
    /// - Throws: ``SecretStoreError`` with `undecodable`.
    public func loadIfPresent() throws(SecretStoreError) -> Secret? {
        try store.decoding(item, with: coding.decode)
    }

    /// Saves the value, replacing any existing one.
    ///
    /// - Parameters:
    ///   - secret: the value to save.
    ///   - lifetime: how long it lasts, counted from now; `nil` for the slot's lifetime.
    /// - Throws: ``SecretStoreError`` with `unencodable`, or as
    ///   ``SecretStore/set(_:for:lasting:)-(SecretBytes,_,_)``.
    public func save(_ secret: Secret, lasting lifetime: Lifetime? = nil) throws(SecretStoreError) {
        try store.set(try bytes(of: secret), for: item, lasting: lifetime ?? self.lifetime)
    }

    /// Saves the value, replacing any existing one; waits for other writers and for quota for at most `limit`.
    ///
    /// Waiting blocks no thread. With `nil`, the slot's lifetime applies.
    ///
    /// - Throws: `CancellationError`, or as ``save(_:lasting:)``.
    public nonisolated(nonsending) func save(
        _ secret: Secret, lasting lifetime: Lifetime? = nil, waiting limit: Duration
    ) async throws {
        try await store.set(try bytes(of: secret), for: item, lasting: lifetime ?? self.lifetime, waiting: limit)
    }

    private func bytes(of secret: Secret) throws(SecretStoreError) -> SecretBytes {
        let coding = coding
        return try store.encoding(item) { try coding.encode(secret) }
    }

    /// Deletes the value.
    ///
    /// - Returns: false if the value did not exist.
    /// - Throws: ``SecretStoreError``.
    @discardableResult
    public func delete() throws(SecretStoreError) -> Bool {
        try store.delete(item)
    }

    /// Deletes the value; waits for others for at most `limit`, without blocking a thread.
    ///
    /// - Returns: false if the value did not exist.
    /// - Throws: `CancellationError`, or as ``delete()``.
    @discardableResult
    public nonisolated(nonsending) func delete(waiting limit: Duration) async throws -> Bool {
        try await store.delete(item, waiting: limit)
    }

    /// Replaces the value with one made from the current value, as one step to all other writers.
    ///
    /// - Parameters:
    ///   - lifetime: how long the new value lasts; `nil` for the slot's lifetime.
    ///   - duration: how long the update can take once it has begun, 10 milliseconds to one hour.
    ///   - limit: how long to wait for other writers.
    ///   - change: makes the new value from the current one, which is `nil` if it does not exist. Return `nil` to
    ///     delete the value.
    /// - Throws: as ``SecretStore/update(_:as:lasting:within:waiting:_:)``, which has the same guarantees.
    @discardableResult
    public nonisolated(nonsending) func update(
        lasting lifetime: Lifetime? = nil, within duration: Duration = .seconds(2),
        waiting limit: Duration = .seconds(10), _ change: (Secret?) throws -> Secret?
    ) async throws -> Secret? {
        try await store.update(
            item, coding, lasting: lifetime ?? self.lifetime, within: duration, waiting: limit, change)
    }
}

/// Fetching the value.
extension SecretSlot {
    /// Returns the value; if it does not exist or is due, one caller fetches and saves it for all.
    ///
    /// - Parameters:
    ///   - options: how the fetch is done.
    ///   - fetch: gets the value from its source. It is saved with the slot's lifetime.
    /// - Throws: as ``SecretStore/value(for:as:lasting:options:fetch:)``, which has the same guarantees.
    public func value(
        options: FetchOptions = FetchOptions(), fetch: @escaping @Sendable () async throws -> Secret
    ) async throws -> Secret {
        let lifetime = lifetime
        _ = try RunningLifetime(lifetime, of: item)
        return try await store.value(for: item, FetchPolicy(for: lifetime, options), makeCoding) { _ in
            (try await fetch(), lifetime)
        }
    }

    /// Returns the value; if it does not exist or is due, one caller fetches and saves it for all, with its lifetime.
    ///
    /// - Parameters:
    ///   - options: how the fetch is done.
    ///   - fetch: makes a new value and its lifetime from the old value, which is `nil` if it does not exist.
    /// - Throws: as ``SecretStore/refreshedValue(for:as:options:fetch:)``, which has the same guarantees.
    public func refreshedValue(
        options: FetchOptions = FetchOptions(),
        fetch: @escaping @Sendable (_ old: Secret?) async throws -> (Secret, Lifetime)
    ) async throws -> Secret {
        try await store.value(for: item, FetchPolicy(.dueOrUnusable, isStrict: true, options), makeCoding, fetch: fetch)
    }

    /// Marks a value as refused, for example by the server that the token is for.
    ///
    /// From then on, `value` and `refreshedValue` do not return it. The next caller fetches the value again, and the
    /// closure of `refreshedValue` gets the refused value as the old one. `load` still returns it. If the item has
    /// another value by then, nothing happens.
    ///
    /// - Parameters:
    ///   - refused: the value that was refused.
    ///   - limit: how long to wait for others, without blocking a thread.
    /// - Returns: false if the stored value is not the refused one.
    /// - Throws: `CancellationError`; ``SecretStoreError`` with `undecodable`.
    @discardableResult
    public nonisolated(nonsending) func invalidate(
        _ refused: Secret, waiting limit: Duration = .seconds(10)
    ) async throws -> Bool where Secret: Equatable {
        try store.checkWrite(item)
        var operation = RefuseOperation(of: refused, as: item, in: store, coding)
        var wait = Wait.updating(upTo: limit)
        return try await wait.runInTask { effort throws(SecretStoreError) in try operation.attempt(effort) }
    }
}
