extension SecretStore {
    /// Stores the value of an optional; unwrap the optional before the call instead.
    ///
    /// `nil` can't be stored, and this form finds that out only at run time.
    ///
    /// - Throws: ``SecretStoreError`` with `unencodable` for `nil`, or as
    ///   ``set(_:for:timeout:refreshAfter:usableFor:)-(Value,_,_,_,_)``.
    @available(*, deprecated, message: "unwrap the optional: nil can't be stored")
    public func set<Value: Encodable>(
        _ value: Value?,
        for item: ItemIdentity,
        timeout: Duration? = nil,
        refreshAfter: Duration? = nil,
        usableFor: Duration? = nil
    ) throws(SecretStoreError) {
        guard let value else { throw SecretStoreError(.missingValue, item: item) }
        try set(value, for: item, timeout: timeout, refreshAfter: refreshAfter, usableFor: usableFor)
    }

    /// Stores the value of an optional unless a live item exists; unwrap the optional before the call instead.
    ///
    /// `nil` can't be stored, and this form finds that out only at run time.
    ///
    /// - Throws: ``SecretStoreError`` with `unencodable` for `nil`, or as
    ///   ``add(_:for:timeout:refreshAfter:usableFor:)-(Value,_,_,_,_)``.
    @available(*, deprecated, message: "unwrap the optional: nil can't be stored")
    public func add<Value: Encodable>(
        _ value: Value?,
        for item: ItemIdentity,
        timeout: Duration? = nil,
        refreshAfter: Duration? = nil,
        usableFor: Duration? = nil
    ) throws(SecretStoreError) {
        guard let value else { throw SecretStoreError(.missingValue, item: item) }
        try add(value, for: item, timeout: timeout, refreshAfter: refreshAfter, usableFor: usableFor)
    }
}
