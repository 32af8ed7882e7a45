import Foundation
import Testing

@Suite("The command line of skr-stress")
struct StressTests {
    @Test(
        "a bad option is an error before anything runs",
        arguments: [
            ("--workload reading", "the value 'reading' is invalid for '--workload <name>': use classic, read-heavy,"),
            ("--fault all", "the value 'all' is invalid for '--fault <name>': use drop-write, tear-value,"),
            ("--threads 0", "--threads must be from 1 to 1024, not 0"),
            ("--processes 1000", "--processes must be from 1 to 256, not 1000"),
            ("--items 0", "--items must be from 1 to 100000, not 0"),
            ("--kill-every 0", "--kill-every must be from 1 to 3600000, not 0"),
            ("--duration 0", "--duration must be from 1s to 7d"),
            ("--duration soon", "the value 'soon' is invalid for '--duration <duration>'"),
            ("--duration 5s --operations 7", "--duration and --operations can't be used together"),
            ("--operations 0", "--operations must be from 1 to 1000000000, not 0"),
            ("--workload classic --duration 5s", "--duration can't be used with the workload classic"),
            ("--workload classic --scaling", "--scaling can't be used with the workload classic"),
            ("--value-size 47", "--value-size must be from 48 to 32767, not 47"),
            ("--value-size 200-", "the value '200-' is invalid for '--value-size <bytes>'"),
            ("--seed x", "the value 'x' is invalid for '--seed <n>'"),
            ("more", "unexpected argument 'more'"),
        ]
    )
    func usage(words: String, message: String) throws {
        let outcome = try CommandRunner().shell("skr-stress --report /nonexistent/x \(words)")
        #expect(outcome.exitCode == 64 && outcome.output.isEmpty)
        #expect(outcome.errors.hasPrefix("skr-stress: error: \(message)"), "\(outcome.errors)")
        let hint =
            message.hasSuffix("<duration>'")
            ? "write it as 90, 90s, 15m, 8h, 2d or 1h30m" : "'skr-stress --help' shows the options"
        #expect(outcome.errors.hasSuffix("\nskr-stress: hint: \(hint)\n"))
    }

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
        for words in ["--help", "--generate-completion-script bash"] {
            let text = try CommandRunner().shell("skr-stress \(words)").output
            for name in ["read-heavy", "sessions", "drop-write", "short-list"] {
                #expect(text.contains(name), "\(words): \(name)")
            }
        }
        #expect(try CommandRunner().shell("skr-stress --version").output == "skr-stress 0.1.0\n")
    }
}
