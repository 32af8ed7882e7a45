import Glibc
import Keyutils

/// Quota that the store can give back: its own empty rings, and expired items that the kernel would charge for another five
/// minutes.
extension KernelBackend {
    /// Whether there may be more room now.
    ///
    /// - Throws: ``SecretStoreError`` with `contended` if the attempt is blocked.
    func makeRoom(_ attempt: inout BackendAttempt) throws(SecretStoreError) -> Bool {
        let emptyRings = try rings.removeEmptyRings(&attempt)
        let expired = try reapExpired(&attempt)
        return emptyRings + expired > 0
    }

    /// Removes the namespace's expired items, and returns how many there were.
    private func reapExpired(_ attempt: inout BackendAttempt) throws(SecretStoreError) -> Int {
        // Without /proc the names of dead keys are not to be had.
        guard let ring = try rings.findItems(), let leaseRing = try rings.findLeasesRing(),
            let table = try? KeyTable.snapshot()
        else { return 0 }
        try itemLeases.sweep()
        var reaper = Reaper(leases: itemLeases, items: ring, leaseRing: leaseRing)
        let mayRemove: Bool
        do throws(KeyringError) {
            let dead = try ring.members().compactMap { serial in
                table[serial].flatMap { $0.expiry == .expired ? (Key(serial), $0) : nil }
            }
            // Only processes that have raised the flag may remove what they saw.
            mayRemove = dead.isEmpty ? true : try raiseUpdateFlagIfAffordable(in: leaseRing, &attempt)
            for (key, entry) in dead where mayRemove {
                try reaper.reap(key, type: entry.keyType, named: entry.keyDescription)
            }
        } catch {
            throw SecretStoreError(error)
        }
        guard mayRemove else { throw attempt.blocked() }
        return reaper.count
    }

    /// True if the quota has no room for the flag either.
    private func raiseUpdateFlagIfAffordable(
        in ring: Keyring, _ attempt: inout BackendAttempt
    ) throws(KeyringError) -> Bool {
        do throws(KeyringError) {
            return try rings.raiseUpdateFlag(in: ring, &attempt)
        } catch {
            guard error.code == .quotaExceeded else { throw error }
            return true
        }
    }
}

/// Removing dead keys by what was seen: each under the lease of its name, by a move of another key of that name into the
/// lease, which removes whatever bears the name and fails once the lease was taken.
private struct Reaper {
    let leases: ItemLeases
    let items: Keyring
    let leaseRing: Keyring
    private(set) var count = 0
    /// With the quota so full that not even a lease can be had, a few are unlinked without one to make room for it.
    ///
    /// Others have no room for a lease either, and none for a new key; only one that is staged already, and comes within the
    /// microsecond between look and unlink, is lost.
    private var unleasedLeft = 4

    init(leases: ItemLeases, items: Keyring, leaseRing: Keyring) {
        self.leases = leases
        self.items = items
        self.leaseRing = leaseRing
    }

    mutating func reap(_ key: Key, type: KeyType, named name: String) throws(KeyringError) {
        do throws(KeyringError) {
            if try reapUnderLease(type, name) { count += 1 }
        } catch {
            switch error.code {
            case .quotaExceeded where unleasedLeft > 0:
                guard try !leases.isHeld(name, in: leaseRing) else { return }
                unleasedLeft -= 1
                if try items.links(key), try isDead(type, name) {
                    try items.unlink(key)
                    count += 1
                }
            // Somebody else is at work on that very name, or there is no room for a lease.
            case .quotaExceeded, .notLinked, .notFound: return
            default: throw error
            }
        }
    }

    private func reapUnderLease(_ type: KeyType, _ name: String) throws(KeyringError) -> Bool {
        guard try leases.rings.haveUpdateFlag(in: leaseRing) else { throw KeyringError(.quotaExceeded, in: .add) }
        // Not the attempt of the write that needs room: somebody else may be at work on this name.
        var attempt = BackendAttempt()
        guard let lease = try leases.acquire(for: name, in: leaseRing, &attempt) else { return false }
        let one: InlineArray<1, UInt8> = [0]
        let namesake = try unsafe Keyring.thread.add(type, name, payload: one.span.bytes)
        defer { Staging.discard(namesake) }
        return try isDead(type, name) ? lease.remove(namesake, from: items) : false
    }

    private func isDead(_ type: KeyType, _ name: String) throws(KeyringError) -> Bool {
        do throws(KeyringError) {
            _ = try items.find(type, name)
            return false
        } catch {
            return error.code == .expired
        }
    }
}

extension KeyTable.Entry {
    /// The description alone: behind it, `/proc/keys` shows `: ` and the payload's size.
    fileprivate var keyDescription: String {
        guard let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")) else { return text }
        return String(text[..<colon])
    }

    fileprivate var keyType: KeyType { type == "big_key" ? .bigKey : .user }
}
