import Foundation
import Threads

/// Workers in threads of this process.
final class ThreadPool: WorkerPool {
    private let threads: WorkerThreads
    private let end = Locked<End?>(nil)

    private struct End: Sendable {
        let failure: String?
    }

    init(configuration: WorkerConfiguration, sharedLog: SharedLog) {
        threads = WorkerThreads(configuration: configuration, sharedLog: sharedLog, process: 0)
    }

    func start() {
        Thread.detachNewThread { [threads, end] in
            var failure: String?
            do { try threads.run() } catch { failure = "\(error)" }
            end.withLock { $0 = End(failure: failure) }
        }
    }

    func isRunning() -> Bool { end.withLock { $0 == nil } }
    func killOne(_ choices: inout Choices) -> Bool { false }

    /// A thread can't be ended from outside.
    func dismiss() -> Int { isRunning() ? 1 : 0 }

    var failures: [String] { end.withLock { $0?.failure.map { [$0] } ?? [] } }
}
