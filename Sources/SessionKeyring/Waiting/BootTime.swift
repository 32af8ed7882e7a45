import Glibc

/// A point in time, or a span of it, on the clock that all processes share, that nobody can set, and that goes on while
/// the machine sleeps: `CLOCK_BOOTTIME`, `clock_gettime(2)`, as the initial time namespace shows it.
package struct BootTime: Hashable, Comparable {
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
        BootTime(nanoseconds: UInt64(max(0, Int64(ofThisNamespace().nanoseconds) - namespaceOffset)))
    }

    /// The time as this process's time namespace shows it, for spans that are measured and used by one process.
    @inline(__always)
    static func ofThisNamespace() -> BootTime {
        var time = timespec()
        unsafe clock_gettime(CLOCK_BOOTTIME, &time)
        return BootTime(nanoseconds: UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec))
    }

    /// By how much the clock of this process's time namespace is ahead, so that leases exclude across such namespaces.
    ///
    /// A process stays in its time namespace, and so do the children that it forks.
    private static let namespaceOffset: Int64 = {
        // Kernels before 5.6 have no time namespaces, and where `/proc` is hidden nothing can be known.
        guard let lines = SmallFile.read("/proc/self/timens_offsets") else { return 0 }
        for line in lines.split(separator: UInt8(ascii: "\n")) where line.starts(with: "boottime".utf8) {
            let fields = line.split(separator: UInt8(ascii: " ")).map { Int64(String(decoding: $0, as: UTF8.self)) }
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

    /// How long after `earlier` this is; nothing where it is before.
    func since(_ earlier: BootTime) -> Duration {
        self < earlier ? .zero : .nanoseconds(Int64(clamping: nanoseconds - earlier.nanoseconds))
    }
}
