import Keyutils

/// Freeing quota, by removing the store's own empty rings and expired items.
///
/// Without this, the kernel would count expired items in the quota for another five minutes.
extension KernelBackend {
    /// Throws `tooLarge` if the quota has no room for the secret even when everything else is deleted.
    func checkQuotaCouldHold(_ pending: borrowing PendingWrite) throws(SecretStoreError) {
        guard let quota = try? KeyQuota.current() else { return }
        // Besides the payload, the quota must hold these names with their NULs, and a link of 4 bytes to each key.
        let names = [pending.item.keyDescription, rings.itemsName, NamespaceRings.leasesName]
        try pending.checkSize(upTo: quota.maximumBytes - names.reduce(0) { $0 + $1.utf8.count + 5 })
    }

    /// Frees quota; true if there may be more room now.
    ///
    /// - Throws: ``SecretStoreError`` with `contended` if the attempt is blocked.
    func makeRoom(_ effort: Effort) throws(SecretStoreError) -> Bool {
        let endedLeases = try itemLeases.sweep()
        let emptyRings = try rings.removeEmptyRings(effort)
        let expired = try reapExpired()
        return endedLeases + emptyRings + expired > 0
    }

    /// Removes the namespace's expired items, and returns how many it removed.
    private func reapExpired() throws(SecretStoreError) -> Int {
        // Only `/proc/keys` shows the names of dead keys.
        guard let ring = try rings.findItems(), let leaseRing = try rings.findLeasesRing(),
            let table = try? KeyTable.snapshot()
        else { return 0 }
        var reaper = Reaper(leases: itemLeases, items: ring, leaseRing: leaseRing)
        let blockage = try inStoreTerms { () throws(KeyringError) -> Blockage? in
            let dead = try ring.members().compactMap { serial in
                table[serial].flatMap { $0.expiry == .expired && $0.type == "user" ? (Key(serial), $0) : nil }
            }
            // Only processes that have raised the flag are allowed to remove what they saw.
            if !dead.isEmpty, let blockage = try raiseUpdateFlagIfAffordable(in: leaseRing) { return blockage }
            for (key, entry) in dead { try reaper.reap(key, named: entry.keyDescription) }
            return nil
        }
        if let blockage { throw SecretStoreError(.blocked(blockage)) }
        return reaper.count
    }

    /// Raises the update flag, if the quota has room for it.
    private func raiseUpdateFlagIfAffordable(in ring: Keyring) throws(KeyringError) -> Blockage? {
        do throws(KeyringError) {
            return try rings.raiseUpdateFlag(in: ring)
        } catch {
            guard error.code == .quotaExceeded else { throw error }
            return nil
        }
    }
}

/// Removes dead keys, each under the lease of its name.
///
/// Removing a key because it was seen dead must not remove a successor. So the reaper makes another key of the same
/// name, and asks the kernel to move that one from the items' ring into the lease. The move acts by name: it
/// removes the dead key from the items' ring. It fails once another process has taken over the lease.
private struct Reaper {
    let leases: ItemLeases
    let items: Keyring
    let leaseRing: Keyring
    private(set) var count = 0
    /// How many more dead keys can be unlinked without a lease, to make room for a lease.
    ///
    /// This is used if the quota does not even have room for a lease. Others then have no room for a lease or for a new
    /// key either. Only a key that is already staged, and that is placed in the microsecond between look and unlink,
    /// would be lost.
    var unleasedLeft = 4

    mutating func reap(_ key: Key, named name: String) throws(KeyringError) {
        // A companion is written under its item's lease. A hash in its name doesn't say which item's.
        let isCompanion = name.hasPrefix(ItemFacts.word)
        let leased = isCompanion ? String(Substring(name.utf8.dropFirst(ItemFacts.word.utf8.count))) : name
        guard !isCompanion || !leased.hasPrefix("#") else { return }
        do throws(KeyringError) {
            if try reap(name, underLeaseOf: leased) { count += 1 }
        } catch {
            switch error.code {
            case .quotaExceeded where unleasedLeft > 0:
                guard try !leases.isHeld(leased, in: leaseRing) else { return }
                unleasedLeft -= 1
                if try items.links(key), try isDead(name) {
                    try items.unlink(key)
                    count += 1
                }
            // Another process is working on this name, or the quota has no room for a lease.
            case .quotaExceeded, .notLinked, .notFound: return
            default: throw error
            }
        }
    }

    private func reap(_ name: String, underLeaseOf leased: String) throws(KeyringError) -> Bool {
        // Without the flag, other writers take no leases. Treat the name as if the quota had no room for one.
        guard try leases.rings.haveUpdateFlag(in: leaseRing) else { throw KeyringError(.quotaExceeded, in: .add) }
        // A separate attempt: if another process is working on this name, that must not block the write that
        // needs room.
        guard case .done(let lease) = try leases.acquire(for: leased, in: leaseRing, Effort()) else { return false }
        let one: InlineArray<1, UInt8> = [0]
        let namesake = try unsafe Keyring.thread.add(.user, name, payload: one.span.bytes)
        defer { Staging.discard(namesake) }
        return try isDead(name) ? lease.remove(namesake, from: items) : false
    }

    private func isDead(_ name: String) throws(KeyringError) -> Bool {
        do throws(KeyringError) {
            _ = try items.find(.user, name)
            return false
        } catch {
            return error.code == .expired
        }
    }
}

extension KeyTable.Entry {
    /// The description without the `: ` and the payload's size that follow it in `/proc/keys`.
    fileprivate var keyDescription: String {
        guard let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")) else { return text }
        return String(text[..<colon])
    }
}
