/// A key's lifetime, in whole seconds as the kernel counts them.
///
/// A key with a timeout of N seconds lives for more than N - 1 and at most N seconds, measured on `CLOCK_REALTIME`. No
/// key outlives its timeout, but stepping the clock moves the time of expiry. To the kernel, 0 means that a key never
/// expires, so this type refuses 0.
public struct KeyTimeout: Hashable, Sendable {
    /// Whole seconds, 1 to 4,294,967,295.
    public let seconds: UInt32

    /// The longest timeout that the kernel's interface can carry, about 136 years.
    public static let longest = KeyTimeout(unchecked: .max)

    private init(unchecked seconds: UInt32) {
        self.seconds = seconds
    }

    /// Creates a timeout from a duration, rounded **up** to whole seconds.
    ///
    /// - Throws: ``KeyringError`` with `invalidArgument` if the duration is zero or negative, or
    ///   longer than ``longest``.
    public init(_ duration: Duration) throws(KeyringError) {
        let (whole, fraction) = duration.components
        guard duration > .zero, whole < Int64(UInt32.max) || (whole == Int64(UInt32.max) && fraction == 0) else {
            throw KeyringError(.invalidArgument, in: .setTimeout)
        }
        self.init(unchecked: UInt32(whole) + (fraction > 0 ? 1 : 0))
    }

    /// The timeout as a duration of whole seconds.
    public var duration: Duration { .seconds(Int64(seconds)) }
}

extension KeyTimeout: CustomStringConvertible {
    /// The seconds with their unit, such as `90s`.
    public var description: String { "\(seconds)s" }
}
