import Keyutils

/// The rules for fetching an item.
package struct FetchPolicy: Sendable {
    /// When an existing value is fetched again before it expires.
    package enum Refreshing: Sendable {
        case never
        /// If no facts state that the value is fresh. During the fetch, other callers get the old value.
        case due
        /// Like `due`, but other callers get the old value only if facts state that it is usable.
        case dueOrUnusable
    }

    let refreshing: Refreshing
    /// Whether the caller that fetches a value again gets the old value immediately.
    let answersEarly: Bool
    /// How long a fetch is allowed to take.
    let limit: Duration
    /// How long nobody tries again after a failure; `nil` if each caller tries itself.
    let failureTimeout: Duration?
    /// How long the lease of a fetch in a task lasts after each renewal.
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

/// The result of a fetch: a value, how long it is kept, and when it is fetched again.
///
/// For example, an OAuth token whose access token lives for an hour and whose refresh token lives longer:
///
/// ```swift
/// Fetched(token, refreshAfter: .seconds(3_540), usableFor: .seconds(3_600))
/// ```
public struct Fetched<Value> {
    package var value: Value { secret.value }
    private let secret: Redacted
    /// How long the kernel keeps the value, rounded up to whole seconds; `nil` for as long as the scope exists.
    ///
    /// If the duration is not positive, the value is returned but not stored.
    package var timeout: Duration?
    /// After how long the next caller fetches the value again, while others still get this one.
    ///
    /// `nil` if nobody fetches it again before it expires.
    package var refreshAfter: Duration?

    /// How long callers get the value, such as the lifetime of an access token.
    ///
    /// After that, only the next fetch gets it. `nil` for as long as the value is stored.
    package var usableFor: Duration?

    /// Creates a result from a value and the lifetimes that came with it.
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
    /// The value, hidden from all texts and mirrors.
    fileprivate struct Redacted: CustomStringConvertible, CustomReflectable {
        let value: Value
        var description: String { "<redacted>" }
        var customMirror: Mirror { Mirror(self, children: [] as [Mirror.Child]) }
    }
}

extension Fetched.Redacted: Sendable where Value: Sendable {}

/// How long a fetched value is kept, and how long it is fresh and usable, counted from the creation of this value.
package struct Lifetime: Sendable {
    /// How long the kernel keeps the value; `nil` for as long as the scope exists.
    let timeout: RunningTimeout?
    /// How long the value is not fetched again.
    let freshness: ItemFacts.Validity
    /// How long others get the value while somebody fetches it again.
    let usability: ItemFacts.Validity

    /// Creates a lifetime from durations that a caller has chosen, and checks them.
    ///
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
            if let limit { _ = try KeyTimeout(limit, of: item) }
        }
        self.init(clamping: timeout, refreshAfter: refreshAfter, usableFor: usableFor)
    }

    /// Creates the lifetime of a value that is fetched again some time before its end.
    ///
    /// - Parameter refreshBefore: how long before its end the value is fetched again; `nil` if it is not fetched again
    ///   before it expires. A value that lives for less than this is due immediately.
    /// - Throws: ``SecretStoreError`` with `invalidTimeout`.
    package init(timeout: Duration?, refreshBefore: Duration?, of item: ItemIdentity) throws(SecretStoreError) {
        if let timeout { _ = try KeyTimeout(timeout, of: item) }
        guard let refreshBefore else {
            self.init(clamping: timeout, refreshAfter: nil, usableFor: nil)
            return
        }
        guard let timeout, refreshBefore > .zero else {
            throw SecretStoreError(.refreshTime, item: item)
        }
        self.init(clamping: timeout, refreshAfter: timeout - refreshBefore, usableFor: nil)
    }

    /// Creates the lifetime of a value that was fetched already; `nil` if its timeout has already passed.
    ///
    /// A value that can't be fetched a second time must not be lost because of an error. So durations that are out of
    /// range are clamped.
    init?<Value>(of fetched: Fetched<Value>) {
        if let timeout = fetched.timeout, timeout <= .zero { return nil }
        self.init(clamping: fetched.timeout, refreshAfter: fetched.refreshAfter, usableFor: fetched.usableFor)
    }

    /// The facts about a value with this lifetime.
    ///
    /// - Parameter command: a hash of the command line that printed the value; `nil` if no command did.
    func facts(command: UInt64? = nil) -> ItemFacts {
        ItemFacts(freshness: freshness, usability: usability, command: command)
    }

    private init(clamping timeout: Duration?, refreshAfter: Duration?, usableFor: Duration?) {
        func running(_ duration: Duration) -> RunningTimeout {
            RunningTimeout((try? KeyTimeout(max(duration, .nanoseconds(1)))) ?? .longest)
        }
        func validity(_ duration: Duration?) -> ItemFacts.Validity {
            guard let duration else { return .always }
            return duration > .zero ? .until(running(duration).end) : .never
        }
        let usableFor = [usableFor, timeout].compactMap(\.self).min()
        let refreshAfter = [refreshAfter, usableFor].compactMap(\.self).min()
        self.timeout = timeout.map(running)
        (freshness, usability) = (validity(refreshAfter), validity(usableFor))
    }
}
