import CTestFilters
import Foundation
import Glibc

/// A program that a test starts, in the same surroundings for every user who runs the tests.
///
/// Every signal has its default action and none is blocked. The program leads a process group, and inherits no open
/// files except the given ones. `surroundings.c` sets the limits and removes the environment variables that the
/// command reads.
package struct ChildProcess {
    /// The longest wait for a program: longer than any busy machine needs.
    package static let waitLimit = Duration.seconds(60)

    /// The reason why a program could not be run.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String

        package init(description: String) {
            self.description = description
        }
    }

    package let processID: pid_t

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - files: the program's standard input, output and error.
    ///   - inSession: whether the program gets the session keyring of the calling thread. Otherwise, it gets the one
    ///     that the tests were started with, if there was one.
    package init(
        _ program: String, _ arguments: [String], environment: [String], files: (CInt, CInt, CInt),
        inSession: Bool = false
    ) throws {
        let words = ([program] + arguments).map { strdup($0) } + [nil]
        let variables = environment.map { strdup($0) } + [nil]
        defer { (words + variables).forEach { free($0) } }
        var child = pid_t()
        let code = test_spawn(&child, program, words, variables, [files.0, files.1, files.2], inSession)
        guard code == 0 else { throw Failure(description: "\(program): \(String(cString: strerror(code)))") }
        processID = child
    }

    /// Waits for the program to end, and kills it if it hasn't ended by `giveUp`.
    ///
    /// - Returns: the exit code, or 128 plus the number of the signal that ended the program.
    /// - Throws: ``Failure`` if the program had to be killed.
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

    /// Kills the program and its children, except those that have left its process group.
    package func kill() {
        Glibc.kill(-processID, SIGKILL)
    }

    /// Returns the environment of the tests with these variables changed.
    package static func environment(_ changes: [String: String]) -> [String] {
        ProcessInfo.processInfo.environment.merging(changes) { $1 }.map { "\($0)=\($1)" }
    }
}
