/// When a value with a timeout expires.
///
/// `set_timeout(T)` stores the second of `CLOCK_REALTIME` in which the value expires: the current one plus T. So a
/// value lives more than T - 1 and at most T seconds. The suite does not see that call; it lies between the beginning
/// and the end of the write, which gives an earliest and a latest death.
package enum Expiry {
    /// How much earlier or later than the whole seconds say a death may be seen, in nanoseconds.
    ///
    /// The kernel compares seconds that it counts at its timer's tick, every 1 to 10 ms, so both setting the timeout
    /// and the death may be a tick late; and a virtual machine's processor can be stopped for some ticks. A larger
    /// slack never accuses a store that is right: it only hides a value that outlives its timeout by less. Steps of
    /// the clock are not allowed for.
    package static let slack: UInt64 = 50_000_000

    private static let second: UInt64 = 1_000_000_000

    /// From when on the value that the call wrote may be gone by itself.
    static func earliest(of call: ItemOperation) -> UInt64 {
        guard let timeout = call.timeout else { return .max }
        let due = call.invoked + UInt64(timeout - 1) * second
        return due - min(due, slack)
    }

    /// Until when it may still be seen.
    static func latest(of call: ItemOperation) -> UInt64 {
        guard let timeout = call.timeout else { return .max }
        let end = call.returned.addingReportingOverflow(UInt64(timeout) * second + slack)
        return end.overflow ? .max : end.partialValue
    }
}
