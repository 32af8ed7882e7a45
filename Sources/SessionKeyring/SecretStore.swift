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
/// One verb a concept: `get` reads, `set` replaces, `add` refuses what is there, `update` changes, `expire` gives a new
/// timeout, `delete` removes, `clear` empties; a slot has `load` and `save` for the first two. An item has no label where it
/// is the verb's object, `for:` where something is stored for it, `of:` where something that it has is looked at. `as:` is a
/// type, `timeout:` how long the kernel keeps it. What only tells how a change went may be dropped by the caller.
///
/// A store may be shared by any number of threads and tasks, and any number of processes may use the same namespace at
/// once. Every change becomes visible in one step.
///
/// The calls are synchronous and take microseconds, reads always. A write may take longer in two cases: if the quota is full,
/// it waits for the kernel to free quota, for about a second; if its item is being updated, it waits for the holder of the
/// item, for ten seconds at most. The first `update` of a namespace, a fetch by `value(for:)`, or an `add` over an expired item
/// makes the namespace's writers use leases from then on: each plain write then takes the item's lease, and takes about three
/// times as long. In a task, the forms with `waiting:` suspend the task and block no thread.
///
/// What any call may throw stands at ``SecretStoreError/Code-swift.enum``; a method names what it throws besides.
public final class SecretStore: Sendable {
    /// The namespace of a store without an explicit one.
    package static let defaultNamespace = "default"

    /// How values other than strings and bytes are encoded.
    package let codec: any SecretCodec

    /// Where the items are; wrap it in a backend of your own to see or change what is done to them.
    public let backend: any SecretBackend

    /// A store in the kernel keyring.
    ///
    /// Resolves the scope in the calling thread, and makes nothing until something is stored.
    ///
    /// > Important: Where there is no session keyring, a look into the session scope leaves the user's stand-in for one in the
    /// > calling thread's credentials, and with it all that is stored there, through `setuid`, `fork` and `exec`. A program
    /// > that drops privileges, or starts one that does, makes its store afterwards or in a thread of its own.
    ///
    /// - Parameters:
    ///   - scope: whose secrets they are.
    ///   - namespace: whose items; give each application its own. Any text of up to some 250 bytes.
    ///   - codec: how values other than strings and bytes are encoded.
    /// - Throws: ``SecretStoreError`` with `invalidName`, `notFound` for an explicit keyring that is not there, `quotaExceeded`
    ///   where the scope's keyring has to be made, or `unsupported` where the kernel has no persistent keyrings.
    public convenience init(
        _ scope: SecretScope = .session,
        namespace: String = "default",
        codec: any SecretCodec = JSONSecretCodec()
    ) throws(SecretStoreError) {
        self.init(backend: try KernelBackend(scope: scope, namespace: namespace), codec: codec)
    }

    /// A store on a backend of your choice, such as the in-memory one for tests.
    public init(backend: any SecretBackend, codec: any SecretCodec = JSONSecretCodec()) {
        self.backend = backend
        self.codec = codec
    }
}

extension SecretStore {
    /// Lends an item's bytes to `body` without a copy that outlives the call; `nil` if there is no such item.
    ///
    /// - Throws: ``SecretStoreError``. An item that is absent or expired is not an error.
    @inlinable
    public func withBytes<Result: ~Copyable>(
        of item: ItemIdentity,
        _ body: (RawSpan) -> Result
    ) throws(SecretStoreError) -> Result? {
        var result: Result?
        try check(item)
        guard try backend.read(item, { bytes in result = body(bytes) }) else { return nil }
        return result
    }

    /// Lends an item's bytes to a closure that may throw; `nil` if there is no such item.
    ///
    /// - Throws: what `body` throws; ``SecretStoreError``. An item that is absent or expired is not an error.
    @inlinable
    public func withBytes<Value: ~Copyable, Failure: Error>(
        of item: ItemIdentity,
        _ body: (RawSpan) throws(Failure) -> Value
    ) throws -> Value? {
        var value: Value?
        var failure: Failure?
        try check(item)
        let isThere = try backend.read(item) { bytes in
            do throws(Failure) {
                value = try body(bytes)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return isThere ? value : nil
    }

    /// An item's bytes; `nil` where there is no such item.
    ///
    /// - Throws: ``SecretStoreError``. An item that is absent or expired is not an error.
    public func get(_ item: ItemIdentity) throws(SecretStoreError) -> SecretBytes? {
        try withBytes(of: item) { SecretBytes(copying: $0) }
    }

    /// An item's value; `nil` where there is no such item.
    ///
    /// A `String`, `Data` or `[UInt8]` is the secret itself; every other type is decoded by the codec of the store.
    ///
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
    /// With `refreshAfter` or `usableFor`, ``value(for:as:staleWhileRefreshing:fetchLasting:sharingFailuresFor:fetch:)`` treats
    /// the value as one that it fetched itself. That is a second step, which may wait as `update` does. If there is no room for
    /// it, the next caller fetches the item again.
    ///
    /// - Parameters:
    ///   - secret: up to 32,767 bytes (32,766 if all of them are NUL), or 1,048,575 if the kernel has `big_key`.
    ///   - item: which item.
    ///   - timeout: when the kernel drops it, rounded up to whole seconds and never outlived; `nil` for the scope's life.
    ///   - refreshAfter: after how long it is fetched again; more than nothing, and less than `timeout` and `usableFor`.
    ///   - usableFor: for how long others get it while it is fetched again; `nil` for as long as it exists.
    /// - Throws: ``SecretStoreError`` with `tooLarge`, or `invalidTimeout`; the existing item is then unchanged.
    public func set(
        _ secret: borrowing SecretBytes, for item: ItemIdentity, timeout: Duration? = nil,
        refreshAfter: Duration? = nil,
        usableFor: Duration? = nil
    ) throws(SecretStoreError) {
        let freshness = try freshness(secret, item, timeout, refreshAfter, usableFor)
        let keyTimeout = try writeTimeout(timeout, for: item)
        var wait = Wait()
        try secret.withBytes { bytes throws(SecretStoreError) in
            try wait.run { attempt throws(SecretStoreError) in
                try backend.set(bytes, for: item, timeout: keyTimeout, &attempt)
            }
        }
        if let freshness { try finish(freshness) }
    }

    /// Stores a value, replacing any existing item.
    ///
    /// A `String`, `Data` or `[UInt8]` is stored as it is; every other type is encoded by the codec of the store.
    ///
    /// - Parameters:
    ///   - value: what to store.
    ///   - item: which item.
    ///   - timeout: when the kernel drops it, rounded up to whole seconds and never outlived; `nil` for the scope's life.
    ///   - refreshAfter: after how long `value(for:)` fetches it again; more than nothing, and less than `timeout` and
    ///     `usableFor`.
    ///   - usableFor: for how long others get it while it is fetched again; `nil` for as long as it exists.
    /// - Throws: ``SecretStoreError`` with `unencodable`, `tooLarge`, or `invalidTimeout`; the
    ///   existing item is then unchanged.
    public func set<Value: Encodable>(
        _ value: Value, for item: ItemIdentity, timeout: Duration? = nil, refreshAfter: Duration? = nil,
        usableFor: Duration? = nil
    ) throws(SecretStoreError) {
        try set(
            try encoded(value, for: item), for: item, timeout: timeout, refreshAfter: refreshAfter,
            usableFor: usableFor)
    }

    /// Stores bytes only if there is no live item; if many processes try it at the same time, one succeeds.
    ///
    /// - Throws: ``SecretStoreError`` with `duplicate` if there is one, or as
    ///   ``set(_:for:timeout:refreshAfter:usableFor:)-(SecretBytes,_,_,_,_)``.
    public func add(
        _ secret: borrowing SecretBytes, for item: ItemIdentity, timeout: Duration? = nil,
        refreshAfter: Duration? = nil,
        usableFor: Duration? = nil
    ) throws(SecretStoreError) {
        let freshness = try freshness(secret, item, timeout, refreshAfter, usableFor)
        let keyTimeout = try writeTimeout(timeout, for: item)
        var wait = Wait()
        try secret.withBytes { bytes throws(SecretStoreError) in
            try wait.run { attempt throws(SecretStoreError) in
                try backend.add(bytes, for: item, timeout: keyTimeout, &attempt)
            }
        }
        if let freshness { try finish(freshness) }
    }

    /// Stores a value only if there is no live item; if many processes try it at the same time, one succeeds.
    ///
    /// - Throws: ``SecretStoreError`` with `duplicate` if there is one, or as
    ///   ``set(_:for:timeout:refreshAfter:usableFor:)-(Value,_,_,_,_)``.
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
    /// Whether a live item is there.
    ///
    /// - Throws: ``SecretStoreError``.
    public func contains(_ item: ItemIdentity) throws(SecretStoreError) -> Bool {
        try check(item)
        return try backend.contains(item)
    }

    /// Gives the item that is there a new timeout, counted from now; false where there is none.
    ///
    /// - Throws: ``SecretStoreError`` with `invalidTimeout`.
    @discardableResult
    public func expire(_ item: ItemIdentity, timeout: Duration) throws(SecretStoreError) -> Bool {
        try checkWrite(item)
        let keyTimeout = try Self.keyTimeout(timeout, item: item)
        var wait = Wait.freeingQuota()
        let isFound = try wait.run { attempt throws(SecretStoreError) in
            try backend.expire(item, timeout: keyTimeout, &attempt)
        }
        if isFound { try Wait.run(try stepsToExpireSentinels(of: item, timeout: timeout)) }
        return isFound
    }

    /// Takes the timeout of the item that is there away, so that it lives as long as its scope; false where there is none.
    ///
    /// - Throws: ``SecretStoreError`` with `unsupported` where the backend can't.
    ///
    /// The corresponding C function is `keyctl_set_timeout(3)` with 0.
    @discardableResult
    public func removeTimeout(of item: ItemIdentity) throws(SecretStoreError) -> Bool {
        try checkWrite(item)
        var wait = Wait.freeingQuota()
        let isFound = try wait.run { attempt throws(SecretStoreError) in
            try backend.expire(item, timeout: nil, &attempt)
        }
        if isFound { try Wait.run(stepsToKeepRefusals(of: item)) }
        return isFound
    }

    /// Deletes the item; false where there was none.
    ///
    /// - Throws: ``SecretStoreError``.
    @discardableResult
    public func delete(_ item: ItemIdentity) throws(SecretStoreError) -> Bool {
        try checkWrite(item)
        var wait = Wait.freeingQuota()
        return try wait.run { attempt throws(SecretStoreError) in try backend.delete(item, &attempt) }
    }

    /// Deletes all items of the namespace in one step, and waits for nobody.
    ///
    /// - Throws: ``SecretStoreError``.
    public func clear() throws(SecretStoreError) {
        try backend.clear()
    }

    /// Deletes the items of a service, server or tag, whatever their accounts, one after the other.
    ///
    /// - Returns: how many there were.
    /// - Throws: ``SecretStoreError``; some may be deleted then.
    @discardableResult
    public func clear(of kind: ItemIdentity.Kind, service: String) throws(SecretStoreError) -> Int {
        var count = 0
        for item in try identities(of: kind, service: service) where try delete(item) { count += 1 }
        return count
    }

    /// What is known of an item, with the time that it has left as the kernel tells it; `nil` where there is no such item.
    ///
    /// Never its secret.
    ///
    /// Reads `/proc/keys`, as ``items()`` does, so it takes some 200 microseconds: no part of a `get`.
    ///
    /// - Throws: ``SecretStoreError``.
    public func attributes(of item: ItemIdentity) throws(SecretStoreError) -> ItemAttributes? {
        try check(item)
        return try backend.attributes(of: item)
    }

    /// All live items with their attributes, in the order of their descriptions.
    ///
    /// Never a secret.
    ///
    /// Reads `/proc/keys`, where alone the kernel tells how much time is left; see ``identities()`` for less. On the way it
    /// removes the leases of dead processes. It leaves out keys of other programs, and items that can't be read.
    ///
    /// - Throws: ``SecretStoreError``.
    public func items() throws(SecretStoreError) -> [ItemAttributes] {
        try backend.attributes().sorted { $0.item.keyDescription < $1.item.keyDescription }
    }

    /// The keys among the items that can't be read, such as another user's; none with a backend other than the kernel's.
    package func unreadableKeys() throws(SecretStoreError) -> [KeySerial] {
        guard let kernel = backend as? KernelBackend else { return [] }
        return try kernel.unreadableKeys().sorted { $0.rawValue < $1.rawValue }
    }

    /// Which live items there are, in the order of their descriptions.
    ///
    /// - Throws: ``SecretStoreError``.
    public func identities() throws(SecretStoreError) -> [ItemIdentity] {
        try backend.identities().sorted { $0.keyDescription < $1.keyDescription }
    }
}

extension SecretStore {
    /// How long the value that is about to be stored is fresh and usable; `nil` if the caller states neither.
    func freshness(
        _ secret: borrowing SecretBytes, _ item: ItemIdentity, _ timeout: Duration?, _ refreshAfter: Duration?,
        _ usableFor: Duration?
    ) throws(SecretStoreError) -> Freshness? {
        guard refreshAfter != nil || usableFor != nil else { return nil }
        let lifetime = try Lifetime(timeout: timeout, refreshAfter: refreshAfter, usableFor: usableFor, of: item)
        return Freshness(of: secret, for: item, lifetime, in: self)
    }

    /// Checks a write; its timeout for the kernel.
    func writeTimeout(_ timeout: Duration?, for item: ItemIdentity) throws(SecretStoreError) -> KeyTimeout? {
        try checkWrite(item)
        guard let timeout else { return nil }
        return try Self.keyTimeout(timeout, item: item)
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
        // Not through `withBytes` and a `Result`: generic types of generic types are looked up at run time.
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

    /// What a `get` makes of these bytes.
    package static func decode<Value: Decodable>(
        _ type: Value.Type, from bytes: RawSpan, of item: ItemIdentity, by codec: any SecretCodec
    ) throws(SecretStoreError) -> Value {
        do {
            return try RawCoding.decode(type, from: bytes, else: codec)
        } catch {
            throw .undecodable(error, item: item)
        }
    }

    @usableFromInline
    func check(_ item: ItemIdentity) throws(SecretStoreError) {
        if let problem = item.problem { throw SecretStoreError(.invalidName(problem, of: .item), item: item) }
    }

    static func keyTimeout(_ timeout: Duration, item: ItemIdentity) throws(SecretStoreError) -> KeyTimeout {
        do throws(KeyringError) {
            return try KeyTimeout(timeout)
        } catch {
            throw SecretStoreError(.invalidTimeout, item: item)
        }
    }
}
