import Foundation
import Testing

/// The verb; what it becomes is tested with the stress suite.
@Suite("skr stress")
struct StressTests {
    @Test(
        "bad options are errors of skr, before anything runs",
        arguments: [
            ("--workload reading", "the value 'reading' is invalid for '--workload <name>': use classic, read-heavy,"),
            ("--sabotage all", "the value 'all' is invalid for '--sabotage <name>': use drop-write, tear-value,"),
            ("--threads 0", "--threads: 0 is not from 1 to 1024"),
            ("--processes 1000", "--processes: 1000 is not from 1 to 256"),
            ("--items 0", "--items: 0 is not from 1 to 100000"),
            ("--kill-every 0", "--kill-every: 0 is not from 1 to 3600000"),
            ("--duration 0", "--duration: 0 s is not from 1 to 604800 s"),
            ("--duration soon", "the value 'soon' is invalid for '--duration <duration>'"),
            ("--duration 5s --operations 7", "--duration and --operations exclude each other"),
            ("--operations 0", "--operations: 0 is not from 1 to 1000000000"),
            ("--workload classic --duration 5s", "--duration does not go with the workload classic"),
            ("--workload classic --scaling", "--scaling does not go with the workload classic"),
            ("--value-size 47", "--value-size: 47 is not from 48 to 32767"),
            ("--value-size 200-100", "--value-size: 100 is not from 200 to 32767"),
            ("--value-size 200-", "the value '200-' is invalid for '--value-size <bytes>'"),
            ("--value-size 1-2-3", "the value '1-2-3' is invalid for '--value-size <bytes>'"),
            ("--seed x", "the value 'x' is invalid for '--seed <n>'"),
            ("more", "unexpected argument 'more'"),
        ]
    )
    func usage(words: String, message: String) throws {
        let words = words.split(separator: " ").map(String.init)
        let outcome = try CommandRunner().run(["stress"] + words, input: Data())
        #expect(outcome.exitCode == 64 && outcome.output.isEmpty)
        #expect(outcome.errors.hasPrefix("skr: error: \(message)"), "\(outcome.errors)")
        #expect(outcome.errors.hasSuffix("\nskr: hint: 'skr help stress' shows its options\n"))
    }

    /// Runs a script with a copy of `skr` alone in `$ALONE/skr`, and in PATH what the script puts into `$OTHER`.
    private func apart(_ script: String) throws -> CommandRunner.Outcome {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("skr-test-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        let setUp = #"""
            set -e; mkdir -p "$ALONE" "$OTHER"; cp "$(command -v skr)" "$ALONE/skr"; set +e; PATH="$OTHER:/usr/bin:/bin"

            """#
        return try CommandRunner().shell(
            setUp + script,
            environment: [
                "ALONE": directory.appendingPathComponent("alone").path,
                "OTHER": directory.appendingPathComponent("other").path,
            ])
    }

    /// A program that tells who it is and how it was called.
    private static let witness = ##"printf '%s\n' '#!/bin/sh' 'echo "$(basename $(dirname $0)) $$ $*"; exit 7'"##

    @Test("becomes the skr-stress beside it, with the same words and in the same process, and ends as it does")
    func becomes() throws {
        let outcome = try apart(
            #"""
            \#(Self.witness) > "$OTHER/skr-stress"; cp "$OTHER/skr-stress" "$ALONE/skr-stress"; chmod +x "$ALONE"/* "$OTHER"/*
            sh -c 'echo $$; exec "$ALONE/skr" stress --threads 2 --seed=5 --report "a b"'; echo $?
            ln -s "$ALONE/skr" "$OTHER/linked"; linked stress; echo $?
            """#)
        let lines = outcome.output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        try #require(lines.count == 6, "\(outcome)")
        #expect(lines[1] == "alone \(lines[0]) --threads 2 --seed=5 --report a b")
        #expect(lines[2] == "7" && lines[3].hasPrefix("alone ") && lines[4] == "7")
    }

    @Test("takes one in PATH where there is none beside it, and says what to do where there is none at all")
    func missing() throws {
        let outcome = try apart(
            #"""
            "$ALONE/skr" stress; echo $?; \#(Self.witness) > "$OTHER/skr-stress"; "$ALONE/skr" stress; echo $?
            chmod +x "$OTHER/skr-stress"; "$ALONE/skr" stress >/dev/null; echo $?
            """#)
        #expect(outcome.output == "70\n70\n7\n")
        let lines = outcome.errors.split(separator: "\n")
        try #require(lines.count == 4, "\(outcome)")
        #expect(lines[0] == "skr: error: skr-stress is not installed")
        #expect(lines[1] == "skr: hint: it belongs beside skr: run 'bash .ci/build' in a clone of SessionKeyring")
        #expect(lines[2] == "skr: error: can't run skr-stress: permission denied")
    }

    @Test("help, page and completions know its options and all names that they can have")
    func definitions() throws {
        for verb in ["help", "manual"] {
            let words = try CommandRunner().run(verb, "stress").output.split { $0.isWhitespace }.joined(separator: " ")
            for name in ["read-heavy", "sessions", "drop-write", "short-list", "48-200"] {
                #expect(words.replacingOccurrences(of: "\\-", with: "-").contains(name), "\(verb): \(name)")
            }
        }
        let names = try CommandRunner().run("---complete", "zsh", "skr", "stress", "--workload", "wr").output
        #expect(names.contains("write-heavy"))
    }
}
