import Glibc

/// The clock of histories: the same for all threads and processes of a machine, and never set back.
package enum MonotonicTime {
    /// The current time, in nanoseconds of `CLOCK_MONOTONIC`.
    ///
    /// The corresponding C function is `clock_gettime(2)`.
    package static var now: UInt64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
