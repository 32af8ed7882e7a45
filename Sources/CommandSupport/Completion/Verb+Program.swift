import Keyutils

/// A program without verbs, such as `skr-secrets`.
extension Verb {
    /// Reads its words; `nil` if this has printed the help, the version or, with `--manual DATE`, the manual page.
    ///
    /// - Parameter manual: returns the manual page with this date.
    package static func reading(
        _ line: CommandLineWords, manual: (VerbCall, String) -> ManualPage
    ) throws(CommandError) -> Self? {
        let call = VerbCall(self, names: [name])
        switch line[0] {
        case Completion.word: Completion(of: self).answer(line)
        case "--manual" where line.count == 2: try Console.write(manual(call, line[1] ?? "").text)
        default: return try call.read(line) as? Self
        }
        return nil
    }
}
