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
