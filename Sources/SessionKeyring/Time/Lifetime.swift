/// How long a value lasts, and optionally when it is fetched again.
///
/// ```swift
/// try store.set("s3cret", for: item, lasting: .seconds(900))
/// ```
///
/// The kernel counts whole seconds of the system clock, so it deletes a value at its timeout or up to one second earlier,
/// never later. The other two durations are exact to the millisecond, and matter only to `value` and `refreshedValue`
/// (<doc:FetchOnce>).
public struct Lifetime: Hashable, Sendable {
    /// How long the kernel keeps the value; `nil` for as long as the scope exists.
    let timeout: Duration?
    /// After how long the value is fetched again; `nil` if it is not fetched again before it expires.
    let refreshAfter: Duration?
    /// How long callers get the value while somebody fetches it again; `nil` for as long as it is stored.
    let usableFor: Duration?

    /// Creates a lifetime.
    ///
    /// The call that uses it checks the durations.
    ///
    /// - Parameters:
    ///   - timeout: the longest time that the kernel keeps the value, more than zero and at most 4,294,967,295 seconds,
    ///     rounded up to whole seconds. It counts from the call, or for a fetched value from the return of the closure.
    ///     `nil` for as long as the scope exists.
    ///   - refreshAfter: after how long one of the callers that want the value fetches it again, while the others still
    ///     get it; more than zero, and less than `timeout` and `usableFor`. With `nil`, a fetched value is not fetched
    ///     again before it ends. A value stored by `set`, `add` or `save` with neither this nor `usableFor` is due
    ///     immediately.
    ///   - usableFor: how long `value` and `refreshedValue` return the value, such as the lifetime of an access token;
    ///     more than zero and at most 4,294,967,295 seconds. After that, only the closure of `refreshedValue` gets it.
    ///     `get` and `load` return it for as long as it is stored. `nil` for as long as it is stored.
    public init(_ timeout: Duration? = nil, refreshAfter: Duration? = nil, usableFor: Duration? = nil) {
        (self.timeout, self.refreshAfter, self.usableFor) = (timeout, refreshAfter, usableFor)
    }

    /// As long as the scope exists.
    public static let scope = Lifetime()

    /// Creates a lifetime that has only a timeout, in seconds.
    public static func seconds(_ timeout: some BinaryInteger) -> Lifetime { Lifetime(.seconds(timeout)) }

    /// Creates the lifetime of a token that its server accepts for this long.
    ///
    /// The token is fetched again when a tenth of its life is left, or one minute if that is less. It is stored for as
    /// long as the scope exists, because it may contain a refresh token that lives longer.
    ///
    /// - Parameter duration: how long the server accepts the token, such as `expires_in` of OAuth; more than zero.
    public static func token(livingFor duration: Duration) -> Lifetime {
        Lifetime(refreshAfter: duration - min(duration / 10, .seconds(60)), usableFor: duration)
    }

    /// Whether the lifetime says when the value is fetched again or how long it is usable.
    var hasRefresh: Bool { refreshAfter != nil || usableFor != nil }
}
