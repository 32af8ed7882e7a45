import Testing

@Suite("skr exec resolves references in its environment")
struct InheritedReferenceTests {
    /// With two secrets, in a session of its own.
    private func run(_ script: String, environment: [String: String] = [:]) throws -> CommandRunner.Outcome {
        try CommandRunner().inSession(
            #"printf s1 | skr set api; printf '{"p":"s2"}' | skr set db alice"# + "\n" + script,
            environment: environment)
    }

    @Test("a variable whose whole value is a reference holds the secret; all others stay as they are")
    func resolved() throws {
        let outcome = try run(
            #"""
            export A=skr://api B='skr://db/alice?field=p' C='see skr://api' D=SKR://api E=' skr://api' F=plain
            skr exec -- bash -c 'echo "$A|$B|$C|$D|$E|$F"'
            skr exec --scope=session -- bash -c 'echo "$A|$B|$C|$D|$E|$F"'; echo $A
            """#)
        let line = "s1|s2|see skr://api|SKR://api| skr://api|plain\n"
        #expect(outcome == .init(exitCode: 0, output: line + line + "skr://api\n", errors: ""))
    }

    @Test("what --env, --file and --env-file set wins, and what it overrules is not read")
    func overruled() throws {
        let outcome = try run(
            #"""
            export A=skr://gone B=skr://gone C=skr://gone D=skr://gone
            skr exec --env A=skr://api --env-file <(printf 'B=plain\nC=skr://api\n') --file D=skr://api -- bash -c 'echo $A $B $C; cat $D'
            """#)
        #expect(outcome == .init(exitCode: 0, output: "s1 plain s1\ns1", errors: ""))
    }

    @Test("all that are missing are named at once, and the command does not start")
    func missing() throws {
        let outcome = try run("export A=skr://one B=skr://two/me; skr exec --env C=skr://three -- echo started")
        #expect(outcome.exitCode == 1 && outcome.output.isEmpty)
        for name in ["one", "two me", "three"] { #expect(outcome.errors.contains(name)) }
        #expect(outcome.errors.hasPrefix("skr: error: no such items, or they have expired: "))
    }

    @Test("--no-inherited leaves all as it is, and needs no keyring")
    func off() throws {
        let outcome = try run(
            #"""
            export A=skr://gone; skr exec --no-inherited -- printenv A; skr exec --no-inherited --scope=session -- printenv A
            skr exec --no-inherited --env B=skr://api -- bash -c 'echo $A $B'
            """#)
        #expect(outcome == .init(exitCode: 0, output: "skr://gone\nskr://gone\nskr://gone s1\n", errors: ""))
    }

    @Test("what somebody elsewhere can fill is left as it is")
    func foreign() throws {
        let names = [
            "HTTP_HOST", "HTTP_X_API", "HTTP_", "QUERY_STRING", "PATH_INFO", "CONTENT_TYPE", "REMOTE_USER",
            "REQUEST_URI",
            "LC_ALL", "LC_X", "LANG", "TERM", "SSH_ORIGINAL_COMMAND", "GIT_PUSH_OPTION_0",
            "REDIRECT_URL", "SSL_CLIENT_S_DN", "COLORTERM", "SENDER", "CI_COMMIT_MESSAGE", "CHANGE_TITLE",
            "GITHUB_HEAD_REF",
        ]
        let outcome = try run(
            "skr exec -- env | grep -E '^(\(names.joined(separator: "|")))=' | sort -u | wc -l; skr exec -- env | grep -cE ^[A-Z_0-9]+=s1$",
            environment: Dictionary(uniqueKeysWithValues: names.map { ($0, "skr://api") }))
        #expect(outcome.output == "\(names.count)\n0\n")
        // Names that only look like them are no exception.
        let similar = try run(
            "HTTPS=skr://api MY_HTTP_=skr://api GITHUB_TOKEN=skr://api skr exec -- env | grep -cE ^[A-Z_0-9]+=s1$")
        #expect(similar.output == "3\n")
    }

    @Test("a value that begins as a reference and is none is an error that names the variable and not the value")
    func malformed() throws {
        let outcome = try run(
            "A='skr://my secret' skr exec -- echo started; A='skr://my secret' skr exec --no-inherited -- echo started")
        #expect(outcome.output == "started\n")
        #expect(try run("A='skr://my secret' skr exec --env A=skr://api -- printenv A").output == "s1\n")
        #expect(outcome.errors.hasPrefix("skr: error: A, in the environment: the reference has white space"))
        #expect(outcome.errors.contains("--no-inherited") && !outcome.errors.contains("my secret"))
        #expect(try run("A='skr://my secret' skr exec -- true").exitCode == 65)
    }

    @Test("a variable that is there twice is there once, and one whose name is no text is left alone")
    func odd() throws {
        let outcome = try run(
            #"""
            python3 -c '
            import ctypes, os
            libc = ctypes.CDLL(None); skr = os.popen("command -v skr").read().strip().encode()
            environment = [b"A=skr://api", b"B=b", b"A=skr://gone", b"\377=skr://gone", b"a.b=skr://gone", b"=skr://gone", b"skr://gone"]
            environment += [k + b"=" + v for k, v in os.environb.items() if k in (b"PATH", b"SKR_NAMESPACE", b"LD_LIBRARY_PATH")]
            words = [skr, b"exec", b"--", b"cat", b"/proc/self/environ"]
            array = lambda texts: (ctypes.c_char_p * (len(texts) + 1))(*texts)
            libc.execve(skr, array(words), array(environment))' | tr '\0' '\n' | grep -a -e '^A=' -e '^B=' -e gone | LC_ALL=C sort | od -An -c | tr -d ' \n'
            """#)
        #expect(
            outcome.output == #"=skr://gone\nA=s1\nB=b\na.b=skr://gone\nskr://gone\n377=skr://gone\n"#, "\(outcome)")
    }
}
