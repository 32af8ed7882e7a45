import CProcess
import Foundation
import Glibc

/// A process that runs workers for another one.
///
/// Standard input is the memory of the run. The process ends with the one that started it, and leaves Ctrl-C to that
/// one.
package enum WorkerProcess {
    /// Runs the workers of the process that the argument names; the exit code of the process.
    package static func run(_ arguments: [String]) -> Int32 {
        for number in [SIGINT, SIGTERM, SIGQUIT, SIGHUP] { signal(number, SIG_IGN) }
        do {
            guard arguments.count == 1, let process = Int(arguments[0]), process >= 0 else {
                throw StressError(.workerFailed, "a worker was started without its number")
            }
            let sharedLog = try SharedLog(descriptor: dup(STDIN_FILENO))
            let configuration = try JSONDecoder().decode(WorkerConfiguration.self, from: Data(sharedLog.plan))
            // Again, because the kernel forgets it at an exec where the effective user is not the real one.
            guard end_with_parent(configuration.parent) == 0 else {
                throw StressError(.workerFailed, "the run has ended")
            }
            try WorkerThreads(configuration: configuration, sharedLog: sharedLog, process: process).run()
            return 0
        } catch {
            FileHandle.standardError.write(Data("a worker failed: \(error)\n".utf8))
            return 70
        }
    }
}
