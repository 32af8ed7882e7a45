import Keyutils

extension KernelBackend {
    package func delete(
        _ item: ItemIdentity, _ effort: Effort, after step: VisibleStep?
    ) throws(SecretStoreError) -> Outcome<Bool> {
        // Whether an earlier step has removed the item; `nil` if there wasn't one.
        var removed: Bool?
        if case .removed(let wasThere) = step { removed = wasThere }
        return try .of(after: removed.map(VisibleStep.removed)) { () throws(SecretStoreError) in
            try delete(item, &removed, effort)
            return removed == true
        }
    }

    private func delete(_ item: ItemIdentity, _ removed: inout Bool?, _ effort: Effort) throws(SecretStoreError) {
        while true {
            let write = UnlockedWrite()
            if let leases = try rings.flaggedLeasesRing() {
                return try deleteUnderLease(item, in: leases, &removed, effort)
            }
            var isInTime = true
            // Unlinking acts by name: it removes the key that has the name at that moment. That is the meaning
            // of a delete.
            let wasThere = try remove(item) { ring, key throws(KeyringError) in
                guard write.mayBegin else { return false }
                try ring.unlink(key)
                isInTime = write.isInTime
                return true
            }
            guard let wasThere else { continue }
            removed = wasThere || removed == true
            // If this delete was late, an update that had read the item may have stored it again.
            if isInTime { return }
            if try rings.flaggedLeasesRing() == nil { return }
        }
    }

    private func deleteUnderLease(
        _ item: ItemIdentity, in ring: Keyring, _ removed: inout Bool?, _ effort: Effort
    ) throws(SecretStoreError) {
        let lease = try leaseIfAffordable(of: item, in: ring, effort)
        let hasLease = lease != nil
        let wasThere = try remove(item) { ring, key throws(KeyringError) in
            if hasLease { return try lease?.remove(key, from: ring) ?? false }
            try ring.unlink(key)
            return true
        }
        if let wasThere {
            removed = wasThere || removed == true
            try dropHidden(of: item) { key, ring throws(KeyringError) in
                if hasLease { try lease?.drop(key, from: ring) } else { try ring.unlink(key) }
            }
        }
        // If it has removed the item, it must not do so again: a later value could be there by now. Otherwise, the watch
        // of a fetch could be left.
        let isHeld = lease?.release() ?? true
        guard isHeld || wasThere == true, wasThere != nil else {
            throw SecretStoreError(.blocked(.itemLease), item: item)
        }
    }

    /// Removes the item's key and returns whether it existed; `nil` if `unlink` refuses.
    func remove(
        _ item: ItemIdentity,
        unlink: (Keyring, Key) throws(KeyringError) -> Bool
    ) throws(SecretStoreError) -> Bool? {
        try withKey(of: item) { ring, key throws(KeyringError) -> Bool? in
            do throws(KeyringError) {
                return try unlink(ring, key) ? true : nil
            } catch {
                // Another process was faster.
                guard error.code == .notLinked else { throw error }
                return false
            }
        } ?? .some(false)
    }

    /// Takes the item's lease, if the quota has room for it.
    ///
    /// - Returns: the lease. As a last resort `nil`, if nobody holds the lease and the quota has no room for it, so
    ///   that nobody else can take it either.
    /// - Throws: ``SecretStoreError`` with `contended` if the attempt is blocked.
    func leaseIfAffordable(
        of item: ItemIdentity, in ring: Keyring, _ effort: Effort
    ) throws(SecretStoreError) -> HeldLease? {
        let blockage: Blockage
        do throws(KeyringError) {
            switch try itemLeases.acquire(for: item.keyDescription, in: ring, effort) {
            case .done(let lease): return lease
            case .blocked(let reason): blockage = reason
            }
        } catch {
            guard error.code == .quotaExceeded, effort.mayUseLastResorts else {
                throw SecretStoreError(error, item: item)
            }
            let isHeld = try inStoreTerms(item) { () throws(KeyringError) in
                try itemLeases.isHeld(item.keyDescription, in: ring)
            }
            if !isHeld { return nil }
            blockage = .itemLease
        }
        throw SecretStoreError(.blocked(blockage), item: item)
    }
}
