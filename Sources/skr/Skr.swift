package import CommandSupport
import Glibc

/// The whole command, from the words of the command line to the exit code.
package enum Skr {
    /// Runs the command and returns its exit code.
    ///
    /// - Parameter name: the name by which the program was called: `skr`, or a link such as `git-credential-skr`.
    package static func main(arguments: CommandLineWords, name: String) -> Int32 {
        if let (client, words) = HelperClients.called(name, arguments) {
            do throws(CommandError) {
                try run(VerbCall(client, names: [RootVerb.name, HelperVerb.name, client.name]), words)
                return ExitCode.done.rawValue
            } catch {
                return client.errors.report(error)
            }
        }
        // Lets `eval "$(skr env ...)"` fail too. An option before the verb is an error.
        let isOptionFirst = arguments[0]?.utf8.first == UInt8(ascii: "-")
        let verbs = 0..<(isOptionFirst ? arguments.terminator ?? arguments.count : 1)
        if verbs.contains(where: { arguments[$0] == "env" }) { Console.setLastWords("false\n") }
        if arguments[0] == Completion.word {
            Completion(of: RootVerb.self) { NameSource(rawValue: $0)?.names(among: $1, typing: $2) ?? [] }.answer(
                arguments)
            return ExitCode.done.rawValue
        }
        return exitCode { () throws(CommandError) in
            let isHelp = arguments[0] == "help"
            let words = arguments.suffix(from: isHelp ? 1 : 0)
            let call = VerbCall(of: RootVerb.self) { words[$0] }
            let rest = words.suffix(from: call.depth)
            // A text never asks for help, except through `skr helper`.
            try isHelp || call.verb.takesText ? help(call, rest) : run(call, rest)
        }
    }

    private static func run(_ call: VerbCall, _ words: CommandLineWords) throws(CommandError) {
        let verb = try call.read(words) { option in
            LikelyMistake.hint(forOption: option, of: call.names.count > 1 ? call.names[1] : "")
        }
        guard let verb else { return }
        try CommandError.translating(verb.run)
        // Exit here instead of returning: destroying values takes time, and the kernel frees all memory anyway.
        exit(ExitCode.done.rawValue)
    }

    private static func help(_ call: VerbCall, _ words: CommandLineWords) throws(CommandError) {
        if let word = try words.strings().first, !["help", "--help", "-h"].contains(where: { $0 == word }) {
            let unknown = word.utf8.first == UInt8(ascii: "-") ? nil : call.verb.unknownVerb(word)
            throw unknown ?? .usage("unexpected word \(Display.quoted(word))", hint: call.helpHint)
        }
        try Console.write(HelpText.of(call))
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
