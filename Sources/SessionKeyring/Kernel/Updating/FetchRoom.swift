import Keyutils

/// Room for the result of a fetch: the keys that storing it takes, staged before the fetch begins.
///
/// A fetch may use up what the next one needs, such as a refresh token that works once. So it must not find out at the
/// end that the quota is full. The kernel frees quota late, so keys that are deleted at the end would not help. Instead,
/// the staged keys themselves become the item, its facts and the lease under which it is stored: `add_key(2)` replaces
/// the payload of a key with that name in that keyring, which changes the used bytes immediately. The few bytes that
/// links take are freed just before, by making the lease's record smaller. (If another process takes exactly those bytes
/// in the meantime, the store waits for quota as usual.)
///
/// The keys are in the keyring of one thread, where nobody else finds them by their names (``StagingThread``). The value
/// is staged again on that thread, in the usual way.
struct FetchRoom {
    /// How much larger than the old value a new one can be, in bytes.
    static let growth = 1_024

    private let value: Key
    private let companion: Key
    /// The lease of the item.
    let lease: StagedLease

    /// Stages the keys for a value of up to this size, in bytes.
    init(for item: ItemIdentity, size: Int, of backend: KernelBackend) throws(KeyringError) {
        let largest = ItemFacts(freshness: .until(.max), usability: .until(.max))
        value = try Self.stage(item, bytes: min(max(size, 1), Key.largestUserPayload), of: backend)
        (companion, lease) = try Staging.discardIfFailing(value) { () throws(KeyringError) in
            let companion = try Self.stage(
                item.companion, bytes: largest.record(of: item, key: 0, hash: 0).count, of: backend)
            let lease = try Staging.discardIfFailing(companion) { () throws(KeyringError) in
                let name = backend.itemLeases.name(for: item.keyDescription)
                return try StagedLease(name, withBallast: backend.rings.permissions)
            }
            return (companion, lease)
        }
    }

    /// Gives up the room, so that the value is stored like any other.
    func discard() {
        for key in [value, companion, Key(lease.ring)] { Staging.discard(key) }
    }

    private static func stage(
        _ item: ItemIdentity, bytes count: Int, of backend: KernelBackend
    ) throws(KeyringError) -> Key {
        let zeros = [UInt8](repeating: 0, count: count)
        return try unsafe Staging.stage(
            item.keyDescription, payload: zeros.span.bytes, permissions: backend.rings.permissions, timeout: nil)
    }
}
