import CLinux
import CProcess
import CommandSupport
import SystemPackage

/// Replaces this process with another program.
///
/// The program can't tell that it was not started directly: it has the same process, the same terminal and the
/// same signals. Neither we nor the Swift runtime have changed the signal mask or any signal's action by then, except
/// SIGCHLD's for a child, which is restored; tests check this.
enum Launch {
    /// Runs the command in this process; returns only by throwing an error.
    static func become(
        _ command: CommandLineWords,
        environment: EnvironmentBlock = EnvironmentBlock()
    ) throws(CommandError) -> Never {
        var error = Errno.noSuchFileOrDirectory
        unsafe environment.withPointers { variables in
            guard unsafe command.pointers[0] != nil else { return }
            unsafe become_program(command.pointers, variables)
            error = .last
        }
        throw Executable.failure(of: command.lossyFirst, error)
    }

    /// Returns the error for a child that could not run the command.
    static func failure(of command: CommandLineWords, _ failure: child_failure) -> CommandError {
        let error = Errno(rawValue: failure.code)
        let name = command.lossyFirst
        return switch failure.step {
        case CHILD_STARTED: cannotStart(name, error)
        case CHILD_GUARDED:
            cannot("start the process that keeps its descendants together", for: name, error, allow: "prctl")
        case CHILD_TIED: cannot("make it end together with skr", for: name, error, allow: "prctl")
        case CHILD_CONNECTED: cannot("connect its input and output", for: name, error, allow: "dup2")
        case CHILD_MOVED:
            Executable.cannotRun(name, "can't change to the home folder: \(error.reason)", hint: "check HOME")
        case CHILD_SIGNALS_SET: cannot("set its signals", for: name, error, allow: "rt_sigaction and rt_sigprocmask")
        default: Executable.failure(of: name, error)
        }
    }

    /// Returns the error for a child that was not started because its signals could not be forwarded.
    static func cannotForwardSignals(to command: CommandLineWords, _ error: Errno) -> CommandError {
        cannot("forward signals to it", for: command.lossyFirst, error, allow: "signalfd4")
    }

    /// Returns the error for a child that the system has no room for.
    private static func cannotStart(_ name: String, _ error: Errno) -> CommandError {
        CommandError(
            exitCode: .tryAgain, message: "can't start a process for \(Display.quoted(name)): \(error.reason)",
            hint: "try again later, or raise the limits on processes and open files (ulimit -u, ulimit -n)")
    }

    private static func cannot(
        _ step: String, for name: String, _ error: Errno, allow call: String
    ) -> CommandError {
        let isLackOfRoom = [.tooManyOpenFiles, .tooManyOpenFilesInSystem, .noMemory].contains(error)
        if isLackOfRoom { return cannotStart(name, error) }
        return Executable.cannotRun(
            name, "can't \(step): \(error.reason)", hint: "allow \(call) in the container's seccomp profile")
    }
}
