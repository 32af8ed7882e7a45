import Foundation
import Glibc
import Threads

/// Measures for how long all of the pool's threads are blocked.
///
/// A task and a Dispatch block sleep for 2 ms again and again, on the few threads that all tasks and blocks share.
/// Another thread watches these beats. If a beat is due, and no other thread of the process runs or waits for a
/// processor, then the pool is blocked. So neither a busy machine nor a computation counts.
final class StallMeter: Sendable {
    /// A task or a block that continued late, in milliseconds.
    struct Delay: Codable {
        /// "task" or "Dispatch".
        var beat: String
        /// When it was due, counted from the start of the measurement.
        var due: Double
        /// How late it was.
        var length = 0.0
        /// For how much of that time the pool was blocked.
        var blocked = 0.0
    }

    private struct State {
        var isOver = false
        /// The beats that have not come yet, by their names.
        var pending: [String: Delay] = [:]
        var worst: Delay?
    }

    private let state = Locked(State())
    private let start = Now.milliseconds
    private let running = DispatchGroup()

    /// Starts the measurement.
    ///
    /// - Parameter priority: the priority of the tasks under test. Each priority has its own threads.
    init(priority: TaskPriority) {
        for _ in 0..<3 { running.enter() }
        Task(priority: priority) {
            repeat {
                begin("task")
                try? await Task.sleep(for: .milliseconds(2), tolerance: .zero)
            } while end("task")
            running.leave()
        }
        beatOnQueue()
        Thread.detachNewThread { [self] in
            watch()
            running.leave()
        }
    }

    private func beatOnQueue() {
        begin("Dispatch")
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(2)) { [self] in
            if end("Dispatch") { beatOnQueue() } else { running.leave() }
        }
    }

    private var now: Double { Now.milliseconds - start }

    private func begin(_ beat: String) {
        let due = now + 2
        state.withLock { $0.pending[beat] = Delay(beat: beat, due: due) }
    }

    /// Records that a beat has come, and returns false if it was the last one.
    private func end(_ beat: String) -> Bool {
        let now = now
        return state.withLock { state in
            guard var delay = state.pending.removeValue(forKey: beat) else { return false }
            delay.length = max(0, now - delay.due)
            if state.worst.map({ ($0.blocked, $0.length) < (delay.blocked, delay.length) }) ?? true {
                state.worst = delay
            }
            return !state.isOver
        }
    }

    private func watch() {
        var last = now
        while !state.withLock({ $0.isOver && $0.pending.isEmpty }) {
            usleep(1_000)
            let now = now
            // If this thread itself was late, it doesn't know what the other threads did during that time.
            let elapsed = min(now - last, 3)
            last = now
            let late = state.withLock { $0.pending.values.filter { $0.due + 1 < now } }
            guard !late.isEmpty, !ThreadStates.isAnotherRunnable() else { continue }
            state.withLock { state in
                // Only the beats that have not come since.
                for beat in late where state.pending[beat.beat]?.due == beat.due {
                    state.pending[beat.beat]?.blocked += elapsed
                }
            }
        }
    }

    /// Ends the measurement once each beat that was due has come.
    ///
    /// - Returns: the delay during which the pool was blocked for the longest time.
    func stop() async -> Delay? {
        state.withLock { $0.isOver = true }
        await withCheckedContinuation { ended in
            running.notify(queue: .global()) { ended.resume() }
        }
        return state.withLock { $0.worst }
    }
}

/// The threads of this process as the kernel reports them in `proc_pid_stat(5)`.
private enum ThreadStates {
    /// Whether a thread other than the calling one runs or waits for a processor.
    static func isAnotherRunnable() -> Bool {
        guard let directory = opendir("/proc/self/task") else { return true }
        defer { closedir(directory) }
        // The calling thread runs, and does not count.
        var count = -1
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if let thread = pid_t(name), state(of: thread) == UInt8(ascii: "R") { count += 1 }
        }
        return count > 0
    }

    private static func state(of thread: pid_t) -> UInt8? {
        let file = open("/proc/self/task/\(thread)/stat", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var buffer = [UInt8](repeating: 0, count: 128)
        let count = read(file, &buffer, buffer.count)
        // The state follows the name, which is in parentheses, and a space.
        guard count > 0, let end = buffer[..<count].lastIndex(of: UInt8(ascii: ")")), end + 2 < count else {
            return nil
        }
        return buffer[end + 2]
    }
}

/// The monotonic clock.
enum Now {
    static var milliseconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) * 1_000 + Double(time.tv_nsec) / 1_000_000
    }
}
