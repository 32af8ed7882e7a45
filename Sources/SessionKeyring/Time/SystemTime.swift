import Glibc

/// Points in time on the system clock, which the kernel's timeouts follow: `CLOCK_REALTIME` of `clock_gettime(2)`, in
/// milliseconds since 1970.
package enum SystemTime {
    package static func now() -> UInt64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return UInt64(max(0, time.tv_sec)) * 1_000 + UInt64(time.tv_nsec) / 1_000_000
    }

    /// Returns the time after this duration from now, rounded down; nothing lasts longer than a kernel's timeout.
    package static func after(_ duration: Duration) -> UInt64 {
        let (seconds, attoseconds) = min(max(duration, .zero), .seconds(UInt32.max)).components
        return now() + UInt64(seconds) * 1_000 + UInt64(attoseconds / 1_000_000_000_000_000)
    }
}
