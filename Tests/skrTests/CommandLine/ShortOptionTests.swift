import Testing

@Suite("The short options -t, -e and -n")
struct ShortOptionTests {
    @Test("each verb takes them like --timeout, --env and --namespace")
    func verbs() throws {
        try CommandRunner().inSession(
            #"""
            printf 1 | skr set a -n one -t 8h30m; printf 2 | skr set b --scope=session -n=one -t=7h30m; skr get a -n one
            skr expire a -n one -t 5h30m; skr list -n one | cut -f 2,5; skr exec -n one -e A=skr://a -- printenv A
            skr exec --scope=session -n one -e A=skr://a -e B=skr://b -- printenv A B; skr env -n one -e A=skr://a
            skr cached c -n one -t 5m -- echo kept; skr cached c -n one -t 5m --scope=session -- echo kept; skr lock x --scope session -n one -t 5s -- echo locked
            skr delete a -n one; skr doctor -n one >/dev/null; skr clear -n one; skr list -n one
            """#, prints: "1a\t5h\nb\t7h\n1\n1\n2\nexport A='1'\nkept\nkept\nlocked\n", errors: "")
    }

    @Test("helpers take -t and -n, and a client's help shows them")
    func helpers() throws {
        try CommandRunner().inSession(
            #"""
            printf 'protocol=https\nhost=h\nusername=u\npassword=p\n\n' | skr helper git -n one -t 2h30m store
            skr list -n one | cut -f 2,3,5; printf 'protocol=https\nhost=h\n\n' | skr helper git -n=one get | grep -v ^password_expiry_utc=
            printf '' | skr helper git -t 8 hours 2>&1; skr helper -n one git get 2>&1 | tail -n 1
            skr helper git --help | grep -o -- '-[tn], --[a-z]*'
            """#,
            prints: """
                https://h\tu\t2h
                username=u
                password=p
                skr: error: -t 8 hours: a duration is one word
                skr: hint: write -t 8h
                skr: hint: skr helper git -n ...
                -t, --timeout
                -n, --namespace

                """)
    }

    @Test("the value of -t, -n and -e can be in the same word")
    func joined() throws {
        let outcome = try CommandRunner().inSession(
            #"""
            printf s3cret | skr set -t5m -njoined k; skr list -njoined | cut -f 5
            skr get -njoined k; skr exec -eA=skr://k -njoined -- printenv A; echo $?
            """#)
        #expect(["4m", "5m"].contains(outcome.output.prefix(2)), "\(outcome)")
        #expect(outcome.output.hasSuffix("\ns3crets3cret\n0\n"), "\(outcome)")
    }

    @Test(
        "-f is not an option, and its hint names the option that the verb has",
        arguments: [
            ("get a -f x", "the option is --field PATH"),
            ("exec -f x -- true", "the option is --file VAR=skr://..., or --env-file FILE"),
            ("env -f x", "the option is --env-file FILE"), ("inject -f x", "the option is -i FILE"),
        ])
    func file(line: String, hint: String) throws {
        let outcome = try CommandRunner().shell("skr \(line) >/dev/null")
        #expect(
            outcome == .init(exitCode: 64, output: "", errors: "skr: error: unknown option '-f'\nskr: hint: \(hint)\n"))
    }

    @Test("completion offers them after a dash, and completes their values")
    func completion() throws {
        let runner = CommandRunner()
        #expect(try ["-t", "--timeout", "-n"].allSatisfy(runner.candidates(["set", "a", "-"]).contains))
        #expect(try ["-e", "--env"].allSatisfy(runner.candidates(["exec", "-"]).contains))
        #expect(try !runner.candidates(["set", "a", "--"]).contains("-t"))
        #expect(try !runner.candidates(["set", "-t", "8h", "a", "-"]).contains("--timeout"))
        #expect(try runner.candidates(["set", "-t", ""]) == [])
    }
}
