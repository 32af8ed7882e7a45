import CProcess
import Foundation
import Glibc

/// A process that runs workers for another process.
///
/// Its standard input is the shared memory of the run. The process ends together with its parent, and leaves Ctrl-C to
/// the parent.
package enum WorkerProcess {
    /// Runs the workers of the process whose number is the argument, and returns the exit code.
    package static func run(_ arguments: [String]) -> Int32 {
        for number in [SIGINT, SIGTERM, SIGQUIT, SIGHUP] { signal(number, SIG_IGN) }
        do {
            guard arguments.count == 1, let process = Int(arguments[0]), process >= 0 else {
                throw StressError(.workerFailed, "a worker was started without its number")
            }
            let sharedLog = try SharedLog(descriptor: dup(STDIN_FILENO))
            let configuration = try JSONDecoder().decode(WorkerConfiguration.self, from: Data(sharedLog.plan))
            // Sets the parent-death signal again: the kernel clears it at an exec if the effective user differs from
            // the real one.
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
