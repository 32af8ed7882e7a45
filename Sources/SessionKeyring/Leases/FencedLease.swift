import Keyutils

/// The right to change an item, taken so that whoever outlives it changes nothing.
struct FencedLease: ~Copyable {
    private let fence: WriteFence
    private let lease: ExactLease

    init(lease: consuming ExactLease, fence: consuming WriteFence) {
        self.fence = fence
        self.lease = lease
    }

    /// Whether the lease is surely still ours.
    var isHeld: Bool { lease.isHeld }

    /// Moves a staged key to its place; false, with nothing changed and the key discarded, if the lease was lost.
    func publish(_ key: Key, in ring: Keyring) throws(KeyringError) -> Bool {
        try fence.pass(key, to: ring) { lease.isHeld }
    }

    /// Removes a key from its place; false, with nothing changed, if the lease was lost.
    ///
    /// - Throws: ``KeyringError`` with `notLinked` where no key of that name is there.
    func remove(_ key: Key, from ring: Keyring) throws(KeyringError) -> Bool {
        try fence.remove(key, from: ring) { lease.isHeld }
    }
}
