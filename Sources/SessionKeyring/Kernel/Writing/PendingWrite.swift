import Keyutils

/// A value that is about to be stored, without the payload itself.
struct PendingWrite {
    let item: ItemIdentity
    let type: KeyType
    let timeout: KeyTimeout?

    init(item: ItemIdentity, type: KeyType, timeout: KeyTimeout?) {
        (self.item, self.type, self.timeout) = (item, type, timeout)
    }

    /// Chooses the key type for these bytes, whose payload may be one byte longer.
    ///
    /// - Throws: ``SecretStoreError`` with `tooLarge`.
    init(
        of bytes: RawSpan, as payload: RawSpan, for item: ItemIdentity, timeout: KeyTimeout?
    ) throws(SecretStoreError) {
        let size = payload.byteCount
        if size <= Key.largestUserPayload {
            self.init(item: item, type: .user, timeout: timeout)
        } else if ItemTypes.haveBigKeys, size <= Key.largestBigPayload {
            self.init(item: item, type: .bigKey, timeout: timeout)
        } else {
            let limit = ItemTypes.haveBigKeys ? Key.largestBigPayload : Key.largestUserPayload
            throw SecretStoreError(
                .tooLarge(size: bytes.byteCount, limit: limit - (size - bytes.byteCount)), item: item)
        }
    }

    /// The other type of key that an item may have.
    var otherType: KeyType { type == .user ? .bigKey : .user }
}
