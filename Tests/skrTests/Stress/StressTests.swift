import Foundation
import Testing

@Suite("The command line of skr-stress")
struct StressTests {
    @Test("the hint for skr stress is skr-stress")
    func moved() throws {
        for words in [
            ["stress"], ["stress", "--help"], ["stress", "-h"], ["stress", "--version"], ["stress", "--threads", "2"],
            ["help", "stress"],
        ] {
            let outcome = try CommandRunner().run(words, input: Data())
            #expect(outcome.exitCode == 64 && outcome.output.isEmpty)
            #expect(outcome.errors == "skr: error: 'skr stress' is a separate command\nskr: hint: use skr-stress\n")
        }
    }

    @Test("help and completions have all options, and all names that they accept")
    func definitions() throws {
        for words in [
            "--help", "---complete zsh skr-stress --workload ''; skr-stress ---complete zsh skr-stress --fault ''",
        ] {
            let text = try CommandRunner().shell("skr-stress \(words)").output
            for name in ["read-heavy", "sessions", "drop-write", "short-list"] {
                #expect(text.contains(name), "\(words): \(name)")
            }
        }
        #expect(try CommandRunner().shell("skr-stress --version").output == "skr-stress 0.1.0\n")
    }
}
