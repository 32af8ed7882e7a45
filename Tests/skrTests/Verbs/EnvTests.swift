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
                set -gx B 'it'"'"'s '\\' $x'
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

    @Test("an option before the verb is an error of env, which prints a command that fails")
    func optionFirst() throws {
        try CommandRunner().inSession(
            #"""
            printf a | skr set a; skr --scope session env --env A=skr://a; echo $?; skr --scope=session -x env --env A=skr://a; echo $?
            skr --scope session exec -- env; echo $?; skr --help env | grep -c false
            """#, prints: "false\n64\nfalse\n64\n64\n0\n")
    }

    @Test("if a signal ends it while it waits, it prints a command that fails")
    func signals() throws {
        try CommandRunner().inSession(
            #"""
            set -m; work=$(mktemp -d); trap 'rm -rf $work' EXIT; cd $work; mkfifo file; exec 7<>file
            for name in TERM INT HUP QUIT; do
                (ulimit -c 0; exec skr env --env-file file 7>&-) >out &
                until grep -q skr /proc/$!/comm && readlink /proc/$!/fd/* | grep -q /file; do sleep 0.02; done
                kill -$name $!; wait $!; echo $(($? - $(kill -l $name))); cat out
            done
            """#, prints: String(repeating: "128\nfalse\n", count: 4))
    }

    @Test("output that a signal cuts fails too")
    func cut() throws {
        try CommandRunner().inSession(
            #"""
            work=$(mktemp -d); trap 'rm -rf $work' EXIT; cd $work; mkfifo pipe; ulimit -c 0
            # The pipe has room for all up to `export TOKEN=`.
            exec 7<>pipe; perl -e 'open my $pipe, "<&=7"; fcntl $pipe, 1031, 4096' # F_SETPIPE_SZ
            head -c 4071 /dev/zero | tr '\0' x | skr set big; printf s3cret | skr set token
            skr env --env P=skr://big --env TOKEN=skr://token >pipe 7>&- & exec 8<pipe 7>&-
            sleep 0.5; kill -TERM $!; sleep 0.2; cat <&8 >out; wait $!; echo $?; tail -n 1 out; eval "$(cat out)"; echo $?
            """#, prints: "143\nfalse\n1\n")
    }

    @Test(
        "values arrive unchanged in shells whose texts are not UTF-8, and no part of them is run",
        .enabled(if: TestedLocales.areThere, TestedLocales.comment))
    func encodings() throws {
        print("SKR_TEST_SEED=\(testSeed)")
        var choices = Choices(seed: testSeed)
        let pieces =
            (0x80...0xFF).map { [UInt8($0)] }
            + Array(repeating: "'\\\"\n$0a`;".utf8.map { [$0] }, count: 9).flatMap { $0 }
        let ends = ["'; touch ran; '", "\\'; touch ran; \\'", "\n touch ran\n", "\\", "\\\\", "(touch ran)", ""]
        // Each byte before each byte that a shell could treat specially, and random values.
        var starts = (0x80...0xFF).flatMap { lead in "'\\\"\n$0a".utf8.map { [UInt8(lead), $0] } }
        for _ in 0..<300 {
            starts.append(
                (0..<Int.random(in: 1...12, using: &choices)).flatMap { _ in pieces.randomElement(using: &choices)! })
        }
        let values = starts.map { $0 + Array(ends.randomElement(using: &choices)!.utf8) }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("skr-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var (file, expected) = (Data("U=\u{E9}\n".utf8), Data())
        for (number, value) in values.enumerated() {
            file +=
                Data("A\(number)=\"".utf8)
                + value.flatMap { byte in
                    byte == 0x0A ? Array("\\n".utf8) : "\"\\$".utf8.contains(byte) ? [0x5C, byte] : [byte]
                } + Data("\"\n".utf8)
            expected += Data("A\(number)=".utf8) + value + [0]
        }
        try file.write(to: folder.appendingPathComponent("file"))
        try expected.write(to: folder.appendingPathComponent("values"))
        let outcome = try CommandRunner().inSession(
            TestedLocales.making + #"""
                cd "$FOLDER"; export HOME=$PWD; LC_ALL=C sort -z values >expected; echo $locales >&2
                for shell in dash bash zsh fish; do
                    command -v $shell >/dev/null || continue
                    for name in $locales C.UTF-8 C; do
                        case $shell in
                            fish) LC_ALL=$name fish --no-config -c 'skr env --env-file file --shell fish | source; exec env -0' ;;
                            *) LC_ALL=$name $shell -c 'eval "$(skr env --env-file file)"; exec env -0' ;;
                        esac | LC_ALL=C grep -az '^A[0-9]' | LC_ALL=C sort -z | cmp -s - expected || echo $shell $name
                    done
                done
                if command -v fish >/dev/null; then LC_ALL=C.UTF-8 fish --no-config -c 'skr env --env-file file --shell fish | source; string length $U'; else echo 1; fi
                [ ! -e ran ] || echo ran
                """#, environment: ["FOLDER": folder.path], prints: "1\n")
        #expect(outcome.errors == TestedLocales.names + "\n", "seed \(testSeed)")
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
