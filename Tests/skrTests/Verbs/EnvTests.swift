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

    @Test(
        "an error prints a command that fails",
        arguments: [
            ("--env A=skr://none", "1"), ("--env A=skr://nul", "65"), ("--env 1A=skr://a", "64"),
            ("--env 'A B=skr://a'", "64"), ("--env A=x", "64"), ("--env-file /nonexistent", "64"),
            ("--bogus", "64"), ("", "64"), ("word", "64"), ("--shell zsh", "64"), ("--scope x", "64"),
        ])
    func errors(options: String, code: String) throws {
        try CommandRunner().inSession(
            "printf 'a\\0' | skr set nul; printf a | skr set a\n"
                + #"for shell in sh fish; do skr env --shell $shell \#(options); echo $?; done; skr env --shell json \#(options); echo $?"#
                + "\neval \"$(skr env \(options))\" || echo failed",
            prints: "false\n\(code)\nfalse\n\(code)\nfalse\n\(code)\nfailed\n")
    }

    @Test("JSON holds text only")
    func notText() throws {
        try CommandRunner().inSession(
            #"printf '\377' | skr set a; skr env --env A=skr://a --shell json; echo $?; skr env --env A=skr://a | od -An -c | head -n 1"#,
            prints: "false\n65\n   e   x   p   o   r   t       A   =   ' 377   '  \\n\n")
    }

    @Test("random values arrive unchanged", arguments: ["dash", "bash", "zsh", "fish"])
    func random(shell: String) throws {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        guard folders.contains(where: { access("\($0)/\(shell)", X_OK) == 0 }) else { return }
        print("random values: seed \(testSeed)")
        var choices = Choices(seed: testSeed)
        let pieces: [[UInt8]] = [
            [0x27], [0x22], [0x5C], [0x0A], [0x24], [0x60], [0x20], [0x09], [0x21], [0x0D], [0x23], [0xC3, 0xA9],
            [0xFF],
            Array("a".utf8), Array("$(echo x)".utf8), Array("%s".utf8), Array("\\n".utf8), [0x01], [0x1B], [0x7F],
        ]
        let values = (0..<60).map { _ in
            Data((0..<Int.random(in: 1...20, using: &choices)).flatMap { _ in pieces.randomElement(using: &choices)! })
        }
        let end =
            shell == "fish" ? "skr env --env A=skr://v --shell fish | source" : #"eval "$(skr env --env A=skr://v)""#
        for value in values {
            let octal = value.map { "\\" + String($0, radix: 8).leftPadded(to: 3) }.joined()
            let outcome = try CommandRunner().inSession(
                #"printf "$VALUE" | skr set --raw v; exec "$SHELL_NAME" -c "$END; printf %s \"\$A\" | od -An -v -tx1"; "#,
                environment: ["VALUE": octal, "SHELL_NAME": shell, "END": end])
            let printed = outcome.output.split(whereSeparator: \.isWhitespace).compactMap { UInt8($0, radix: 16) }
            #expect(printed == Array(value), "\(outcome.errors)")
        }
    }
}

extension String {
    fileprivate func leftPadded(to count: Int) -> String {
        String(repeating: "0", count: max(0, count - self.count)) + self
    }
}
