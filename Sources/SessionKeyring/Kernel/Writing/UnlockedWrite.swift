import Glibc

/// Whether a write that took no lease was through in time: soon enough after the look that showed no update flag.
struct UnlockedWrite {
    private let look: timespec

    /// To be made before the look at the flag.
    init() {
        look = Self.now()
    }

    /// Whether the write may begin.
    var mayBegin: Bool { elapsed < NamespaceRings.unlockedStart }

    /// Whether whoever sets the flag later sees what was written.
    var isInTime: Bool { elapsed < NamespaceRings.unlockedLimit }

    private var elapsed: Duration {
        let now = Self.now()
        return .seconds(now.tv_sec - look.tv_sec) + .nanoseconds(now.tv_nsec - look.tv_nsec)
    }

    private static func now() -> timespec {
        var time = timespec()
        unsafe clock_gettime(CLOCK_BOOTTIME, &time)
        return time
    }
}
