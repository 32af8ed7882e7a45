import Testing

@Suite("skr cached: another command under the same name")
struct CachedCommandLineTests: ScriptTests {
    let preparation = CachedTests.counting + "export SKR_TIMEOUT=5m\n"

    @Test("another command runs and replaces the kept output with a warning, and then is a hit itself")
    func replaces() throws {
        func warning(_ name: String) -> String {
            """
            skr: warning: '\(name)' held the output of another command; this output replaces it
            skr: hint: to keep both, use --key: skr cached \(name) --key WORD ...

            """
        }
        try expect(
            #"""
            skr cached a -- bash -c "run 'echo one'"; skr cached a -- bash -c "run 'echo two'"
            skr cached a -- bash -c "run 'echo two'"; skr cached a -- bash -c "run 'echo one'"; runs
            skr cached b --key x -- echo one; skr cached b --key x -- echo two
            """#, prints: "one\ntwo\ntwo\none\n3\none\ntwo\n",
            withErrors: warning("a") + warning("a") + warning("b --key x"))
    }

    @Test(
        "every word counts, and so does its position",
        arguments: [
            "printf '%s' 'a b'", "printf '%s' a b", "printf '%sa' b", "printf '%s' a b ''", "env printf '%s' a b",
            "printf '%s' b c",
        ])
    func words(command: String) throws {
        let outcome = try run(
            #"""
            skr cached a -- printf '%s' b a > /dev/null; skr cached a -- \#(command); echo; skr cached a -- \#(command)
            """#)
        let printed =
            command.contains("'%s' a") ? "ab" : command.contains("%sa") ? "ba" : command.contains(" c") ? "bc" : "a b"
        #expect(outcome.output == "\(printed)\n\(printed)")
        #expect(outcome.errors.split(separator: "\n").count == 2)
    }

    @Test("another first word makes another command, and another environment does not")
    func ends() throws {
        try expect(
            #"""
            skr cached a -- echo x; skr cached a -- printf x 2> /dev/null; echo
            first() { python3 -c 'import os, sys; os.execvpe("skr", sys.argv[2:], {sys.argv[1]: "1", **os.environ})' "$@"; }
            for name in A B C; do first $name skr cached b -- date +%N; done | uniq | wc -l
            """#, onlyPrints: "x\nx\n1\n")
    }

    @Test("if the other command fails, the first command's output stays")
    func failure() throws {
        try expect(
            #"""
            skr cached a -- bash -c "run 'echo one'"; skr cached a -- bash -c 'echo bad; exit 3' 2> /dev/null; echo $?
            skr cached a -- bash -c "run 'echo one'"; runs
            """#, onlyPrints: "one\nbad\n3\none\n1\n")
    }

    @Test("a remembered failure belongs only to its own command")
    func rememberedFailure() throws {
        try expect(
            #"""
            try() { skr cached a --cache-failures 5m "$@" 2> /dev/null; echo $?; }
            try -- bash -c "run 'echo bad; exit 3'"; try -- echo good; try -- bash -c "run 'echo bad; exit 3'"; runs
            """#, prints: "bad\n3\ngood\n0\nbad\n3\n2\n")
    }

    @Test("two commands that alternate under one name get their own outputs, and none waits forever")
    func alternating() throws {
        try expect(
            #"""
            for i in {1..8}; do
                skr cached a -- bash -c "run 'sleep 0.1; echo one'" & skr cached a -- bash -c "run 'sleep 0.1; echo two'" &
            done 2> /dev/null | sort | uniq -c | tr -d ' '
            """#, prints: "8one\n8two\n")
    }

    @Test("--force and --refresh-before warn too, and never fall back to another command's output")
    func refreshing() throws {
        let outcome = try expect(
            #"""
            skr cached a -- echo one; skr cached a --refresh-before 1m -- bash -c 'exit 4'; echo $?
            skr cached a --refresh-before 1m --stale-while-refreshing -- echo two; skr cached a --force -- echo three
            """#, prints: "one\n4\ntwo\nthree\n")
        #expect(outcome.errors.split(separator: "\n").filter { $0.contains("warning") }.count == 2)
    }

    @Test("an output of an unknown command is fetched again, and --forget and clear leave no trace")
    func unknown() throws {
        try expect(
            CommandRunner.left + #"""
                skr cached a -- echo new; ring=$(keyctl search @s keyring skr:$SKR_NAMESPACE)
                keyctl add user cached:a: planted $ring > /dev/null; skr cached a -- echo new
                skr cached --forget a; skr cached b -- true; skr clear b; left $ring
                """#, onlyPrints: "new\nnew\nkeyring is empty\n")
    }
}

@Suite("skr cached: in a session that has ended")
struct CachedRevokedTests: ScriptTests {
    @Test("CMD runs, its output is printed but not kept, and the exit code is CMD's")
    func revoked() throws {
        let outcome = try expect(
            #"""
            keyctl revoke @s; skr cached a --timeout 5m -- bash -c 'echo out; exit 7'; echo $?
            skr cached a --timeout 5m --refresh-before 1m -- echo out; echo $?; skr cached a --timeout 5m -- skr-no-such; echo $?
            """#, prints: "out\n7\nout\n0\n127\n")
        let lines = outcome.errors.split(separator: "\n")
        #expect(
            lines.first == "skr: warning: nothing is kept: this login session has ended and its keyring was revoked")
        #expect(lines.filter { $0.hasPrefix("skr: warning: nothing is kept") }.count == 3)
        #expect(lines.dropFirst().first?.hasPrefix("skr: hint: ") == true)
    }

    @Test("in a revoked session, skr executes CMD in its own process")
    func becomes() throws {
        let outcome = try run(
            "keyctl revoke @s; skr cached a --timeout 5m -- sh -c 'echo $$' & wait $!; echo $!")
        let numbers = outcome.output.split(separator: "\n")
        #expect(numbers.count == 2 && numbers.first == numbers.last, "\(outcome)")
    }

    @Test("if the session ends while CMD runs, the exit code is CMD's and a warning is printed")
    func endsMeanwhile() throws {
        let outcome = try expect(
            "skr cached a --timeout 5m -- bash -c 'keyctl revoke @s; echo out'; echo $?", prints: "out\n0\n")
        #expect(
            outcome.errors.hasPrefix(
                "skr: warning: this login session has ended and its keyring was revoked; the output is not kept"))
        #expect(!outcome.errors.contains("error:"))
    }

    @Test("the output of a client's command is converted for the client")
    func client() throws {
        let outcome = try run(
            #"""
            keyctl revoke @s; skr helper npm a --timeout 5m -- echo t0ken; echo $?
            skr helper google b --timeout 5m -- echo t0ken 2>&1 | grep -c warning
            """#)
        // This client also reads standard error, so skr prints no warning.
        #expect(outcome.output == "Bearer t0ken\n0\n0\n")
        #expect(outcome.errors.hasPrefix("skr: warning: nothing is kept"))
    }

    @Test("--forget reports the ended session, and another scope still works")
    func others() throws {
        let outcome = try CommandRunner().inUserScope(
            #"""
            keyctl session - bash -c 'keyctl revoke @s; skr cached --forget a; echo $?
                skr cached kept --scope user --timeout 5m -- echo out; skr cached --forget kept --scope user; echo $?'
            """#)
        #expect(outcome.output == "69\nout\n0\n")
        #expect(!outcome.errors.contains("warning"))
    }
}
