import CProcess
import Foundation
import Glibc

/// A process that runs actors for another one.
///
/// Standard input is the memory of the run. The process ends with the one that started it, and leaves the keys of the
/// terminal to that one.
package enum ActorProcess {
    /// Runs the actors of the process that the argument names; the exit code of the process.
    package static func run(_ arguments: [String]) -> Int32 {
        for number in [SIGINT, SIGTERM, SIGQUIT, SIGHUP] { signal(number, SIG_IGN) }
        do {
            guard arguments.count == 1, let process = Int(arguments[0]), process >= 0 else {
                throw StressError(.actorFailed, "an actor was started without its number")
            }
            let board = try RunBoard(descriptor: dup(STDIN_FILENO))
            let briefing = try JSONDecoder().decode(ActorBriefing.self, from: Data(board.plan))
            // Again, because the kernel forgets it at an exec of a user who is another than the real one.
            guard end_with_parent(briefing.parent) == 0 else {
                throw StressError(.actorFailed, "the run has ended")
            }
            try ActorTeam(briefing: briefing, board: board, process: process).run()
            return 0
        } catch {
            FileHandle.standardError.write(Data("an actor failed: \(error)\n".utf8))
            return 70
        }
    }
}
