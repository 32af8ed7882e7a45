import Testing

@Suite("SKR_TIMEOUT")
struct UsualTimeoutTests {
    /// Checks each item's time left after a script, sorted by name, with `-` for an item without a timeout.
    private func checkTimesLeft(
        after script: String, usual: String, prints output: String, errors: String? = nil,
        at location: SourceLocation = #_sourceLocation
    ) throws {
        try CommandRunner().inSession(
            script + "\nskr list | awk -F'\\t' '{ print $2, $NF }' | sort",
            environment: ["SKR_TIMEOUT": usual], prints: output, errors: errors, at: location)
    }

    @Test("SKR_TIMEOUT sets the lifetime for set and cached unless --timeout does, in all calls")
    func usual() throws {
        try checkTimesLeft(
            after: #"""
                printf s | skr set a; printf s | skr set --scope=session b; printf s | skr set c --timeout 60h
                printf s | skr set d --timeout never; printf s | skr set e --timeout=never
                skr cached f -- true; skr cached --scope=session g -- true; skr cached h --timeout 60h -- true
                skr cached i --timeout never -- true; skr cached j --timeout=never -- true
                """#, usual: "90m", prints: "a 1h\nb 1h\nc 2d\nd -\ne -\nf 1h\ng 1h\nh 2d\ni -\nj -\n", errors: "")
    }

    @Test("an empty value counts as unset, and 'never' is a value too", arguments: ["", "never"])
    func none(usual: String) throws {
        try checkTimesLeft(
            after: "printf s | skr set a; printf s | skr set --scope=session b", usual: usual, prints: "a -\nb -\n",
            errors: "")
        try checkTimesLeft(
            after: "skr cached c -- echo x; echo $?", usual: usual, prints: usual.isEmpty ? "64\n" : "x\n0\nc -\n")
    }

    @Test(
        "a bad value is an error that names the variable and shows the forms of a duration",
        arguments: ["soon", "0", "-5", "1h30", "4294967296", "\u{1B}[31m"])
    func bad(usual: String) throws {
        let lines = ["set a", "set --scope=session a", "cached a -- true", "cached --scope=session a -- true"]
        for line in usual == "soon" ? lines : [lines[0]] {
            let outcome = try CommandRunner().inSession("printf s | skr \(line)", environment: ["SKR_TIMEOUT": usual])
            #expect(outcome.exitCode == 64 && outcome.output.isEmpty)
            #expect(outcome.errors.hasPrefix("skr: error: SKR_TIMEOUT: '") && !outcome.errors.contains("\u{1B}"))
            #expect(outcome.errors.hasSuffix("\nskr: hint: write it as 90, 90s, 15m, 8h, 2d or 1h30m, or never\n"))
        }
    }

    @Test("a bad value does not affect a call that does not need it")
    func unasked() throws {
        try checkTimesLeft(
            after: #"""
                printf s | skr set a --timeout 60h; skr get a; skr expire a --timeout 80h; skr lock x --scope session -- echo locked
                skr cached t --timeout 60h -- true; skr cached --forget t
                """#, usual: "soon", prints: "slocked\na 3d\n", errors: "")
    }

    @Test("--timeout-from-json and --cache-failures take precedence over SKR_TIMEOUT")
    func fromOutput() throws {
        try checkTimesLeft(
            after: #"""
                skr cached a --timeout-from-json .t -- echo '{"t":200000}' >/dev/null
                skr cached b --timeout-from-json=.t -- echo '{"t":200000}' >/dev/null
                skr cached c --timeout never --timeout-from-json .t -- echo '{"t":200000}' >/dev/null
                skr cached e -- false; skr cached e -- echo not kept; skr cached --forget e
                for run in false 'echo kept'; do RUN=$run skr cached f --cache-failures 1h -- bash -c 'eval "$RUN"'; done
                """#, usual: "90m", prints: "not kept\na 2d\nb 2d\nc 2d\n", errors: "")
    }

    @Test("--refresh-before is an error without a timeout, or if it exceeds SKR_TIMEOUT")
    func refresh() throws {
        for (line, usual) in [("--timeout never", ""), ("", "5m"), ("", "never")] {
            let outcome = try CommandRunner().inSession(
                "skr cached a \(line) --refresh-before 10m -- true", environment: ["SKR_TIMEOUT": usual])
            #expect(outcome.exitCode == 64 && outcome.errors.hasPrefix("skr: error: --refresh-before "))
        }
    }
}
