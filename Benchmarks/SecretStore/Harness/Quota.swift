import Dispatch
import Foundation
import Keyutils
import Synchronization

/// What keys take of the user's quota and of the kernel's memory.
enum Quota {
    /// Waits until no more than so many keys are charged, and tells how long that took.
    ///
    /// The kernel collects late and in the background; whatever is measured next would pay for what was measured before.
    @discardableResult
    static func settle(
        keys: Int, within limit: Duration = .seconds(60), meanwhile: () throws -> Void = { usleep(1_000) }
    ) throws -> Duration {
        let start = ContinuousClock.now
        while try KeyQuota.current().keys > keys {
            guard start.duration(to: .now) < limit else { throw Failure("the kernel does not collect") }
            try meanwhile()
        }
        return start.duration(to: .now)
    }

    /// Bytes of the kernel's own objects that it can't give back on demand.
    static func kernelMemory() throws -> Double {
        for line in try lines(of: "/proc/meminfo") where line.hasPrefix("SUnreclaim:") {
            let words = line.split(separator: " ")
            if words.count > 1, let kilobytes = Double(words[1]) { return kilobytes * 1_024 }
        }
        throw Failure("/proc/meminfo has no SUnreclaim")
    }

    /// The lines of a file of `/proc`, as this process sees it.
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
