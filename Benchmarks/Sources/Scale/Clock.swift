import Glibc

/// Nanoseconds since the machine was started, and seconds as key timeouts are counted in.
enum Clock {
    static func now() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// Nanoseconds that this thread has had a processor.
    static func processorTime() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// Seconds since 1970, with their fraction.
    static func date() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    static func sleep(until date: Double) {
        while true {
            let left = date - self.date()
            if left <= 0 { return }
            usleep(UInt32(min(left, 1) * 1e6) + 1)
        }
    }
}
