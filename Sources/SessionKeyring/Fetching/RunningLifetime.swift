import Keyutils

/// A lifetime that counts from the creation of this value.
package struct RunningLifetime: Sendable {
    /// How long the kernel keeps the value; `nil` for as long as the scope exists.
    let timeout: RunningTimeout?
    /// How long the value is not fetched again.
    let freshness: ItemFacts.Validity
    /// How long others get the value while somebody fetches it again.
    let usability: ItemFacts.Validity

    /// Starts a lifetime that a caller has chosen, and checks it.
    ///
    /// - Throws: ``SecretStoreError`` with `invalidTimeout`.
    package init(_ lifetime: Lifetime, of item: ItemIdentity) throws(SecretStoreError) {
        for limit in [lifetime.timeout, lifetime.usableFor] {
            if let limit { _ = try KeyTimeout(limit, of: item) }
        }
        if let refreshAfter = lifetime.refreshAfter {
            guard refreshAfter > .zero, lifetime.end.map({ refreshAfter < $0 }) ?? true else {
                throw SecretStoreError(.refreshTime, item: item)
            }
        }
        self.init(clamping: lifetime)
    }

    /// Starts the lifetime of a value that is fetched again some time before its end.
    ///
    /// - Parameter refreshBefore: how long before its end the value is fetched again; `nil` if it is not fetched again
    ///   before it expires. A value that lives for less than this is due immediately.
    /// - Throws: ``SecretStoreError`` with `invalidTimeout`.
    package init(timeout: Duration?, refreshBefore: Duration?, of item: ItemIdentity) throws(SecretStoreError) {
        if let timeout { _ = try KeyTimeout(timeout, of: item) }
        guard let refreshBefore else {
            self.init(clamping: Lifetime(timeout))
            return
        }
        guard let timeout, refreshBefore > .zero else { throw SecretStoreError(.refreshTime, item: item) }
        self.init(clamping: Lifetime(timeout, refreshAfter: timeout - refreshBefore))
    }

    /// Starts the lifetime of a value that was fetched already; `nil` if its timeout has already passed.
    ///
    /// A value that can't be fetched a second time must not be lost because of an error. So durations that are out of
    /// range are clamped. A refresh time of zero or less would make every caller fetch, so it becomes nine tenths of the
    /// value's life; one second if that is less, or if no end is known.
    init?(ofFetched lifetime: Lifetime) {
        if let timeout = lifetime.timeout, timeout <= .zero { return nil }
        var refreshAfter = lifetime.refreshAfter
        if let time = refreshAfter, time <= .zero {
            refreshAfter = max(.seconds(1), (lifetime.end ?? .zero) * 9 / 10)
        }
        self.init(clamping: Lifetime(lifetime.timeout, refreshAfter: refreshAfter, usableFor: lifetime.usableFor))
    }

    /// The facts about a value with this lifetime.
    ///
    /// - Parameter command: a hash of the command line that printed the value; `nil` if no command did.
    func facts(command: UInt64? = nil) -> ItemFacts {
        ItemFacts(freshness: freshness, usability: usability, command: command)
    }

    private init(clamping lifetime: Lifetime) {
        func validity(_ durations: Duration?...) -> ItemFacts.Validity {
            guard let duration = durations.compactMap(\.self).min() else { return .always }
            return duration > .zero ? .until(SystemTime.after(duration)) : .never
        }
        timeout = lifetime.timeout.map {
            RunningTimeout((try? KeyTimeout(max($0, .nanoseconds(1)))) ?? .longest)
        }
        // The kernel itself ends the value at its timeout, which can change.
        freshness = validity(lifetime.refreshAfter, lifetime.usableFor)
        usability = validity(lifetime.usableFor)
    }
}

extension Lifetime {
    /// When callers no longer get the value; `nil` if that is unknown.
    fileprivate var end: Duration? { [timeout, usableFor].compactMap(\.self).min() }
}
