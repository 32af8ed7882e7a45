/// When a value with a timeout expires.
///
/// `set_timeout(T)` stores the second of `CLOCK_REALTIME` in which the value expires: the current second plus T. So a
/// value lives more than T - 1 and at most T seconds. The suite does not see the moment of that call. It lies between
/// the beginning and the end of the write, which gives an earliest and a latest moment of expiry.
package enum Expiry {
    /// The tolerance for a value that expires earlier or later than whole seconds predict, in nanoseconds.
    ///
    /// The kernel compares seconds that it counts at its timer tick, every 1 to 10 ms. So both setting the timeout and
    /// the expiry can be a tick late. In addition, a virtual machine's processor can be stopped for several ticks. A
    /// larger tolerance never makes a correct store fail. It only hides a value that outlives its timeout by less than
    /// the tolerance. Steps of the clock are not taken into account.
    package static let slack: UInt64 = 50_000_000

    private static let second: UInt64 = 1_000_000_000

    /// The earliest time at which the value that the call wrote can have expired.
    static func earliest(of call: ItemOperation) -> UInt64 {
        guard let timeout = call.timeout else { return .max }
        let due = call.invoked + UInt64(timeout - 1) * second
        return due - min(due, slack)
    }

    /// The latest time at which the value that the call wrote can still be seen.
    static func latest(of call: ItemOperation) -> UInt64 {
        guard let timeout = call.timeout else { return .max }
        let end = call.returned.addingReportingOverflow(UInt64(timeout) * second + slack)
        return end.overflow ? .max : end.partialValue
    }
}
