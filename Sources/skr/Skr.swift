import ArgumentParser
import Glibc

/// From the words of the command line to the exit code.
package enum Skr {
    package static func main(arguments: CommandLineWords) -> Int32 {
        if let invocation = PlainCall.parse(arguments) ?? PlainExec.parse(arguments) {
            // Ending here spares the hot verbs the taking apart of what the process's end frees anyway.
            exit(run { () throws(CommandError) in try invocation.run() })
        }
        if arguments[0] == Completion.word {
            Completion.answer(arguments)
            return ExitCode.done.rawValue
        }
        return run { () throws(CommandError) in
            guard let invocation = try parse(arguments) else { return }
            try invocation.run()
        }
    }

    /// Parses with the argument parser; `nil` where it answered by itself, as it does for `--help`.
    package static func parse(_ arguments: CommandLineWords) throws(CommandError) -> Invocation? {
        let (words, launched) = try RootCommand.launches(arguments[0]) ? arguments.launchSplit : arguments.unsplit
        do {
            var command = try RootCommand.parseAsRoot(words)
            if let verb = command as? any LaunchingCommand {
                return try verb.invocation(launching: launched)
            }
            if let verb = command as? any VerbCommand { return try verb.invocation() }
            try command.run()
            return nil
        } catch let error as CommandError {
            throw error
        } catch {
            let message = RootCommand.fullMessage(for: error)
            guard RootCommand.exitCode(for: error) != .success else {
                try Console.writeLine(message)
                return nil
            }
            throw usageError(RootCommand.message(for: error), words: words)
        }
    }

    private static func usageError(_ message: String, words: [String]) -> CommandError {
        let verbs = RootCommand.configuration.subcommands.compactMap { $0.configuration.commandName }
        guard let verb = words.first, verbs.contains(verb) else {
            let isVerb = words.first.map { !$0.hasPrefix("-") } ?? false
            return .usage(
                isVerb ? "no such verb: \(words[0])" : message.inHouseStyle, hint: "'skr --help' lists the verbs")
        }
        guard !RootCommand.launches(verb) || words.contains("--") else {
            return .usage(
                message.inHouseStyle, hint: "write the command behind '--'; 'skr help \(verb)' shows the options")
        }
        return .usage(message.inHouseStyle, hint: "'skr help \(verb)' shows its options")
    }

    private static func run(_ body: () throws(CommandError) -> Void) -> Int32 {
        do throws(CommandError) {
            try body()
            return ExitCode.done.rawValue
        } catch {
            Console.report(error)
            return error.exitCode.rawValue
        }
    }
}

extension String {
    /// One line, lowercase at the start: as all our errors are, while the argument parser's are sentences.
    fileprivate var inHouseStyle: String {
        let line = split(separator: "\n").first.map(String.init) ?? self
        return line.prefix(1).lowercased() + line.dropFirst()
    }
}
