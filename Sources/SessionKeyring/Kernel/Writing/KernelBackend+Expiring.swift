package import Keyutils

extension KernelBackend {
    package func expire(
        _ item: ItemIdentity, timeout: KeyTimeout?, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<Bool> {
        try .of { () throws(SecretStoreError) in
            for _ in 0..<SecondLooks.lostLeases {
                let write = UnlockedWrite()
                guard let leases = try rings.flaggedLeasesRing() else {
                    let isFound = try expirePlainly(item, timeout)
                    if write.isInTime { return isFound }
                    if try rings.flaggedLeasesRing() == nil { return isFound }
                    continue
                }
                let lease = try leaseIfAffordable(of: item, in: leases, effort)
                let isFound = try expire(item, timeout)
                // If somebody else took the lease in the meantime, this may have set the timeout of a key that is
                // already gone.
                if lease?.release() ?? true { return isFound }
            }
            throw SecretStoreError(.blocked(.itemLease), item: item)
        }
    }

    /// Sets the timeout of an item that has no facts.
    private func expirePlainly(_ item: ItemIdentity, _ timeout: KeyTimeout?) throws(SecretStoreError) -> Bool {
        try withKey(of: item) { _, key throws(KeyringError) in try key.expire(timeout) } != nil
    }

    private func expire(_ item: ItemIdentity, _ timeout: KeyTimeout?) throws(SecretStoreError) -> Bool {
        if item.isHidden { return try expirePlainly(item, timeout) }
        return try withKey(of: item) { ring, key throws(KeyringError) in
            let companion = try unlessGoneOrRefused { () throws(KeyringError) in
                try ring.find(.user, item.companion.keyDescription)
            }
            guard let companion else { return try key.expire(timeout) }
            try expire(key, companion, isRefused: try isRefused(item, key, in: ring), timeout)
        } != nil
    }

    /// Sets the timeouts of an item's key and of its companion.
    ///
    /// A refusal must not end before the value, even if this process dies in between. So it has no timeout until the
    /// value's is set. Other facts come first, so that they don't outlive a value whose life becomes shorter.
    private func expire(_ key: Key, _ companion: Key, isRefused: Bool, _ timeout: KeyTimeout?) throws(KeyringError) {
        try unlessGoneOrRefused { () throws(KeyringError) in try companion.expire(isRefused ? nil : timeout) }
        try key.expire(timeout)
        if isRefused, let timeout {
            try unlessGoneOrRefused { () throws(KeyringError) in try companion.expire(timeout) }
        }
    }

    func isRefused(_ item: ItemIdentity, _ key: Key, in ring: Keyring) throws(KeyringError) -> Bool {
        let hash = try key.withPayload(PayloadEncoding.hashOfSecret)
        return try facts(of: item, key: key, hash: hash, in: ring)?.isRefused == true
    }
}

extension Key {
    /// Sets the key's timeout; `nil` removes it.
    fileprivate func expire(_ timeout: KeyTimeout?) throws(KeyringError) {
        if let timeout { try setTimeout(timeout) } else { try removeTimeout() }
    }
}
