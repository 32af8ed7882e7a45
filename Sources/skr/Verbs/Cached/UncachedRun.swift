import CommandSupport
import Glibc

/// The command itself, in a session that another user owns: what would be kept there is that user's to read, and what lies
/// there may be that user's making.
struct UncachedRun {
    let command: CommandLineWords
    let sessionOwner: UInt32

    func run() throws(CommandError) -> Never {
        let warning = """
            skr: warning: nothing is kept: the session belongs to user \(sessionOwner)
            skr: hint: start a session of your own with 'skr session', use --scope user, or share this one with --scope session

            """
        _ = unsafe Console.put(warning.utf8Span.span.bytes, to: STDERR_FILENO)
        let input = try CachedFetch.input()
        if input >= 0 { dup2(input, STDIN_FILENO) }
        try Launch.become(command)
    }
}
