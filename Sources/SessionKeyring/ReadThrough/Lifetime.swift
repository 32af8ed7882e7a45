import Keyutils

/// How long something that was fetched is kept, and when it is fetched anew.
package struct Lifetime: Sendable {
    /// When the kernel drops it; `nil` for the scope's life.
    package let timeout: Duration?
    /// How long before that it should be fetched anew; `nil` for never.
    package let refreshBefore: Duration?

    /// - Throws: ``SecretStoreError`` with `invalidTimeout` or `invalidRefresh`.
    package init(timeout: Duration?, refreshBefore: Duration?, of item: ItemIdentity) throws(SecretStoreError) {
        if let timeout { _ = try SecretStore.keyTimeout(timeout, item: item) }
        if let refreshBefore {
            guard let timeout, refreshBefore > .zero, refreshBefore < timeout else {
                throw SecretStoreError(.invalidRefresh, item: item)
            }
        }
        self.timeout = timeout
        self.refreshBefore = refreshBefore
    }

    func keyTimeout(of item: ItemIdentity) throws(SecretStoreError) -> KeyTimeout? {
        guard let timeout else { return nil }
        return try SecretStore.keyTimeout(timeout, item: item)
    }

    /// How long it is fresh; `nil` where it always is.
    var freshness: Duration? {
        guard let timeout, let refreshBefore else { return nil }
        return timeout - refreshBefore
    }
}
