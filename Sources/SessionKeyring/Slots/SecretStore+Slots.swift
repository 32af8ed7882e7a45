extension SecretStore {
    /// Creates a typed slot: one item that holds values of one `Codable` type.
    ///
    /// - Parameters:
    ///   - item: the slot's item.
    ///   - type: the type of its values.
    ///   - lifetime: how long values last, unless a call gives another lifetime.
    public func slot<Value: Codable & Sendable>(
        for item: ItemIdentity, as type: Value.Type = Value.self, lasting lifetime: Lifetime = .scope
    ) -> SecretSlot<Value> {
        SecretSlot(item, in: self, lasting: lifetime) { self.coding(type) }
    }

    /// Creates a typed slot for a domain type that is not `Codable` itself, stored through its mirror.
    ///
    /// - Parameters:
    ///   - item: the slot's item.
    ///   - mirror: the type that is encoded.
    ///   - lifetime: how long values last, unless a call gives another lifetime.
    public func slot<Mirror: SecretMirror>(
        for item: ItemIdentity, through mirror: Mirror.Type, lasting lifetime: Lifetime = .scope
    ) -> SecretSlot<Mirror.Model> where Mirror.Model: Sendable {
        SecretSlot(item, in: self, lasting: lifetime) { [codec] in
            ValueCoding(
                encode: { model in try codec.encode(Mirror(mirroring: model)) },
                decode: { bytes in try codec.decode(Mirror.self, from: bytes).restore() })
        }
    }

    // The slot for values that are `Codable` also fits a key that is, and stores the raw bytes as well. So the compiler
    // prefers that one.
    /// Creates a typed slot: one item that holds a cryptographic key, as its raw bytes.
    ///
    /// - Parameters:
    ///   - item: the slot's item.
    ///   - type: the type of the key.
    ///   - lifetime: how long keys last, unless a call gives another lifetime.
    @_disfavoredOverload
    public func slot<Key: RawRepresentableKey & Sendable>(
        for item: ItemIdentity, as type: Key.Type = Key.self, lasting lifetime: Lifetime = .scope
    ) -> SecretSlot<Key> {
        SecretSlot(item, in: self, lasting: lifetime) {
            ValueCoding(encode: { key in key.secretBytes }, decode: { bytes in try Key(decoding: bytes) })
        }
    }
}
