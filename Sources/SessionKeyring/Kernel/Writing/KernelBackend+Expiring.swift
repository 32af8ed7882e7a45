package import Keyutils

extension KernelBackend {
    package func expire(
        _ item: ItemIdentity, timeout: KeyTimeout?, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<Bool> {
        try .of { () throws(SecretStoreError) in
            guard let leases = try rings.flaggedLeasesRing() else { return try expirePlainly(item, timeout) }
            for _ in 0..<SecondLooks.lostLeases {
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
                try ring.search(.user, item.companion.keyDescription)
            }
            guard let companion else { return try key.expire(timeout) }
            try expire(key, companion, isRefused: try isRefused(item, key, in: ring), timeout)
        } != nil
    }

    /// Sets the timeouts of an item's key and of its companion.
    ///
    /// If this process dies between the two steps, a refusal still lasts as long as the value, and other facts end no
    /// later than it. So the order depends on whether the item's life becomes shorter. The kernel ends keys at whole
    /// seconds, so a refusal whose timeout is set first gets one second more.
    private func expire(_ key: Key, _ companion: Key, isRefused: Bool, _ timeout: KeyTimeout?) throws(KeyringError) {
        let isCompanionFirst = isShorter(timeout, for: key) != isRefused
        var ofCompanion = timeout
        if isRefused, isCompanionFirst, let timeout { ofCompanion = try? KeyTimeout(timeout.duration + .seconds(1)) }
        if !isCompanionFirst { try key.expire(timeout) }
        try unlessGoneOrRefused { () throws(KeyringError) in try companion.expire(ofCompanion) }
        if isCompanionFirst { try key.expire(timeout) }
    }

    func isRefused(_ item: ItemIdentity, _ key: Key, in ring: Keyring) throws(KeyringError) -> Bool {
        let hash = try key.withPayload { FNV1a.hash(of: $0.extracting(first: PayloadEncoding.secretSize($0))) }
        return try facts(of: item, key: key, hash: hash, in: ring)?.isRefused == true
    }

    /// Returns whether this timeout ends before the key's present one, which only `/proc/keys` shows.
    private func isShorter(_ timeout: KeyTimeout?, for key: Key) -> Bool {
        guard let timeout else { return false }
        switch ItemAttributes.Expiry((try? KeyTable.snapshot())?[key.serial]?.expiry) {
        case .after(let left): return timeout.duration < left.atLeast + left.precision
        case .never, .unknown: return true
        }
    }
}

extension Key {
    /// Sets the key's timeout; `nil` removes it.
    fileprivate func expire(_ timeout: KeyTimeout?) throws(KeyringError) {
        if let timeout { try setTimeout(timeout) } else { try removeTimeout() }
    }
}
