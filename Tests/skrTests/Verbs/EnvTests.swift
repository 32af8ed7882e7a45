import Foundation
import Testing
import Threads

@Suite("skr env")
struct EnvTests {
    @Test("each variable once, the last wins, and --env wins over files")
    func order() throws {
        try CommandRunner().inSession(
            #"""
            printf a | skr set a; printf "it's \\ \$x" | skr set b; printf 'A=file\nC=skr://b\nD="x y"\n' > $TMPDIR/skr-env-$$
            skr env --env-file $TMPDIR/skr-env-$$ --env A=skr://b --env A=skr://a; skr env --env B=skr://b --shell fish
            skr env --env A=skr://a --env B=skr://b --shell json; rm $TMPDIR/skr-env-$$; export A=skr://a; skr env --env A
            """#, environment: ["TMPDIR": FileManager.default.temporaryDirectory.path],
            prints: #"""
                export C='it'\''s \ $x'
                export D='x y'
                export A='a'
                set -gx B 'it\'s \\ $x'
                {"A":"a","B":"it's \\ $x"}
                export A='a'

                """#)
    }

    @Test("an error prints a command that fails")
    func errors() throws {
        let errors = [
            ("--env A=skr://none", 1), ("--env A=skr://nul", 65), ("--env 1A=skr://a", 64),
            ("--env 'A B=skr://a'", 64), ("--env A=x", 64), ("--env-file /nonexistent", 64),
            ("--bogus", 64), ("", 64), ("word", 64), ("--shell zsh", 64), ("--scope x", 64),
        ]
        let calls = errors.map { options, _ in
            #"""
            printf '%s\n' "\#(options)"
            for shell in sh fish json; do skr env --shell $shell \#(options); echo $?; done
            eval "$(skr env \#(options))" || echo failed

            """#
        }
        try CommandRunner().inSession(
            "printf 'a\\0' | skr set nul; printf a | skr set a\n" + calls.joined(),
            prints: errors.map { options, code in
                "\(options)\n" + String(repeating: "false\n\(code)\n", count: 3) + "failed\n"
            }.joined())
    }

    @Test("JSON holds text only")
    func notText() throws {
        try CommandRunner().inSession(
            #"printf '\377' | skr set a; skr env --env A=skr://a --shell json; echo $?; skr env --env A=skr://a | od -An -c | head -n 1"#,
            prints: "false\n65\n   e   x   p   o   r   t       A   =   ' 377   '  \\n\n")
    }

    @Test("random values arrive unchanged")
    func random() throws {
        print("random values: seed \(testSeed)")
        var choices = Choices(seed: testSeed)
        let pieces: [[UInt8]] = [
            [0x27], [0x22], [0x5C], [0x0A], [0x24], [0x60], [0x20], [0x09], [0x21], [0x0D], [0x23], [0xC3, 0xA9],
            [0xFF],
            Array("a".utf8), Array("$(echo x)".utf8), Array("%s".utf8), Array("\\n".utf8), [0x01], [0x1B], [0x7F],
        ]
        let values = (0..<30).map { _ in
            (0..<Int.random(in: 1...40, using: &choices)).flatMap { _ in pieces.randomElement(using: &choices)! }
        }
        let shells = ["dash", "bash", "zsh", "fish"].filter { shell in
            (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").contains {
                access("\($0)/\(shell)", X_OK) == 0
            }
        }
        let stores = values.enumerated().map { number, value in
            let octal = value.map { "\\" + String($0, radix: 8).leftPadded(to: 3) }.joined()
            return "printf '\(octal)' | skr set --raw v\(number)"
        }
        let reads = shells.map { "\($0) -c '\(script(for: $0, count: values.count))'" }
        let outcome = try CommandRunner().inSession((stores + reads).joined(separator: "\n"))
        let printed = outcome.output.split(separator: "end\n").map { dump in
            dump.split(whereSeparator: \.isWhitespace).compactMap { UInt8($0, radix: 16) }
        }
        try #require(printed.count == shells.count * values.count, "\(outcome)")
        for (number, bytes) in printed.enumerated() {
            let (shell, value) = number.quotientAndRemainder(dividingBy: values.count)
            #expect(bytes == values[value], "\(shells[shell]): \(outcome.errors)")
        }
    }

    /// A script that gets all values from one call, and prints the bytes of each.
    private func script(for shell: String, count: Int) -> String {
        let call = "skr env" + (0..<count).map { " --env A\($0)=skr://v\($0)" }.joined()
        let dumps = (0..<count).map { #"printf %s "$A\#($0)" | od -An -v -tx1; echo end"# }
        return (shell == "fish" ? "\(call) --shell fish | source\n" : "eval \"$(\(call))\"\n")
            + dumps.joined(separator: "\n")
    }
}

extension String {
    fileprivate func leftPadded(to count: Int) -> String {
        String(repeating: "0", count: max(0, count - self.count)) + self
    }
}
