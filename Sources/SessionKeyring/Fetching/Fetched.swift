import Keyutils

/// How an item is fetched.
package struct FetchPolicy: Sendable {
    /// Whether what is there is fetched anew before it is gone.
    package enum Refreshing: Sendable {
        case never
        /// Where nothing says that it is fresh; others get it meanwhile.
        case due
        /// The same, but others get it only where something says that it is usable.
        case dueOrUnusable
    }

    let refreshing: Refreshing
    /// Whether whoever fetches it anew gets the old value at once.
    let answersEarly: Bool
    /// How long a fetch may take.
    let limit: Duration
    /// For how long nobody tries again after a failure; `nil` where each tries by itself.
    let failureTimeout: Duration?
    /// For how long a task that fetches takes the lease at a time, which it renews.
    let leaseDuration: Duration

    package init(
        _ refreshing: Refreshing, answersEarly: Bool = false, limit: Duration, failureTimeout: Duration? = nil,
        leaseDuration: Duration = .seconds(10)
    ) {
        self.refreshing = refreshing
        self.answersEarly = answersEarly
        self.limit = limit
        self.failureTimeout = failureTimeout
        self.leaseDuration = leaseDuration
    }
}

/// What a fetch brings: a value, how long it is kept, and when it is to be fetched anew.
///
/// An OAuth token whose access token lives for an hour, and which brings a refresh token that lives on:
///
/// ```swift
/// Fetched(token, refreshAfter: .seconds(3_540), usableFor: .seconds(3_600))
/// ```
public struct Fetched<Value> {
    /// The value.
    package var value: Value { secret.value }
    private let secret: Redacted
    /// When the kernel drops it, rounded up to whole seconds; `nil` for the scope's life.
    ///
    /// What has none left is returned, and not stored.
    package var timeout: Duration?
    /// After how long the next one who asks fetches it anew, while others still get this one; `nil` for not before it is gone.
    package var refreshAfter: Duration?

    /// For how long it is given to anybody but the fetch that follows, such as an access token's life; `nil` for as long as it
    /// is there.
    package var usableFor: Duration?

    /// A value with its lifetime, as it comes with the answer.
    public init(
        _ value: Value, timeout: Duration? = nil, refreshAfter: Duration? = nil, usableFor: Duration? = nil
    ) {
        secret = Redacted(value: value)
        self.timeout = timeout
        self.refreshAfter = refreshAfter
        self.usableFor = usableFor
    }
}

extension Fetched: Sendable where Value: Sendable {}

extension Fetched {
    /// The value, which no text and no mirror shows.
    fileprivate struct Redacted: CustomStringConvertible, CustomReflectable {
        let value: Value
        var description: String { "<redacted>" }
        var customMirror: Mirror { Mirror(self, children: [] as [Mirror.Child]) }
    }
}

extension Fetched.Redacted: Sendable where Value: Sendable {}

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
