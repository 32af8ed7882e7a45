import Keyutils

/// One item that holds values of one type.
public struct SecretSlot<Secret: Sendable>: SecretLoader, SecretSaver {
    /// The store that keeps the item.
    package let store: SecretStore
    /// The item that holds the value.
    package let item: ItemIdentity
    /// The timeout of saved values, unless a call gives another one; `nil` for as long as the scope exists.
    package let timeout: Duration?

    let encode: @Sendable (Secret) throws -> SecretBytes
    let decode: @Sendable (RawSpan) throws -> Secret

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
    ///   - secret: the value to save.
    ///   - timeout: the longest time that the kernel keeps the value; `nil` for the slot's timeout.
    ///   - refreshAfter: after how long `value` fetches it again; more than zero, and less than the timeout
    ///     and `usableFor`.
    ///   - usableFor: how long callers still get the value while another caller fetches a new one; `nil` for as long as
    ///     the value exists.
    /// - Throws: ``SecretStoreError`` with `unencodable`, or as
    ///   ``SecretStore/set(_:for:timeout:refreshAfter:usableFor:)-(SecretBytes,_,_,_,_)``.
    public func save(
        _ secret: Secret, timeout: Duration? = nil, refreshAfter: Duration? = nil, usableFor: Duration? = nil
    ) throws(SecretStoreError) {
        try store.set(
            try bytes(of: secret), for: item, timeout: timeout ?? self.timeout, refreshAfter: refreshAfter,
            usableFor: usableFor)
    }

    /// Saves the value unless one exists.
    ///
    /// If many processes try this at the same time, one of them succeeds.
    ///
    /// - Parameters:
    ///   - secret: the value to save.
    ///   - timeout: the longest time that the kernel keeps the value; `nil` for the slot's timeout.
    /// - Throws: ``SecretStoreError`` with `unencodable`, or as
    ///   ``SecretStore/add(_:for:timeout:refreshAfter:usableFor:)-(SecretBytes,_,_,_,_)``.
    public func add(_ secret: Secret, timeout: Duration? = nil) throws(SecretStoreError) {
        try store.add(try bytes(of: secret), for: item, timeout: timeout ?? self.timeout)
    }

    func bytes(of secret: Secret) throws(SecretStoreError) -> SecretBytes {
        let encode = encode
        return try store.encoding(item) { try encode(secret) }
    }

    /// Whether a value exists.
    ///
    /// - Throws: ``SecretStoreError``.
    public func contains() throws(SecretStoreError) -> Bool {
        try store.contains(item)
    }

    /// Reads the item's attributes, including the time left as the kernel reports it.
    ///
    /// - Returns: the attributes, or `nil` if the value does not exist.
    /// - Throws: ``SecretStoreError``.
    public func attributes() throws(SecretStoreError) -> ItemAttributes? {
        try store.attributes(of: item)
    }

    /// Sets a new timeout for the existing value, counted from now.
    ///
    /// - Returns: false if the value does not exist.
    /// - Throws: ``SecretStoreError`` with `invalidTimeout`.
    @discardableResult
    public func expire(timeout: Duration) throws(SecretStoreError) -> Bool {
        try store.expire(item, timeout: timeout)
    }

    /// Replaces the value with one made from the current value, as one step to all other writers.
    ///
    /// - Parameters:
    ///   - timeout: the timeout of the new value; `nil` for the slot's timeout.
    ///   - duration: how long the update can take, at most one hour.
    ///   - limit: how long to wait for other writers.
    ///   - change: makes the new value from the current one, which is `nil` if it does not exist. Return `nil` to
    ///     delete the value.
    /// - Throws: as ``SecretStore/blockingUpdate(_:as:timeout:lasting:waiting:_:)``, which has the same guarantees.
    @available(*, noasync, message: "blocks the thread; use 'await update'")
    @discardableResult
    public func blockingUpdate(
        timeout: Duration? = nil, lasting duration: Duration = .seconds(2), waiting limit: Duration = .seconds(10),
        _ change: (Secret?) throws -> Secret?
    ) throws -> Secret? {
        try store.blockingUpdate(
            item, coding, timeout: timeout ?? self.timeout, lasting: duration, waiting: limit, change)
    }

    var coding: ValueCoding<Secret> { ValueCoding(encode: encode, decode: decode) }

    /// Deletes the value.
    ///
    /// - Returns: false if the value did not exist.
    /// - Throws: ``SecretStoreError``.
    @discardableResult
    public func delete() throws(SecretStoreError) -> Bool {
        try store.delete(item)
    }
}
