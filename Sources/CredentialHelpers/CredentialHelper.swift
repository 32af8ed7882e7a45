import Glibc
package import SessionKeyring

/// Answers the requests of credential-helper protocols from the items of a store.
///
/// ```swift
/// let helper = CredentialHelper(items: try SecretStore(.session))
/// let answer = try helper.git("get", request: bytes)
/// ```
///
/// Each protocol is an extension with a method of the protocol's name. The methods take and return bytes, and neither
/// read nor write files.
///
/// A client's secret becomes an item of the kind `internet`. The item's service is the client's name for the server,
/// and its payload is the bare secret. A secret with further fields, such as a refresh token, becomes an item of the
/// kind `credential`, in JSON. A lookup tries the kinds `password`, `internet` and `credential`, in this order.
public struct CredentialHelper: Sendable {
    /// The source of the secrets.
    public let items: any ItemSource
    /// The timeout of secrets that arrive without one; `nil` to keep them for as long as the scope exists.
    public let timeout: Duration?
    private let clock: @Sendable () -> Int64
    /// Whether one of the items whose secret comes from elsewhere is meant; git and docker don't store such a secret.
    package var isDeclared: @Sendable (_ isMeant: (ItemIdentity) -> Bool) -> Bool = { _ in false }

    /// Creates a helper.
    ///
    /// - Parameters:
    ///   - items: the source of the secrets.
    ///   - timeout: the timeout of secrets that arrive without one; `nil` to keep them for as long as the scope exists.
    ///   - clock: returns the time in seconds since 1970, with which the helper converts an expiry to a timeout.
    public init(
        items: any ItemSource, timeout: Duration? = nil,
        clock: @escaping @Sendable () -> Int64 = CredentialHelper.time
    ) {
        self.items = items
        self.timeout = timeout
        self.clock = clock
    }

    /// Returns the time in seconds since 1970: `time(2)`.
    public static let time: @Sendable () -> Int64 = { Int64(Glibc.time(nil)) }

    var now: Int64 { clock() }

    /// Returns the timeout of a secret that expires at that time; `nil` to keep it for as long as the scope exists.
    ///
    /// The result is never longer than the helper's timeout, nor than the longest timeout of the kernel.
    ///
    /// - Parameter end: seconds since 1970; `nil` if the secret does not expire.
    func timeout(until end: Int64?) -> Duration? {
        guard let end else { return timeout }
        let left = Duration.seconds(
            min(max(end.subtractingReportingOverflow(now).partialValue, 1), Self.longestTimeout))
        return timeout.map { min($0, left) } ?? left
    }

    private static let longestTimeout = Int64(UInt32.max)
}
