import Glibc

/// A point in time, or a span of it, on the clock that all processes share, that nobody can set, and that goes on while
/// the machine sleeps: `CLOCK_BOOTTIME`, `clock_gettime(2)`.
struct BootTime: Comparable {
    let nanoseconds: UInt64

    init(nanoseconds: UInt64) {
        self.nanoseconds = nanoseconds
    }

    init(_ duration: Duration) {
        // Nobody waits longer than a year, and the sum of two such times is a time.
        let (seconds, attoseconds) = min(duration, .seconds(31_536_000)).components
        nanoseconds = UInt64(max(0, seconds)) * 1_000_000_000 + UInt64(max(0, attoseconds)) / 1_000_000_000
    }

    static func now() -> BootTime {
        var time = timespec()
        unsafe clock_gettime(CLOCK_BOOTTIME, &time)
        return BootTime(nanoseconds: UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec))
    }

    static func < (left: BootTime, right: BootTime) -> Bool { left.nanoseconds < right.nanoseconds }
    static func + (left: BootTime, right: BootTime) -> BootTime {
        BootTime(nanoseconds: left.nanoseconds + right.nanoseconds)
    }
}
