public import Keyutils

/// The secrets of one namespace in one scope, in the Linux kernel keyring.
///
/// ```swift
/// let store = try SecretStore()
/// let token = ItemIdentity.password(service: "api", account: "alice")
/// try store.set("s3cret", for: token, lasting: .seconds(8 * 3600))
/// let again = try store.get(token, as: String.self)
/// ```
///
/// Each concept has one verb: `get` reads, `set` replaces, `add` fails if the item exists, `update` changes, `expire`
/// sets a new timeout, `delete` removes, and `clear` empties. In a ``SecretSlot``, which stands for one item, `get` and
/// `set` are called `load` and `save`.
///
/// The labels are consistent too: `get(item)` acts on the item itself, `set(secret, for: item)` stores something for
/// it, and `attributes(of: item)` looks at something that belongs to it. `as:` is a type, and `lasting:` is how long an
/// item (``Lifetime``) or a lease (`Duration`) lasts. You can ignore a result that only reports how a change went.
///
/// Any number of threads and tasks can share a store, and any number of processes can use the same namespace at the
/// same time. Every change becomes visible in one step.
///
/// The calls are synchronous and take microseconds. For reads, this is always true. A write takes longer in two
/// cases. If the user's quota of keys and key bytes is full, the write waits about a second for the kernel to free some
/// of it. If the item is being updated, the write waits up to ten seconds for that update. In a task, use the forms
/// with `waiting:`, which suspend the task and block no thread.
///
/// The first `update` in a namespace sets its *update flag*, a hidden key. So does the first fetch, `invalidate`, write
/// whose lifetime has `refreshAfter` or `usableFor`, or `add` over an expired item. From then on, every write
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

    /// The hook that encrypts what is stored.
    package let sealing: SecretSealing?

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
    ///   - sealing: a hook that encrypts what is stored; `nil` to store secrets as they are.
    /// - Throws: ``SecretStoreError`` with `invalidName`, `notFound` if an explicit keyring does not exist,
    ///   `quotaExceeded` if the scope's keyring must be created and there isn't room for it, `contended` if the process
    ///   can't start a thread, or `unavailable` if the kernel has no persistent keyrings.
    public convenience init(
        _ scope: SecretScope = .session,
        namespace: String = "default",
        codec: any SecretCodec = JSONSecretCodec(),
        sealing: SecretSealing? = nil
    ) throws(SecretStoreError) {
        self.init(backend: try KernelBackend(scope: scope, namespace: namespace), codec: codec, sealing: sealing)
    }

    /// Creates a store with any backend.
    package init(
        backend: any SecretBackend, codec: any SecretCodec = JSONSecretCodec(), sealing: SecretSealing? = nil
    ) {
        (self.backend, self.codec, self.sealing) = (backend, codec, sealing)
    }
}

extension SecretStore {
    /// Lends an item's bytes to `body`, without a copy that outlives the call.
    ///
    /// ```swift
    /// let secret = try store.withBytes(of: item) { SecretBytes(copying: $0) }
    /// ```
    ///
    /// - Returns: the result of `body`, or `nil` if the item does not exist.
    /// - Throws: the error of `body`; ``SecretStoreError``. An item that is absent or expired is not an error.
    @inlinable
    public func withBytes<Result: ~Copyable, Failure: Error>(
        of item: ItemIdentity,
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws -> Result? {
        var result: Result?
        var failure: Failure?
        let isThere = try read(item) { bytes in
            do throws(Failure) {
                result = try body(bytes)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return isThere ? result : nil
    }

    /// Lends an item's bytes to a closure that can't throw.
    @inlinable
    package func lending<Result: ~Copyable>(
        _ item: ItemIdentity,
        _ body: (RawSpan) -> Result
    ) throws(SecretStoreError) -> Result? {
        var result: Result?
        guard try read(item, { bytes in result = body(bytes) }) else { return nil }
        return result
    }

    /// Reads an item's bytes; `nil` if the item does not exist.
    package func bytes(of item: ItemIdentity) throws(SecretStoreError) -> SecretBytes? {
        try lending(item) { SecretBytes(copying: $0) }
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

    /// Stores bytes, replacing any existing item and its lifetime.
    ///
    /// If the lifetime has `refreshAfter` or `usableFor`, fetches treat the value like one that they have stored. The
    /// store keeps these times in a hidden key next to the item, and takes the item's lease, so the call can wait as
    /// `update` does. If the quota has no room for that key, the value is stored without these times.
    ///
    /// - Parameters:
    ///   - secret: up to 32,767 bytes (32,766 if all of them are NUL).
    ///   - item: the item to store.
    ///   - lifetime: how long it lasts, counted from now.
    /// - Throws: ``SecretStoreError`` with `tooLarge` or `invalidTimeout`; the existing item is then unchanged.
    public func set(
        _ secret: borrowing SecretBytes, for item: ItemIdentity, lasting lifetime: Lifetime = .scope
    ) throws(SecretStoreError) {
        try write(secret, of: item, try setting(item, lasting: lifetime))
    }

    /// Stores a value, replacing any existing item and its lifetime.
    ///
    /// A `String`, `Data` or `[UInt8]` is stored as it is. The store's codec encodes every other type.
    ///
    /// - Parameters:
    ///   - value: the value to store.
    ///   - item: the item to store.
    ///   - lifetime: how long it lasts, counted from now.
    /// - Throws: ``SecretStoreError`` with `unencodable`, `tooLarge` or `invalidTimeout`; the existing item is
    ///   then unchanged.
    public func set<Value: Encodable>(
        _ value: Value, for item: ItemIdentity, lasting lifetime: Lifetime = .scope
    ) throws(SecretStoreError) {
        try set(try encoded(value, for: item), for: item, lasting: lifetime)
    }

    /// Stores bytes, unless the item exists and has not expired.
    ///
    /// If many processes try this at the same time, one of them succeeds.
    ///
    /// - Throws: ``SecretStoreError`` with `duplicate` if the item exists; otherwise
    ///   as ``set(_:for:lasting:)-(SecretBytes,_,_)``, which documents the parameters.
    public func add(
        _ secret: borrowing SecretBytes, for item: ItemIdentity, lasting lifetime: Lifetime = .scope
    ) throws(SecretStoreError) {
        try write(secret, of: item, try setting(item, lasting: lifetime, isAddition: true))
    }

    /// Stores a value unless a live item exists.
    ///
    /// If many processes try this at the same time, one of them succeeds.
    ///
    /// - Throws: ``SecretStoreError`` with `duplicate` if the item exists; otherwise
    ///   as ``set(_:for:lasting:)-(Value,_,_)``, which documents the parameters.
    public func add<Value: Encodable>(
        _ value: Value, for item: ItemIdentity, lasting lifetime: Lifetime = .scope
    ) throws(SecretStoreError) {
        try add(try encoded(value, for: item), for: item, lasting: lifetime)
    }

    private func write(
        _ secret: borrowing SecretBytes, of item: ItemIdentity, _ operation: SetOperation
    ) throws(SecretStoreError) {
        guard let sealing else { return try write(secret, operation) }
        try write(try sealing.sealed(secret, of: item), operation)
    }

    private func write(_ bytes: borrowing SecretBytes, _ operation: SetOperation) throws(SecretStoreError) {
        var operation = operation
        var wait = Wait()
        try bytes.withBytes { bytes throws(SecretStoreError) in
            try wait.run { effort throws(SecretStoreError) in try operation.attempt(bytes, effort) }
        }
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

    /// Sets or removes the timeout of an existing item.
    ///
    /// It doesn't change when the value is refreshed. The corresponding C function is `keyctl_set_timeout(3)`.
    ///
    /// - Parameters:
    ///   - item: which item.
    ///   - timeout: the longest time that the kernel keeps the item, counted from now and rounded up to whole seconds.
    ///     **With `nil`, the item never expires**: it lives as long as its scope.
    /// - Returns: false if the item does not exist.
    /// - Throws: ``SecretStoreError`` with `invalidTimeout`.
    @discardableResult
    public func expire(_ item: ItemIdentity, timeout: Duration?) throws(SecretStoreError) -> Bool {
        let keyTimeout = try writeTimeout(timeout, for: item)
        var wait = Wait.freeingQuota()
        return try wait.run { effort throws(SecretStoreError) in
            try backend.expire(item, timeout: keyTimeout?.left, effort)
        }
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
        guard let sealing else { return try backend.read(item, body) }
        var stored: SecretBytes?
        guard try backend.read(item, { stored = SecretBytes(copying: $0) }), let stored else { return false }
        let secret = try stored.withBytes { stored throws(SecretStoreError) in try sealing.opened(stored, of: item) }
        secret.withBytes(body)
        return true
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
        let coding = coding.sealed(by: sealing, of: item)
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
        _ = try read(item) { bytes in
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
