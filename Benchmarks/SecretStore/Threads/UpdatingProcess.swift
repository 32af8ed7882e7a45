import Dispatch
import Foundation
import SessionKeyring
import Synchronization
import SyscallCounter

/// A process whose threads update the item.
///
/// It writes a byte when its threads are ready, begins when it reads a byte, and prints the outcome as JSON.
enum UpdatingProcess {
    static let word = "update"
    static let threads = 8

    struct Outcome: Codable {
        /// How long each successful update took.
        var nanoseconds: [Double] = []
        /// The error codes of all other updates.
        var failures: [String] = []
        /// The number of system calls by all threads; `nil` if they could not be counted.
        var systemCalls: Int?
    }

    /// Runs the updates.
    ///
    /// - Parameter options: `UPDATES`, how often each thread updates the item.
    static func update(_ options: [String]) throws -> CInt {
        let updates = options.first.flatMap { Int($0) } ?? 0
        let store = try SecretStore()
        let calls = SystemCalls()
        let group = UpdatingThreads(store, updates)
        try FileHandle.standardOutput.write(contentsOf: Data([1]))
        guard try FileHandle.standardInput.read(upToCount: 1)?.count == 1 else {
            throw Failure("the signal to start is missing")
        }
        let callsBefore = calls.count
        var outcome = group.run()
        outcome.systemCalls = calls.count.flatMap { count in callsBefore.map { count - $0 } }
        Console.line(String(decoding: try JSONEncoder().encode(outcome), as: UTF8.self))
        return 0
    }
}

/// The threads of one process, which update the same item.
private final class UpdatingThreads: Sendable {
    private let ready = DispatchSemaphore(value: 0)
    private let start = DispatchSemaphore(value: 0)
    private let finished = DispatchSemaphore(value: 0)
    private let outcome = Mutex(UpdatingProcess.Outcome())

    /// Starts the threads, which wait for `run`.
    init(_ store: SecretStore, _ updates: Int) {
        for _ in 0..<UpdatingProcess.threads {
            Thread.detachNewThread { [self] in
                ready.signal()
                start.wait()
                let (times, failures) = Self.update(store, updates)
                outcome.withLock {
                    $0.nanoseconds += times
                    $0.failures += failures
                }
                finished.signal()
            }
        }
        for _ in 0..<UpdatingProcess.threads { ready.wait() }
    }

    /// Lets all threads begin, and waits for the last one.
    func run() -> UpdatingProcess.Outcome {
        for _ in 0..<UpdatingProcess.threads { start.signal() }
        for _ in 0..<UpdatingProcess.threads { finished.wait() }
        return outcome.withLock { $0 }
    }

    private static func update(_ store: SecretStore, _ updates: Int) -> (times: [Double], failures: [String]) {
        var (times, failures): ([Double], [String]) = ([], [])
        for _ in 0..<updates {
            let start = ContinuousClock.now
            do {
                try store.blockingUpdate(
                    Contention.item, as: Int.self, lasting: Lifetime(Workbench.timeout), waiting: .seconds(60)
                ) { ($0 ?? 0) + 1 }
                times.append(start.elapsed.nanoseconds)
            } catch {
                failures.append((error as? SecretStoreError).map { "\($0.code)" } ?? "\(error)")
            }
        }
        return (times, failures)
    }
}

/// Counts the system calls of this thread and of the threads that it starts, if the kernel allows it.
private struct SystemCalls {
    private let counter = open_call_counter()

    /// The number of calls so far; `nil` if they can't be counted.
    var count: Int? {
        let count = counted_calls(counter)
        return count < 0 ? nil : count
    }
}
