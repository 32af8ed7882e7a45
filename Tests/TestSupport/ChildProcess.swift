import CTestFilters
import Foundation
import Glibc

/// A program that a test starts, which is the same whoever runs the tests: every signal has its default action and none is
/// blocked, it leads a process group, and has no files of ours but those that it is given.
///
/// Its limits, and names of the environment that the command reads, are put right in `surroundings.c`.
package struct ChildProcess {
    /// Longer than any machine is busy.
    package static let waitLimit = Duration.seconds(60)

    /// Why there is nothing to look at.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String

        package init(description: String) {
            self.description = description
        }
    }

    package let processID: pid_t

    /// Starts it.
    ///
    /// - Parameter files: what it has as standard input, output and error.
    package init(
        _ program: String, _ arguments: [String], environment: [String], files: (CInt, CInt, CInt)
    ) throws {
        let words = ([program] + arguments).map { strdup($0) } + [nil]
        let variables = environment.map { strdup($0) } + [nil]
        defer { (words + variables).forEach { free($0) } }
        var child = pid_t()
        let code = test_spawn(&child, program, words, variables, [files.0, files.1, files.2])
        guard code == 0 else { throw Failure(description: "\(program): \(String(cString: strerror(code)))") }
        processID = child
    }

    /// How it ended: its exit code, or 128 and the number of the signal; it is killed where it has not until then.
    ///
    /// - Throws: ``Failure`` in that case.
    package func wait(until giveUp: ContinuousClock.Instant) throws -> Int32 {
        var status = CInt()
        while waitpid(processID, &status, WNOHANG) == 0 {
            guard ContinuousClock.now < giveUp else {
                kill()
                waitpid(processID, &status, 0)
                throw Failure(description: "the program did not end and was killed")
            }
            usleep(500)
        }
        return status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + status & 0x7F
    }

    /// Kills it and its children, but for those that have left its process group.
    package func kill() {
        Glibc.kill(-processID, SIGKILL)
    }

    /// The environment of the tests, with these names changed.
    package static func environment(_ changes: [String: String]) -> [String] {
        ProcessInfo.processInfo.environment.merging(changes) { $1 }.map { "\($0)=\($1)" }
    }
}
