import Dispatch
import Foundation
import Keyutils
import Synchronization

/// The user's quota and the kernel's memory that keys take up.
enum Quota {
    /// Waits until at most this many keys are charged to the user, and returns how long that took.
    ///
    /// The kernel collects keys late and in the background. Otherwise, a measurement would pay for the previous one.
    @discardableResult
    static func settle(
        keys: Int, within limit: Duration = .seconds(60), meanwhile: () throws -> Void = { usleep(1_000) }
    ) throws -> Duration {
        let start = ContinuousClock.now
        while try KeyQuota.current().keys > keys {
            guard start.duration(to: .now) < limit else { throw Failure("the kernel does not free the keys in time") }
            try meanwhile()
        }
        return start.duration(to: .now)
    }

    /// The bytes of the kernel's own objects that it can't reclaim on demand.
    static func kernelMemory() throws -> Double {
        for line in try lines(of: "/proc/meminfo") where line.hasPrefix("SUnreclaim:") {
            let words = line.split(separator: " ")
            if words.count > 1, let kilobytes = Double(words[1]) { return kilobytes * 1_024 }
        }
        throw Failure("/proc/meminfo has no SUnreclaim")
    }

    /// The lines of a file in `/proc`, as this process sees it.
    static func lines(of path: String) throws -> [Substring] {
        try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
    }
}

/// Samples the user's quota every millisecond, in a thread.
final class QuotaSampler: Sendable {
    private let isStopped = Atomic(false)
    private let finished = DispatchSemaphore(value: 0)
    private let samples = Mutex<[KeyQuota]>([])

    init() {
        Thread.detachNewThread { [self] in
            while !isStopped.load(ordering: .relaxed) {
                if let sample = try? KeyQuota.current() { samples.withLock { $0.append(sample) } }
                usleep(1_000)
            }
            finished.signal()
        }
    }

    func stop() -> [KeyQuota] {
        isStopped.store(true, ordering: .relaxed)
        finished.wait()
        return samples.withLock { $0 }
    }
}
