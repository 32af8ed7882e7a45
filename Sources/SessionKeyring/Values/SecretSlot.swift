import Keyutils

/// One item that holds values of one type.
public struct SecretSlot<Secret: Sendable>: SecretLoader, SecretSaver {
    /// The store behind it.
    package let store: SecretStore
    /// The item that it stands for.
    package let item: ItemIdentity
    /// The timeout of what is saved, unless another is given; `nil` for the session's length.
    package let timeout: Duration?

    let encode: @Sendable (Secret) throws -> SecretBytes
    let decode: @Sendable (RawSpan) throws -> Secret

    init(
        store: SecretStore,
        item: ItemIdentity,
        timeout: Duration?,
        encode: @escaping @Sendable (Secret) throws -> SecretBytes,
        decode: @escaping @Sendable (RawSpan) throws -> Secret
    ) {
        self.store = store
        self.item = item
        self.timeout = timeout
        self.encode = encode
        self.decode = decode
    }

    /// Loads the value.
    ///
    /// - Throws: ``SecretStoreError`` with `notFound` where there is none, or `undecodable`.
    public func load() throws(SecretStoreError) -> Secret {
        guard let secret = try loadIfPresent() else { throw SecretStoreError(.notFound, item: item) }
        return secret
    }

    /// Loads the value; `nil` where there is none.
    ///
    /// - Throws: ``SecretStoreError`` with `undecodable`.
    public func loadIfPresent() throws(SecretStoreError) -> Secret? {
        try store.decoding(item, with: decode)
    }

    /// Saves the value with the slot's timeout, replacing any existing one.
    ///
    /// - Throws: ``SecretStoreError`` as ``save(_:timeout:refreshAfter:usableFor:)``.
    public func save(_ secret: Secret) throws(SecretStoreError) {
        try store.set(try bytes(of: secret), for: item, timeout: timeout)
    }

    /// Saves the value, replacing any existing one.
    ///
    /// - Parameters:
    ///   - secret: what to save.
    ///   - timeout: when the kernel drops it; `nil` for the slot's timeout.
    ///   - refreshAfter: after how long `value` fetches it again; more than nothing, and less than the timeout and `usableFor`.
    ///   - usableFor: for how long others get it while it is fetched again; `nil` for as long as it exists.
    /// - Throws: ``SecretStoreError`` with `unencodable`, or as
    ///   ``SecretStore/set(_:for:timeout:refreshAfter:usableFor:)-(SecretBytes,_,_,_,_)``.
    public func save(
        _ secret: Secret, timeout: Duration? = nil, refreshAfter: Duration? = nil, usableFor: Duration? = nil
    ) throws(SecretStoreError) {
        try store.set(
            try bytes(of: secret), for: item, timeout: timeout ?? self.timeout, refreshAfter: refreshAfter,
            usableFor: usableFor)
    }

    /// Saves the value only if there is none; if many processes try it at the same time, one succeeds.
    ///
    /// - Parameters:
    ///   - secret: what to save.
    ///   - timeout: when the kernel drops it; `nil` for the slot's timeout.
    /// - Throws: ``SecretStoreError`` with `unencodable`, or as
    ///   ``SecretStore/add(_:for:timeout:refreshAfter:usableFor:)-(SecretBytes,_,_,_,_)``.
    public func add(_ secret: Secret, timeout: Duration? = nil) throws(SecretStoreError) {
        try store.add(try bytes(of: secret), for: item, timeout: timeout ?? self.timeout)
    }

    func bytes(of secret: Secret) throws(SecretStoreError) -> SecretBytes {
        let encode = encode
        return try store.encoding(item) { try encode(secret) }
    }

    /// Whether there is a value.
    ///
    /// - Throws: ``SecretStoreError``.
    public func contains() throws(SecretStoreError) -> Bool {
        try store.contains(item)
    }

    /// What is known of the item, with the time that it has left as the kernel tells it; `nil` where there is no value.
    ///
    /// - Throws: ``SecretStoreError``.
    public func attributes() throws(SecretStoreError) -> ItemAttributes? {
        try store.attributes(of: item)
    }

    /// Gives the value that is there a new timeout, counted from now; false where there is none.
    ///
    /// - Throws: ``SecretStoreError`` with `invalidTimeout`.
    @discardableResult
    public func expire(timeout: Duration) throws(SecretStoreError) -> Bool {
        try store.expire(item, timeout: timeout)
    }

    /// Saves a value made of the current one, as one step to everybody else.
    ///
    /// - Parameters:
    ///   - timeout: the timeout of the new value; `nil` for the slot's.
    ///   - duration: how long the update may take; up to one hour.
    ///   - limit: how long to wait for others.
    ///   - change: gets `nil` if there is no value; if it returns `nil`, the value is deleted.
    /// - Throws: as ``SecretStore/blockingUpdate(_:as:timeout:lasting:waiting:_:)``, whose guarantees hold here too.
    @available(*, noasync, message: "keeps the thread; 'await' 'update'")
    @discardableResult
    public func blockingUpdate(
        timeout: Duration? = nil, lasting duration: Duration = .seconds(2), waiting limit: Duration = .seconds(10),
        _ change: (Secret?) throws -> Secret?
    ) throws -> Secret? {
        try store.blockingUpdate(
            item, coding, timeout: timeout ?? self.timeout, lasting: duration, waiting: limit, change)
    }

    var coding: ValueCoding<Secret> { ValueCoding(encode: encode, decode: decode) }

    /// Deletes the value; false where there was none.
    ///
    /// - Throws: ``SecretStoreError``.
    @discardableResult
    public func delete() throws(SecretStoreError) -> Bool {
        try store.delete(item)
    }
}
