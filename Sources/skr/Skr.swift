package import CommandSupport
import ArgumentParser
import Glibc

/// The whole command, from the words of the command line to the exit code.
package enum Skr {
    /// Runs the command and returns its exit code.
    ///
    /// - Parameter name: the name by which the program was called: `skr`, or a link such as `git-credential-skr`.
    package static func main(arguments: CommandLineWords, name: String) -> Int32 {
        if let call = HelperClients.called(name, arguments) {
            do throws(CommandError) {
                try call.client.action(for: HelperCall(call.client, call.words)).perform()
                return ExitCode.done.rawValue
            } catch {
                return call.client.errors.report(error)
            }
        }
        // Lets `eval "$(skr env ...)"` fail too. An option before the verb is an error.
        let isOptionFirst = arguments[0]?.utf8.first == UInt8(ascii: "-")
        let verbs = 0..<(isOptionFirst ? arguments.terminator ?? arguments.count : 1)
        if verbs.contains(where: { arguments[$0] == "env" }) { Console.setLastWords("false\n") }
        if let action = plain(arguments) {
            // Exit here instead of returning: destroying values takes time, and the kernel frees all memory anyway.
            exit(exitCode { () throws(CommandError) in try action.perform() })
        }
        if arguments[0] == Completion.word {
            Completion.answer(arguments)
            return ExitCode.done.rawValue
        }
        return exitCode { () throws(CommandError) in try parse(arguments)?.perform() }
    }

    /// Returns the action of a plain call (``PlainCall``) of a frequently used verb; `nil` for any other command line.
    package static func plain(_ arguments: CommandLineWords) -> (any VerbAction)? {
        switch arguments[0] {
        case "get": GetAction(plain: arguments)
        case "set": SetAction(plain: arguments)
        case "delete": DeleteAction(plain: arguments)
        case "exec": ExecAction(plain: arguments)
        case "cached": CachedAction(plain: arguments)
        default: nil
        }
    }

    /// Splits options such as `--namespace=é`: the parser would not see an `=` before a combining character.
    private static func splittingValues(_ words: [String]) -> [String] {
        let end = words.firstIndex { $0 == "--" } ?? words.endIndex
        return words[..<end].flatMap { word in
            guard word.hasPrefix("-"), let sign = word.firstIndex(of: "=") else { return [word] }
            let value = word.utf8[sign...].dropFirst()
            return value.first.map { $0 >= 0x80 } ?? false ? [String(word[..<sign]), String(Substring(value))] : [word]
        } + words[end...]
    }

    /// Parses with the argument parser; returns `nil` if the parser itself has answered, as for `--help`.
    package static func parse(_ arguments: CommandLineWords) throws(CommandError) -> (any VerbAction)? {
        let end = RootCommand.launches(arguments[0]) ? arguments.terminator : nil
        // The parser needs to know that there was a '--', but must not look at the command.
        let words = splittingValues(
            RootCommand.asDefined(try arguments.strings(before: end) + (end == nil ? [] : ["--", "CMD"])))
        let launched = arguments.suffix(from: end.map { $0 + 1 } ?? arguments.count)
        if let mistake = LikelyMistake.error(forDurationIn: words) { throw mistake }
        // The parser's own completion scripts would execute a shell command that an item's name contains.
        if words.prefix(while: { $0 != "--" }).contains(where: { $0.hasPrefix("--generate-completion-script") }) {
            throw .usage(
                "unknown option '--generate-completion-script'",
                hint: "'skr help completions' shows how to get the scripts")
        }
        let path = words.first == "help" ? words.dropFirst() : words[...]
        let verb = RootCommand.verb(named: path)
        // For an unknown verb, the parser would show the help of the parent command.
        if let word = path.dropFirst(verb.names.count).first, !word.hasPrefix("-"), word != "help",
            !verb.command.configuration.subcommands.isEmpty
        {
            if verb.names == [HelperCommand.name] { throw HelperClients.unknown(word, among: HelperCommand.ownVerbs) }
            let help = "'skr help \(verb.names.joined(separator: " "))' shows the forms"
            throw verb.names.isEmpty
                ? RootCommand.unknownVerb(word) : .usage("unexpected word \(Display.quoted(word))", hint: help)
        }
        do {
            var command = try RootCommand.parseAsRoot(words)
            if let verb = command as? any VerbCommand { return try verb.action() }
            if let verb = command as? any LaunchingVerb { return try verb.action(launching: launched) }
            try command.run()
            return nil
        } catch let error as CommandError {
            throw error
        } catch {
            let message = RootCommand.fullMessage(for: error, columns: HelpLayout.unbroken)
            let isHelp = message.hasPrefix("OVERVIEW: ")
            // Tell help from an error by its text, not by the parser's exit code: to compute that code, the parser
            // would wrap the help to the terminal's width, however narrow that is.
            guard !isHelp, message != RootCommand.configuration.version else {
                try Console.write(isHelp ? RootCommand.help(of: verb) : "\(message)\n")
                return nil
            }
            throw usageError(RootCommand.message(for: error), of: verb.names, words: words)
        }
    }

    private static func usageError(_ message: String, of verbs: [String], words: [String]) -> CommandError {
        guard let verb = verbs.last else { return .usage(parser: message, hint: "'skr help' lists the verbs") }
        if verb == HelperCommand.name, let error = HelperCommand.optionsBeforeClient(words) { return error }
        let lacksCommand = RootCommand.needsCommand(verb) && !words.contains("--")
        if let hint = LikelyMistake.hint(forOptionIn: message, of: verb) {
            // Drops the parser's guess, which is the option with the most similar spelling.
            return .usage(parser: String(message.prefix(before: ".")), hint: hint)
        }
        let start = lacksCommand ? "write the command after '--'; " : ""
        return .usage(parser: message, hint: "\(start)'skr help \(verbs.joined(separator: " "))' shows the options")
    }

    /// Runs `body`, reports its error and returns the exit code.
    static func exitCode(_ body: () throws(CommandError) -> Void) -> Int32 {
        do throws(CommandError) {
            try body()
            return ExitCode.done.rawValue
        } catch {
            Console.writeLastWords()
            Console.report(error)
            return error.exitCode.rawValue
        }
    }
}
