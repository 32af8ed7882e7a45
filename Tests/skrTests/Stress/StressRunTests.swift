import Foundation
import Testing

/// Whole runs, as a user sees them.
@Suite("skr-stress, from end to end")
struct StressRunTests {
    @Test("a short run is clean, and prints and writes its results")
    func short() throws {
        let outcome = try CommandRunner().inSession(
            #"""
            directory=$(mktemp -d); cd "$directory"
            skr-stress --operations 300 --seed 42 --json run.json --report run.html >table 2>progress; echo $?
            ls -A; head -c 5 table; grep -c "^passed " table; grep -c "^FAILED" table; tail -n 1 table | grep -o "seed 42"
            head -n 1 progress; grep -c "$(printf '\033')" progress; grep -o '"isClean" : true' run.json
            grep -o '"command" : .*' run.json; head -n 1 run.html; grep -c "</svg>" run.html; rm -r "$directory"
            """#)
        let lines = outcome.output.split(separator: "\n").map(String.init)
        try #require(lines.count == 14, "\(outcome)")
        #expect(Array(lines[0...4]) == ["0", "progress", "run.html", "run.json", "table"])
        #expect(lines[5].hasPrefix("CALL ") && Int(lines[5].dropFirst(5)) ?? 0 > 5)
        #expect(lines[6...8] == ["0", "seed 42", "mixed, 4 threads, 300 calls by each thread, seed 42"])
        #expect(lines[9...10] == ["0", #""isClean" : true"#])
        #expect(lines[11].contains("--operations 300 --items 8 --value-size 200 --seed 42"))
        #expect(lines[12] == "<!DOCTYPE html>" && Int(lines[13]) ?? 0 >= 6)
    }

    /// The run waits 5 s for quota that the secret keeps in use.
    @Test("a secret that is stored during a run does not make the run fail", .tags(.long))
    func duringRun() throws {
        try CommandRunner().inSession(
            #"""
            table=$(mktemp); skr-stress --duration 2s --seed 5 >$table 2>/dev/null & sleep 0.7
            printf x | skr set one; wait $!; echo $?; grep -c "^FAILED" $table; rm $table
            """#, prints: "0\n0\n")
    }

    @Test("a run with an injected fault ends with 70, and shows evidence and how to repeat it")
    func fault() throws {
        let outcome = try CommandRunner().inSession(
            "skr-stress --operations 600 --items 2 --seed 7 --fault stale-read; echo $?")
        #expect(outcome.output.hasSuffix("\n70\n") && outcome.output.contains("\nFAILED: "))
        #expect(outcome.errors.contains("skr-stress: hint: repeat it: skr-stress --workload mixed"))
        #expect(outcome.errors.contains("--seed 7 --fault stale-read\n"))
    }

    @Test("a report that can't be written is an error before anything runs")
    func unwritable() throws {
        let outcome = try CommandRunner().shell("skr-stress --duration 1h --report /nonexistent/run.html")
        #expect(outcome.exitCode == 64 && outcome.output.isEmpty)
        #expect(
            outcome.errors.hasPrefix(
                "skr-stress: error: can't write '/nonexistent/run.html': no such file or directory\n"))
    }

    @Test("Ctrl-C ends all processes of a run, which is then checked and shown, with exit code 130")
    func interrupt() throws {
        let shown = try TerminalRunner().run(
            #"""
            trap : INT; skr-stress --workload short-lease --processes 2 --threads 2 --duration 1h --seed 3; echo rc=$?
            pgrep -s 0 skr-stress; echo left=$?
            """#,
            answering: [.init(prompt: "errors", keys: "\u{3}")], environment: ["TERM": "xterm", "LC_ALL": "C"])
        #expect(shown.contains("ending the run and checking it; press Ctrl-C again to stop immediately\n"))
        #expect(shown.contains("rc=130\n") && shown.contains("left=1\n"), "\(shown.suffix(2_000))")
        #expect(shown.contains(", ended early, seed 3\n"))
        // The runner sets NO_COLOR.
        #expect(shown.contains("passed ") && !shown.contains("\u{1B}[32m"))
    }

    @Test("a dumb terminal gets no escape sequences, and others get colours")
    func colours() throws {
        let plain = try TerminalRunner().run(
            "skr-stress --operations 50; echo rc=$?", environment: ["TERM": "dumb", "NO_COLOR": ""])
        #expect(plain.contains("rc=0\n") && plain.contains("passed ") && !plain.contains("\u{1B}"))
        let coloured = try TerminalRunner().run(
            "skr-stress --operations 50; echo rc=$?", environment: ["TERM": "xterm", "NO_COLOR": ""])
        #expect(coloured.contains("rc=0\n") && coloured.contains("\u{1B}[32mpassed\u{1B}[0m"))
    }
}
