public import Keyutils

/// The secrets of one namespace in one scope, in the Linux kernel keyring.
///
/// ```swift
/// let store = try SecretStore()
/// let token = ItemIdentity.password(service: "api", account: "alice")
/// try store.set("s3cret", for: token, timeout: .seconds(8 * 3600))
/// let again = try store.get(token, as: String.self)
/// ```
///
/// Each concept has one verb: `get` reads, `set` replaces, `add` fails if the item exists, `update` changes, `expire`
/// sets a new timeout, `delete` removes, and `clear` empties. In a ``SecretSlot``, which stands for one item, `get` and
/// `set` are called `load` and `save`.
///
/// The labels are consistent too: `get(item)` acts on the item itself, `set(secret, for: item)` stores something for
/// it, and `attributes(of: item)` looks at something that belongs to it. `as:` is a type, and `timeout:` is how long
/// the kernel keeps the item. You can ignore a result that only reports how a change went.
///
/// Any number of threads and tasks can share a store, and any number of processes can use the same namespace at the
/// same time. Every change becomes visible in one step.
///
/// The calls are synchronous and take microseconds. For reads, this is always true. A write takes longer in two
/// cases. If the user's quota of keys and key bytes is full, the write waits about a second for the kernel to free some
/// of it. If the item is being updated, the write waits up to ten seconds for that update. In a task, use the forms
/// with `waiting:`, which suspend the task and block no thread.
///
/// The first `update` in a namespace sets its *update flag*, a hidden key. So does the first fetch by `value(for:)`,
/// `invalidate`, write with `refreshAfter` or `usableFor`, or `add` over an expired item. From then on, every write
/// takes the item's *lease*, a lock between processes, and takes about three times as long:
/// see <doc:LocksAndUpdates>.
///
/// ``SecretStoreError/Code-swift.enum`` lists the errors that any call can throw. A method documents only the errors
/// that it throws in addition.
public final class SecretStore: Sendable {
    /// The namespace of a store that is created without one.
    package static let defaultNamespace = "default"

    /// The codec for values other than strings and bytes.
    package let codec: any SecretCodec

    /// The backend that keeps the items.
    package let backend: any SecretBackend

    /// Creates a store in the kernel keyring.
    ///
    /// Looks up the scope's keyring for the calling thread. The store creates its own keyrings inside that one only
    /// when something is stored.
    ///
    /// A store never changes the session keyring of its process. If the process does not have one, the store uses the
    /// keyring that all processes of the user without a session share. A program that your program starts gets access
    /// to it only if it runs as the same user. To look that keyring up, the store starts a thread that then ends.
    ///
    /// - Parameters:
    ///   - scope: the scope in which the secrets are kept.
    ///   - namespace: the name of a set of items, up to about 250 bytes of any text. Give each application its own.
    ///   - codec: the codec for values other than strings and bytes.
    /// - Throws: ``SecretStoreError`` with `invalidName`, `notFound` if an explicit keyring does not exist,
    ///   `quotaExceeded` if the scope's keyring must be created and there isn't room for it, `contended` if the process
    ///   can't start a thread, or `unsupported` if the kernel has no persistent keyrings.
    public convenience init(
        _ scope: SecretScope = .session,
        namespace: String = "default",
        codec: any SecretCodec = JSONSecretCodec()
    ) throws(SecretStoreError) {
        self.init(backend: try KernelBackend(scope: scope, namespace: namespace), codec: codec)
    }

    /// Creates a store with any backend.
    package init(backend: any SecretBackend, codec: any SecretCodec = JSONSecretCodec()) {
        self.backend = backend
        self.codec = codec
    }
}

extension SecretStore {
    /// Lends an item's bytes to `body`, without a copy that outlives the call.
    ///
    /// - Returns: the result of `body`, or `nil` if the item does not exist.
    /// - Throws: ``SecretStoreError``. An item that is absent or expired is not an error.
    @inlinable
    public func withBytes<Result: ~Copyable>(
        of item: ItemIdentity,
        _ body: (RawSpan) -> Result
    ) throws(SecretStoreError) -> Result? {
        var result: Result?
        guard try read(item, { bytes in result = body(bytes) }) else { return nil }
        return result
    }

    /// Lends an item's bytes to a closure that can throw.
    ///
    /// - Returns: the result of `body`, or `nil` if the item does not exist.
    /// - Throws: the error of `body`; ``SecretStoreError``. An item that is absent or expired is not an error.
    @inlinable
    public func withBytes<Value: ~Copyable, Failure: Error>(
        of item: ItemIdentity,
        _ body: (RawSpan) throws(Failure) -> Value
    ) throws -> Value? {
        var value: Value?
        var failure: Failure?
        let isThere = try read(item) { bytes in
            do throws(Failure) {
                value = try body(bytes)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return isThere ? value : nil
    }

    /// Reads an item's bytes.
    ///
    /// - Returns: the bytes, or `nil` if the item does not exist.
    /// - Throws: ``SecretStoreError``. An item that is absent or expired is not an error.
    public func get(_ item: ItemIdentity) throws(SecretStoreError) -> SecretBytes? {
        try withBytes(of: item) { SecretBytes(copying: $0) }
    }

    /// Reads an item's value.
    ///
    /// A `String`, `Data` or `[UInt8]` is the secret itself. The store's codec decodes every other type.
    ///
    /// - Returns: the value, or `nil` if the item does not exist.
    /// - Throws: ``SecretStoreError`` with `undecodable`. An item that is absent or expired is not an error.
    public func get<Value: Decodable>(
        _ item: ItemIdentity,
        as type: Value.Type = Value.self
    ) throws(SecretStoreError) -> Value? {
        let codec = codec
        return try decoding(item) { bytes in try RawCoding.decode(type, from: bytes, else: codec) }
    }

    /// Stores bytes, replacing any existing item.
    ///
    /// With `refreshAfter` or `usableFor`,
    /// ``value(for:as:staleWhileRefreshing:fetchLasting:sharingFailuresFor:fetch:)`` treats the value like one that it
    /// has fetched itself. The store keeps these durations in a hidden key next to the item, and takes the item's
    /// lease, so the call can wait as `update` does. If the quota has no room for that key, the next caller fetches
    /// the item again.
    ///
    /// - Parameters:
    ///   - secret: up to 32,767 bytes (32,766 if all of them are NUL).
    ///   - item: the item to store.
    ///   - timeout: the longest time that the kernel keeps the item, counted from now and rounded up to whole seconds;
    ///     `nil` for as long as the scope exists.
    ///   - refreshAfter: after how long the item is fetched again; more than zero, and less than `timeout`
    ///     and `usableFor`.
    ///   - usableFor: how long callers still get the value while another caller fetches a new one; `nil` for as long as
    ///     the item exists.
    /// - Throws: ``SecretStoreError`` with `tooLarge` or `invalidTimeout`; the existing item is then unchanged.
    public func set(
        _ secret: borrowing SecretBytes, for item: ItemIdentity, timeout: Duration? = nil,
        refreshAfter: Duration? = nil,
        usableFor: Duration? = nil
    ) throws(SecretStoreError) {
        var operation = try setting(item, timeout: timeout, refreshAfter: refreshAfter, usableFor: usableFor)
        var wait = Wait()
        try secret.withBytes { bytes throws(SecretStoreError) in
            try wait.run { effort throws(SecretStoreError) in try operation.attempt(bytes, effort) }
        }
    }

    /// Stores a value, replacing any existing item.
    ///
    /// A `String`, `Data` or `[UInt8]` is stored as it is. The store's codec encodes every other type.
    ///
    /// - Parameters:
    ///   - value: the value to store.
    ///   - item: the item to store.
    ///   - timeout: the longest time that the kernel keeps the item, counted from now and rounded up to whole seconds;
    ///     `nil` for as long as the scope exists.
    ///   - refreshAfter: after how long `value(for:)` fetches the item again; more than zero, and less than `timeout`
    ///     and `usableFor`.
    ///   - usableFor: how long callers still get the value while another caller fetches a new one; `nil` for as long as
    ///     the item exists.
    /// - Throws: ``SecretStoreError`` with `unencodable`, `tooLarge` or `invalidTimeout`; the existing item is
    ///   then unchanged.
    public func set<Value: Encodable>(
        _ value: Value, for item: ItemIdentity, timeout: Duration? = nil, refreshAfter: Duration? = nil,
        usableFor: Duration? = nil
    ) throws(SecretStoreError) {
        try set(
            try encoded(value, for: item), for: item, timeout: timeout, refreshAfter: refreshAfter,
            usableFor: usableFor)
    }

    /// Stores bytes unless a live item exists: one that has not expired.
    ///
    /// If many processes try this at the same time, one of them succeeds.
    ///
    /// - Throws: ``SecretStoreError`` with `duplicate` if a live item exists, or
    ///   as ``set(_:for:timeout:refreshAfter:usableFor:)-(SecretBytes,_,_,_,_)``.
    public func add(
        _ secret: borrowing SecretBytes, for item: ItemIdentity, timeout: Duration? = nil,
        refreshAfter: Duration? = nil,
        usableFor: Duration? = nil
    ) throws(SecretStoreError) {
        var operation = try setting(
            item, timeout: timeout, refreshAfter: refreshAfter, usableFor: usableFor, isAddition: true)
        var wait = Wait()
        try secret.withBytes { bytes throws(SecretStoreError) in
            try wait.run { effort throws(SecretStoreError) in try operation.attempt(bytes, effort) }
        }
    }

    /// Stores a value unless a live item exists.
    ///
    /// If many processes try this at the same time, one of them succeeds.
    ///
    /// - Throws: ``SecretStoreError`` with `duplicate` if a live item exists, or
    ///   as ``set(_:for:timeout:refreshAfter:usableFor:)-(Value,_,_,_,_)``.
    public func add<Value: Encodable>(
        _ value: Value, for item: ItemIdentity, timeout: Duration? = nil, refreshAfter: Duration? = nil,
        usableFor: Duration? = nil
    ) throws(SecretStoreError) {
        try add(
            try encoded(value, for: item), for: item, timeout: timeout, refreshAfter: refreshAfter,
            usableFor: usableFor)
    }
}

extension SecretStore {
    /// Whether a live item exists.
    ///
    /// - Throws: ``SecretStoreError``.
    public func contains(_ item: ItemIdentity) throws(SecretStoreError) -> Bool {
        try check(item)
        return try backend.contains(item)
    }

    /// Sets a new timeout for the existing item, counted from now.
    ///
    /// - Returns: false if the item does not exist.
    /// - Throws: ``SecretStoreError`` with `invalidTimeout`.
    @discardableResult
    public func expire(_ item: ItemIdentity, timeout: Duration) throws(SecretStoreError) -> Bool {
        let keyTimeout = try writeTimeout(timeout, for: item)
        var wait = Wait.freeingQuota()
        return try wait.run { effort throws(SecretStoreError) in
            try backend.expire(item, timeout: keyTimeout?.left, effort)
        }
    }

    /// Removes the existing item's timeout, so that it lives as long as its scope.
    ///
    /// - Returns: false if the item does not exist.
    /// - Throws: ``SecretStoreError`` with `unsupported` if the backend can't do this.
    ///
    /// The corresponding C function is `keyctl_set_timeout(3)` with 0.
    @discardableResult
    public func removeTimeout(of item: ItemIdentity) throws(SecretStoreError) -> Bool {
        try checkWrite(item)
        var wait = Wait.freeingQuota()
        return try wait.run { effort throws(SecretStoreError) in try backend.expire(item, timeout: nil, effort) }
    }

    /// Deletes the item.
    ///
    /// - Returns: false if the item did not exist.
    /// - Throws: ``SecretStoreError``.
    @discardableResult
    public func delete(_ item: ItemIdentity) throws(SecretStoreError) -> Bool {
        var operation = try deleting(item)
        var wait = Wait.freeingQuota()
        return try wait.run { effort throws(SecretStoreError) in try operation.attempt(effort) }
    }

    /// Deletes all items of the namespace in one step, without waiting for other writers.
    ///
    /// - Throws: ``SecretStoreError``.
    public func clear() throws(SecretStoreError) {
        try backend.clear()
    }

    /// Deletes all items of a service, server or tag, whatever their accounts, one after the other.
    ///
    /// - Returns: the number of deleted items.
    /// - Throws: ``SecretStoreError``; some items might then already be deleted.
    @discardableResult
    public func clear(of kind: ItemIdentity.Kind, service: String) throws(SecretStoreError) -> Int {
        var count = 0
        for item in try identities(of: kind, service: service) where try delete(item) { count += 1 }
        return count
    }
}

extension SecretStore {
    /// Checks a write, and converts its timeout, which counts from now.
    func writeTimeout(_ timeout: Duration?, for item: ItemIdentity) throws(SecretStoreError) -> RunningTimeout? {
        try checkWrite(item)
        guard let timeout else { return nil }
        return RunningTimeout(try KeyTimeout(timeout, of: item))
    }

    @usableFromInline
    func read(_ item: ItemIdentity, _ body: (RawSpan) -> Void) throws(SecretStoreError) -> Bool {
        try check(item)
        return try backend.read(item, body)
    }

    @inline(__always)
    func check(_ item: ItemIdentity) throws(SecretStoreError) {
        if let problem = item.problem { throw SecretStoreError(problem, of: item) }
    }
}

extension SecretStore {
    /// Reads an item's value and the facts about it.
    func found<Value>(
        _ item: ItemIdentity, _ coding: ValueCoding<Value>
    ) throws(SecretStoreError) -> Found<Value>? {
        var found: Result<Value, any Error>?
        try check(item)
        let known = try backend.readWithFacts(item) { bytes in found = Result { try coding.decode(bytes) } }
        guard let known, let value = try decoded(found, item) else { return nil }
        return Found(value, known)
    }

    package func coding<Value: Codable>(_ type: Value.Type) -> ValueCoding<Value> {
        ValueCoding(
            encode: { [codec] value in try RawCoding.encode(value, else: codec) },
            decode: { [codec] bytes in try RawCoding.decode(type, from: bytes, else: codec) })
    }

    func encoded<Value: Encodable>(
        _ value: Value, for item: ItemIdentity
    ) throws(SecretStoreError) -> SecretBytes {
        let codec = codec
        return try encoding(item) { try RawCoding.encode(value, else: codec) }
    }

    func encoding(
        _ item: ItemIdentity,
        _ encode: () throws -> SecretBytes
    ) throws(SecretStoreError) -> SecretBytes {
        do {
            return try encode()
        } catch {
            throw .unencodable(error, item: item)
        }
    }

    func decoding<Value>(
        _ item: ItemIdentity,
        with decode: (RawSpan) throws -> Value
    ) throws(SecretStoreError) -> Value? {
        // Not a `Result`: looking up a nested generic type at run time is slow, here for each read.
        var value: Value?
        var failure: (any Error)?
        try check(item)
        _ = try backend.read(item) { bytes in
            do {
                value = try decode(bytes)
            } catch {
                failure = error
            }
        }
        if let failure { throw .undecodable(failure, item: item) }
        return value
    }

    /// Decodes bytes as `get` does.
    package static func decode<Value: Decodable>(
        _ type: Value.Type, from bytes: RawSpan, of item: ItemIdentity, by codec: any SecretCodec
    ) throws(SecretStoreError) -> Value {
        do {
            return try RawCoding.decode(type, from: bytes, else: codec)
        } catch {
            throw .undecodable(error, item: item)
        }
    }
}
