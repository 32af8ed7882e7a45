import Keyutils

/// A value that is about to be stored, without the payload itself.
struct PendingWrite {
    let item: ItemIdentity
    let timeout: KeyTimeout?
    private let size: Int
    private let payloadSize: Int

    /// Checks the size of these bytes, whose payload may be one byte longer (``PayloadEncoding``).
    ///
    /// - Throws: ``SecretStoreError`` with `tooLarge`.
    init(
        of bytes: RawSpan, as payload: RawSpan, for item: ItemIdentity, timeout: KeyTimeout?
    ) throws(SecretStoreError) {
        (self.item, self.timeout, size, payloadSize) = (item, timeout, bytes.byteCount, payload.byteCount)
        try checkSize(upTo: Key.largestUserPayload)
    }

    /// Throws `tooLarge` if the payload has more bytes than this limit.
    func checkSize(upTo limit: Int) throws(SecretStoreError) {
        guard payloadSize > limit else { return }
        throw SecretStoreError(.tooLarge(size: size, limit: limit - (payloadSize - size)), item: item)
    }
}

/// The result of placing an item because of what was seen before, under its lease.
enum Placement {
    case placed(Key)
    /// The item is not what was seen: a `clear` takes no lease, and the seen value may have expired.
    case changed
    case leaseLost
}

/// The steps before and after an item is stored, shared by all ways of storing it.
extension KernelBackend {
    /// Stages the key of a pending write.
    ///
    /// When the key is moved, its bytes, permissions and timeout become visible at the same time, and the kernel
    /// displaces the old key atomically. A crash before the move leaves nothing.
    func stage(_ pending: PendingWrite, _ payload: RawSpan) throws(KeyringError) -> Key {
        try Staging.stage(
            pending.item.keyDescription, payload: payload, permissions: rings.scope.permissions,
            timeout: pending.timeout)
    }

    /// Removes the hidden items next to an item that is deleted.
    ///
    /// One is the sentinel of a fetch. Without it, a running fetch does not store its result, and the item stays
    /// deleted. The others state something about the deleted value.
    func dropSentinels(of item: ItemIdentity) throws(SecretStoreError) {
        guard !item.isSentinel, let ring = try rings.items() else { return }
        try inStoreTerms(item) { () throws(KeyringError) in
            try dropFetchSentinel(of: item, in: ring)
            for sentinel in item.sentinels { try drop(sentinel, in: ring) }
        }
    }

    func dropFetchSentinel(of item: ItemIdentity, in ring: Keyring) throws(KeyringError) {
        try drop(item.fetchSentinel, in: ring)
    }

    private func drop(_ sentinel: ItemIdentity, in ring: Keyring) throws(KeyringError) {
        do throws(KeyringError) {
            try ring.unlink(try ring.search(.user, sentinel.keyDescription))
        } catch {
            // There isn't one, or another process has removed it.
            guard error.isKeyGoneOrRefused || error.code == .notLinked else { throw error }
        }
    }
}
