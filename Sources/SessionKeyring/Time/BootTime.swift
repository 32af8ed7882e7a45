import Glibc
import Keyutils

/// A point in time or a time span, on the clock since boot that all processes share.
///
/// Nobody can set this clock, and it keeps running while the machine sleeps. It is `CLOCK_BOOTTIME` of
/// `clock_gettime(2)`, as the initial time namespace shows it.
package struct BootTime: Hashable, Comparable {
    let nanoseconds: UInt64

    init(nanoseconds: UInt64) {
        self.nanoseconds = nanoseconds
    }

    init(_ duration: Duration) {
        // Nobody waits longer than a year. With this limit, the sum of two spans does not overflow.
        let (seconds, attoseconds) = min(duration, .seconds(31_536_000)).components
        nanoseconds = UInt64(max(0, seconds)) * 1_000_000_000 + UInt64(max(0, attoseconds)) / 1_000_000_000
    }

    package static func now() -> BootTime {
        BootTime(nanoseconds: UInt64(max(0, Int64(ofThisNamespace().nanoseconds) - namespaceOffset)))
    }

    /// The time in this process's time namespace, for spans that a single process measures and uses.
    @inline(__always)
    static func ofThisNamespace() -> BootTime {
        var time = timespec()
        unsafe clock_gettime(CLOCK_BOOTTIME, &time)
        return BootTime(nanoseconds: UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec))
    }

    /// How far the clock of this process's time namespace is ahead of the initial one.
    ///
    /// Without this correction, leases would not exclude each other across time namespaces. A process, and the children
    /// that it forks, stay in their time namespace.
    private static let namespaceOffset: Int64 = {
        // Kernels before 5.6 have no time namespaces. If `/proc` is hidden, the offset can't be known.
        guard let lines = try? readProcFile("/proc/self/timens_offsets") else { return 0 }
        for line in lines.split(separator: "\n") where line.hasPrefix("boottime") {
            let fields = line.split(separator: " ").map { Int64($0) }
            if fields.count == 3, let seconds = fields[1], let nanoseconds = fields[2] {
                return seconds &* 1_000_000_000 &+ nanoseconds
            }
        }
        return 0
    }()

    package static func < (left: BootTime, right: BootTime) -> Bool { left.nanoseconds < right.nanoseconds }
    static func + (left: BootTime, right: BootTime) -> BootTime {
        BootTime(nanoseconds: left.nanoseconds + right.nanoseconds)
    }

    /// Returns how long after `earlier` this is; zero if it is before.
    func since(_ earlier: BootTime) -> Duration {
        self < earlier ? .zero : .nanoseconds(Int64(clamping: nanoseconds - earlier.nanoseconds))
    }
}

/// A timeout that counts from its creation, even if the write must wait for others.
///
/// The kernel ends keys at whole seconds of the system clock. So a key that is written after a wait ends in the same
/// second as one that is written immediately.
struct RunningTimeout: Sendable {
    private let timeout: KeyTimeout
    private let start = BootTime.ofThisNamespace()
    private let second = time(nil)

    init(_ timeout: KeyTimeout) {
        self.timeout = timeout
    }

    private var secondsLeft: Int {
        // A second can end during a few system calls, which are not a wait.
        guard BootTime.ofThisNamespace().since(start) > .milliseconds(10) else { return Int(timeout.seconds) }
        return Int(timeout.seconds) - max(0, time(nil) - second)
    }

    /// Whether nothing is left of the timeout.
    var hasPassed: Bool { secondsLeft <= 0 }

    /// The timeout for a key that is written now; at least a second, which is the kernel's shortest.
    var left: KeyTimeout { (try? KeyTimeout(.seconds(max(secondsLeft, 1)))) ?? timeout }
}
