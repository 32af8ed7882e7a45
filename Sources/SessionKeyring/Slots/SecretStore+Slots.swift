extension SecretStore {
    /// Creates a typed slot: one item that holds values of one `Codable` type.
    ///
    /// - Parameters:
    ///   - item: the slot's item.
    ///   - type: the type of its values.
    ///   - timeout: the timeout of saved values, unless a call gives another one.
    public func slot<Value: Codable & Sendable>(
        for item: ItemIdentity,
        as type: Value.Type = Value.self,
        timeout: Duration? = nil
    ) -> SecretSlot<Value> {
        let codec = codec
        return SecretSlot(
            store: self,
            item: item,
            timeout: timeout,
            encode: { value in try RawCoding.encode(value, else: codec) },
            decode: { bytes in try RawCoding.decode(type, from: bytes, else: codec) }
        )
    }

    /// Creates a typed slot for a domain type that is not `Codable` itself, stored through its mirror.
    ///
    /// - Parameters:
    ///   - item: the slot's item.
    ///   - mirror: the type that is encoded.
    ///   - timeout: the timeout of saved values, unless a call gives another one.
    public func slot<Mirror: SecretMirror>(
        for item: ItemIdentity,
        through mirror: Mirror.Type,
        timeout: Duration? = nil
    ) -> SecretSlot<Mirror.Model> where Mirror.Model: Sendable {
        let codec = codec
        return SecretSlot(
            store: self,
            item: item,
            timeout: timeout,
            encode: { model in try codec.encode(Mirror(mirroring: model)) },
            decode: { bytes in try codec.decode(Mirror.self, from: bytes).restore() }
        )
    }
}

extension SecretStore {
    /// Creates a typed slot: one item that holds a cryptographic key.
    ///
    /// - Parameters:
    ///   - item: the slot's item.
    ///   - type: the type of the key.
    ///   - timeout: the timeout of saved keys, unless a call gives another one.
    @_disfavoredOverload
    public func slot<Key: RawRepresentableKey & Sendable>(
        for item: ItemIdentity,
        as type: Key.Type = Key.self,
        timeout: Duration? = nil
    ) -> SecretSlot<Key> {
        SecretSlot(
            store: self, item: item, timeout: timeout, encode: { key in key.secretBytes },
            decode: { bytes in try Key(decoding: bytes) })
    }
}
