import CLinux
import CProcess
import CommandSupport
import SystemPackage

/// Replaces this process with another program.
///
/// The program can't tell that it was not started directly: it has the same process, the same terminal and the
/// same signals. Neither we nor the Swift runtime have changed the signal mask or any signal's action by then; a
/// test checks this.
enum Launch {
    /// Runs the command in this process; returns only by throwing an error.
    static func become(
        _ command: CommandLineWords,
        environment: EnvironmentBlock = EnvironmentBlock()
    ) throws(CommandError) -> Never {
        var error = Errno.noSuchFileOrDirectory
        LookupThread.onFirstThread {
            unsafe environment.withPointers { variables in
                guard let program = unsafe command.pointers[0] else { return }
                _ = unsafe execvpe(program, command.pointers, variables)
                error = .last
            }
        }
        throw failure(of: command, error)
    }

    /// Returns the error for a child that could not run the command.
    static func failure(of command: CommandLineWords, _ failure: child_failure) -> CommandError {
        let error = Errno(rawValue: failure.code)
        if failure.step == CHILD_MOVED {
            return cannotRun(command, "can't change to the home folder: \(error.reason)", hint: "check HOME")
        }
        let (step, call) =
            switch failure.step {
            case CHILD_GUARDED: ("start the process that keeps its descendants together", "prctl")
            case CHILD_TIED: ("make it end together with skr", "prctl")
            case CHILD_CONNECTED: ("connect its input and output", "dup2")
            case CHILD_SIGNALS_SET: ("set its signals", "rt_sigaction and rt_sigprocmask")
            default: ("", "")
            }
        guard !step.isEmpty else { return Self.failure(of: command, error) }
        return cannotRun(command, step, error, allow: call)
    }

    /// Returns the error for a child that was not started because its signals could not be forwarded.
    static func cannotForwardSignals(to command: CommandLineWords, _ error: Errno) -> CommandError {
        cannotRun(command, "forward signals to it", error, allow: "signalfd4")
    }

    private static func cannotRun(
        _ command: CommandLineWords, _ step: String, _ error: Errno, allow call: String
    ) -> CommandError {
        cannotRun(command, "can't \(step): \(error.reason)", hint: "allow \(call) in the container's seccomp profile")
    }

    private static func failure(of command: CommandLineWords, _ error: Errno) -> CommandError {
        Executable.failure(of: command.lossyFirst, error)
    }

    private static func cannotRun(_ command: CommandLineWords, _ reason: String, hint: String) -> CommandError {
        Executable.cannotRun(command.lossyFirst, reason, hint: hint)
    }
}
