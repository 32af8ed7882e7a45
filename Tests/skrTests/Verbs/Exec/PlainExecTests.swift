import TestSupport
import Testing

import Threads
import skr

/// Like ``PlainCallTests``, for `skr exec`.
@Suite("Plain calls of exec and the argument parser agree")
struct PlainExecTests {
    private func compare(_ words: [String]) throws -> Bool {
        let arguments = CommandLineWords(leaking: words)
        guard let plain = Skr.plain(arguments) else { return false }
        let parsed = try Skr.parse(arguments)
        #expect(parsed.map { isSame(plain, $0) } == true, "\(words)")
        return true
    }

    @Test(
        "calls as people type them are plain calls",
        arguments: [
            "exec -- env", "exec -n work -e A=skr://api -e B -- env -e", "exec --env A=skr://api -- env",
            "exec --env A=skr://a/b?field=c --env B=skr://d -- sh -c x",
            "exec --env-file .env -- npm start", "exec --file A=skr://api --env-file a --env-file b -- x --env -- y",
            "exec --scope user --namespace n --env A=skr://api -- ls --help",
            "exec --env A=skr://api --env A=skr://b -- x", "exec --inherited -- x", "exec --env A --env B=skr://b -- x",
            "exec --env A=skr://api --inherited -- x",
        ]
    )
    func plain(line: String) throws {
        #expect(try compare(line.split(separator: " ").map(String.init)))
    }

    @Test(
        "unusual or wrong calls are left to the argument parser",
        arguments: [
            "exec", "exec --", "exec env", "exec --env A=skr://api", "exec --env A=skr://api --", "exec --env -- x",
            "exec --env A=b -- x", "exec --file A -- x", "exec --no-inherited -- x", "exec --env 1=skr://api -- x",
            "exec --env A=skr:// -- x",
            "exec x -- y", "exec --help -- x", "exec --env=A=skr://api -- x", "exec --scope x -- y",
            "exec --scope user --scope user -- x", "exec --env A=skr://a --file A=skr://a -- x", "execs -- x",
            "get -- x", "exec --inherited --inherited -- x",
        ]
    )
    func unusual(line: String) {
        #expect(Skr.plain(CommandLineWords(leaking: line.split(separator: " ").map(String.init))) == nil)
    }

    @Test("both parsers read a random command line alike, or only the argument parser accepts it", .tags(.anyUser))
    func random() throws {
        let words = [
            "--env", "A", "--inherited", "A=skr://api", "B=skr://db/al?field=x", "A=b", "--file", "C=skr://tls",
            "--env-file", ".env", "",
            "-",
            "--", "--scope", "user", "--namespace", "n", "--help", "x", "--env=A=skr://api", "é",
        ]
        print("seed \(testSeed)")
        var random = Choices(seed: testSeed)
        var taken = 0
        for _ in 0..<3_000 {
            var line = ["exec"]
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                let pair = [
                    ["--env", "A=skr://api"], ["--env", "A"], ["--env-file", "f"], ["--file", "C=skr://tls"],
                    ["--scope", "user"], ["-e", "B=skr://api"], ["-n", "n"],
                ]
                line += pair.randomElement(using: &random) ?? []
            }
            for _ in 0..<Int.random(in: 0...2, using: &random) {
                line.append(words.randomElement(using: &random) ?? "")
            }
            line += ["--", "x"]
            if try compare(line) { taken += 1 }
        }
        #expect(taken > 200)
    }
}
