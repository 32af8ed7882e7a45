import Glibc
import Testing

@testable import SessionKeyring

@Suite("Points in time")
struct BootTimeTests {
    @Test(
        "a duration is at least zero and at most a year",
        arguments: [
            (Duration.zero, 0), (.seconds(-1), 0), (.nanoseconds(-1), 0), (.nanoseconds(1), 1),
            (.seconds(1), 1_000_000_000),
            (.milliseconds(1_500), 1_500_000_000), (.seconds(31_536_000), 31_536_000_000_000_000),
            (.seconds(31_536_001), 31_536_000_000_000_000), (.seconds(Int64.max), 31_536_000_000_000_000),
        ] as [(Duration, UInt64)])
    func duration(duration: Duration, nanoseconds: UInt64) {
        #expect(BootTime(duration).nanoseconds == nanoseconds)
    }

    @Test("the time between two points is never negative")
    func since() {
        let (early, late) = (BootTime(nanoseconds: 5), BootTime(nanoseconds: 7))
        #expect(late.since(early) == .nanoseconds(2))
        #expect(early.since(late) == .zero)
        #expect(early.since(early) == .zero)
        #expect(BootTime(nanoseconds: .max).since(early) == .nanoseconds(Int64.max))
        #expect(early + late == BootTime(nanoseconds: 12))
    }

    @Test("the clock reads the kernel's CLOCK_BOOTTIME")
    func clock() {
        func kernelTime() -> UInt64 {
            var time = timespec()
            clock_gettime(CLOCK_BOOTTIME, &time)
            return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
        }
        let before = kernelTime()
        let now = BootTime.ofThisNamespace().nanoseconds
        let after = kernelTime()
        #expect(before <= now && now <= after)
    }

    @Test("the clock advances")
    func now() {
        let start = BootTime.now()
        var next = start
        while next == start { next = .now() }
        #expect(next > start)
        #expect(start > BootTime(nanoseconds: 0))
    }
}
