extension SecretStore {
    /// Stores the value of an optional, which is better unwrapped before: that `nil` is no secret shows at run time only.
    ///
    /// - Throws: ``SecretStoreError`` with `unencodable` for `nil`, or as ``set(_:for:timeout:refreshAfter:usableFor:)-(Value,_,_,_,_)``.
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

    /// Stores the value of an optional if no live item is there; the optional is better unwrapped before.
    ///
    /// - Throws: ``SecretStoreError`` with `unencodable` for `nil`, or as ``add(_:for:timeout:refreshAfter:usableFor:)-(Value,_,_,_,_)``.
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
