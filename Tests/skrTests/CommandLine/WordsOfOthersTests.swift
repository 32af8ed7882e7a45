import Foundation
import Testing

@Suite("Words from other commands")
struct WordsOfOthersTests {
    @Test(
        "the hint for an unknown verb names the verb that was meant",
        arguments: [
            ("ls", "list"), ("rm", "delete"), ("remove", "delete"), ("show", "get"), ("print", "get"), ("put", "set"),
            ("save", "set"), ("add", "set --new"), ("create", "set --new"), ("run", "exec"),
            ("gte", "get"), ("st", "set"), ("sesion", "session"), ("lst", "list"), ("dele", "delete"), ("exe", "exec"),
            ("Get", "get"),
        ])
    func verbs(typed: String, meant: String) throws {
        for words in [[typed, "api"], ["help", typed]] {
            let outcome = try CommandRunner().run(words, input: Data())
            #expect(outcome.exitCode == 64 && outcome.output.isEmpty)
            #expect(
                outcome.errors.hasPrefix("skr: error: no such verb: \(typed)\nskr: hint: did you mean '\(meant)'? "))
        }
    }

    @Test("version prints the same as --version")
    func version() throws {
        let outcome = try CommandRunner().run("version")
        #expect(try outcome == CommandRunner().run("--version"))
        #expect(outcome.exitCode == 0 && outcome.output.hasPrefix("skr "))
    }

    @Test(
        "for a bad duration, the hint shows the forms of a duration, whatever the option",
        arguments: [
            "set api --timeout soon", "set api --timeout=1.5h", "set api --timeout 0", "set api --timeout -1",
            "expire api --timeout soon", "expire api --timeout 0", "lock a --timeout soon -- true",
            "lock a --wait soon -- true", "cached a --timeout soon -- true", "cached a --timeout 0 -- true",
            "cached a --timeout 5m --refresh-before soon -- true", "cached a --timeout 5000000000 -- echo ran",
            "cached a --timeout 5m --cache-failures 5000000000 -- echo ran", "set api --timeout 5000000000",
            "cached a --timeout 5m --cache-failures soon -- true", "cached a --timeout 5m --cache-failures 0 -- true",
            "cached a --timeout 5m --limit 0 -- echo ran", "helper aws a --limit 0 -- echo ran",
            "helper go a --limit 5000000000 -- echo ran",
        ])
    func durations(line: String) throws {
        let outcome = try CommandRunner().inSession("printf x | skr set api; printf y | skr \(line)")
        #expect(outcome.exitCode == 64 && outcome.output.isEmpty)
        let hint = outcome.errors.split(separator: "\n").last ?? ""
        #expect(hint.hasPrefix("skr: hint: ") && hint.contains("90, 90s, 15m, 8h, 2d or 1h30m"), "\(outcome.errors)")
    }
}
