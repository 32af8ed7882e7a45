import Keyutils

/// How long something that was fetched is kept, and when it is fetched anew.
package struct Lifetime: Sendable {
    /// When the kernel drops it; `nil` for the scope's life.
    let timeout: KeyTimeout?
    /// For how long it is fresh; `nil` for as long as it is there.
    let refreshAfter: Duration?

    /// - Throws: ``SecretStoreError`` with `invalidTimeout` or `invalidRefresh`.
    init(timeout: Duration?, refreshAfter: Duration?, of item: ItemIdentity) throws(SecretStoreError) {
        if let refreshAfter {
            guard refreshAfter > .zero, timeout.map({ refreshAfter < $0 }) ?? true else {
                throw SecretStoreError(.invalidRefresh, item: item)
            }
        }
        var keyTimeout: KeyTimeout?
        if let timeout { keyTimeout = try SecretStore.keyTimeout(timeout, item: item) }
        self.timeout = keyTimeout
        self.refreshAfter = refreshAfter
    }

    /// - Parameter refreshBefore: how long before its end it is fetched anew; `nil` for not before it is gone.
    /// - Throws: ``SecretStoreError`` with `invalidTimeout` or `invalidRefresh`.
    package init(timeout: Duration?, refreshBefore: Duration?, of item: ItemIdentity) throws(SecretStoreError) {
        guard let refreshBefore else {
            try self.init(timeout: timeout, refreshAfter: nil, of: item)
            return
        }
        guard let timeout, refreshBefore > .zero else { throw SecretStoreError(.invalidRefresh, item: item) }
        try self.init(timeout: timeout, refreshAfter: timeout - refreshBefore, of: item)
    }

    /// That of something that can't be fetched once more, so that nothing is wrong with it; `nil` where it is over already.
    init?<Value>(of fetched: Fetched<Value>) {
        if let timeout = fetched.timeout {
            guard timeout > .zero else { return nil }
            self.timeout = (try? KeyTimeout(timeout)) ?? .longest
        } else {
            timeout = nil
        }
        refreshAfter = fetched.refreshAfter
    }
}
