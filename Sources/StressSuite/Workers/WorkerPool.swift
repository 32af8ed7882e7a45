import Foundation
import Keyutils
import Threads

/// The workers of a round, in threads or in processes.
protocol WorkerPool: AnyObject {
    /// Starts the workers, which wait until the shared log says that the round is running.
    func start() throws(StressError)
    /// Finds out which workers have ended, and returns whether any is still running.
    func isRunning() throws(StressError) -> Bool
    /// Kills one of the processes and starts another one instead; false if none is left to kill.
    func killOne(_ choices: inout Choices) throws(StressError) -> Bool
    /// Ends the workers that have not ended by themselves, and returns how many there were.
    func dismiss() -> Int
    /// The problems of workers that have ended, one line each.
    var failures: [String] { get }
}

/// Workers in threads of this process.
final class ThreadPool: WorkerPool {
    private let threads: WorkerThreads
    /// The problems of the workers; `nil` while they are running.
    private let failuresAtEnd = Locked<[String]?>(nil)

    init(configuration: WorkerConfiguration, sharedLog: SharedLog, makeBackend: BackendMaker?) {
        threads = WorkerThreads(
            configuration: configuration, sharedLog: sharedLog, process: 0, makeBackend: makeBackend)
    }

    func start() {
        Thread.detachNewThread { [threads, failuresAtEnd] in
            var failures: [String] = []
            do { try threads.run() } catch { failures.append("\(error)") }
            failuresAtEnd.withLock { $0 = failures }
        }
    }

    func isRunning() -> Bool { failuresAtEnd.withLock { $0 == nil } }
    func killOne(_ choices: inout Choices) -> Bool { false }

    /// A thread can't be ended from outside.
    func dismiss() -> Int { isRunning() ? 1 : 0 }

    var failures: [String] { failuresAtEnd.withLock { $0 ?? [] } }
}
