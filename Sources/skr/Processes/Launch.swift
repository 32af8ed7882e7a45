import CommandSupport
import CLinux
import CProcess
import Glibc

/// Becomes another program: same process, same terminal, same signals, so that nobody can tell it from one that was started
/// directly.
///
/// Nothing here or in the Swift runtime has changed signal dispositions or the mask by now, but for the one signal that the
/// C library keeps for its threads; a test watches that.
enum Launch {
    /// Returns only by an error.
    static func become(
        _ command: CommandLineWords,
        environment: EnvironmentBlock = EnvironmentBlock()
    ) throws(CommandError) -> Never {
        var code = ENOENT
        LookupThread.onFirstThread {
            unsafe command.withPointers { words in
                unsafe environment.withPointers { variables in
                    guard let program = unsafe words[0] else { return }
                    _ = unsafe execvpe(program, words, variables)
                    code = errno
                }
            }
        }
        throw failure(of: command, code: code)
    }

    /// Whether there is a file of that name where it was looked for.
    ///
    /// C says 'permission denied' where a folder of PATH may not be searched, and a shell that there is no such command.
    private static func isThere(_ name: String) -> Bool {
        if name.utf8.contains(UInt8(ascii: "/")) { return true }
        guard let path = unsafe getenv("PATH") else { return true }
        return unsafe String(cString: path).split(separator: ":", omittingEmptySubsequences: false).contains { folder in
            unsafe access("\(folder.isEmpty ? "." : folder)/\(name)", F_OK) == 0
        }
    }

    /// What a child of ours could not do.
    static func failure(of command: CommandLineWords, _ failure: child_failure) -> CommandError {
        let (step, call) =
            switch failure.step {
            case CHILD_TIED: ("have it end with skr", "prctl")
            case CHILD_CONNECTED: ("connect its input and output", "dup2")
            case CHILD_SIGNALS_SET: ("set its signals", "rt_sigaction and rt_sigprocmask")
            default: ("", "")
            }
        guard !step.isEmpty else { return Self.failure(of: command, code: failure.code) }
        let reason = unsafe String(cString: strerror(failure.code)).lowercased()
        return CommandError(
            exitCode: .cannotExecute,
            message: "can't run \(Display.quoted(command.lossyFirst)): can't \(step): \(reason)",
            hint: "allow \(call) in the container's seccomp profile")
    }

    private static func failure(of command: CommandLineWords, code: CInt) -> CommandError {
        let name = Display.quoted(command.lossyFirst)
        let reason = unsafe String(cString: strerror(code)).lowercased()
        switch code == EACCES && !isThere(command.lossyFirst) ? ENOENT : code {
        case ENOENT:
            return CommandError(
                exitCode: .noCommand, message: "no such command: \(name)", hint: "name a program in PATH, or its path")
        case E2BIG:
            return CommandError(
                exitCode: .cannotExecute, message: "can't run \(name): \(reason)",
                hint: "a variable holds up to 128 KiB; hand large secrets over with --file"
            )
        default:
            return CommandError(
                exitCode: .cannotExecute, message: "can't run \(name): \(reason)",
                hint: "name a file that you may execute"
            )
        }
    }
}
