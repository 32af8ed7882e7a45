import Keyutils

/// How long something that was fetched is kept, and for how long it is fresh and usable.
package struct Lifetime: Sendable {
    /// When the kernel drops it; `nil` for the scope's life.
    let timeout: KeyTimeout?
    /// For how long it is not fetched anew; `nil` for as long as it is there.
    let fresh: KeyTimeout?
    /// Whether it is fresh at all.
    let isFresh: Bool
    /// For how long others get it while somebody fetches it anew; `nil` for as long as it is there.
    let usable: KeyTimeout?
    /// Whether they get it at all.
    let isUsable: Bool

    /// - Throws: ``SecretStoreError`` with `invalidTimeout`.
    init(
        timeout: Duration?, refreshAfter: Duration?, usableFor: Duration? = nil, of item: ItemIdentity
    ) throws(SecretStoreError) {
        if let refreshAfter {
            let end = [timeout, usableFor].compactMap(\.self).min()
            guard refreshAfter > .zero, end.map({ refreshAfter < $0 }) ?? true else {
                throw SecretStoreError(.refreshTime, item: item)
            }
        }
        for limit in [timeout, usableFor] {
            if let limit { _ = try SecretStore.keyTimeout(limit, item: item) }
        }
        self.init(clamping: timeout, refreshAfter: refreshAfter, usableFor: usableFor)
    }

    /// - Parameter refreshBefore: how long before its end it is fetched anew; `nil` for not before it is gone. What lives for
    ///   less than that is due at once.
    /// - Throws: ``SecretStoreError`` with `invalidTimeout`.
    package init(timeout: Duration?, refreshBefore: Duration?, of item: ItemIdentity) throws(SecretStoreError) {
        if let timeout { _ = try SecretStore.keyTimeout(timeout, item: item) }
        guard let refreshBefore else {
            self.init(clamping: timeout, refreshAfter: nil, usableFor: nil)
            return
        }
        guard let timeout, refreshBefore > .zero else {
            throw SecretStoreError(.refreshTime, item: item)
        }
        self.init(clamping: timeout, refreshAfter: timeout - refreshBefore, usableFor: nil)
    }

    /// That of something that can't be fetched once more, so that nothing is wrong with it; `nil` where it is over already.
    init?<Value>(of fetched: Fetched<Value>) {
        if let timeout = fetched.timeout, timeout <= .zero { return nil }
        self.init(clamping: fetched.timeout, refreshAfter: fetched.refreshAfter, usableFor: fetched.usableFor)
    }

    private init(clamping timeout: Duration?, refreshAfter: Duration?, usableFor: Duration?) {
        func keyTimeout(_ duration: Duration?) -> KeyTimeout? {
            duration.map { (try? KeyTimeout(max($0, .nanoseconds(1)))) ?? .longest }
        }
        let usableFor = [usableFor, timeout].compactMap(\.self).min()
        let refreshAfter = [refreshAfter, usableFor].compactMap(\.self).min()
        self.timeout = keyTimeout(timeout)
        isFresh = refreshAfter.map { $0 > .zero } ?? true
        fresh = keyTimeout(refreshAfter)
        isUsable = usableFor.map { $0 > .zero } ?? true
        usable = keyTimeout(usableFor)
    }
}
