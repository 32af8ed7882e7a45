import Testing

@Suite("skr expire --never")
struct ExpireNeverTests {
    @Test("expire --never removes the timeout and keeps the secret")
    func never() throws {
        let outcome = try CommandRunner().inSession(
            #"""
            printf s | skr set api --timeout 1h; skr expire api --never; skr list --json; skr get api; echo
            skr expire gone --never; echo $?
            """#)
        #expect(outcome.output.contains(#""timeLeft" : null"#), "\(outcome.output)")
        #expect(outcome.output.hasSuffix("\ns\n1\n"))
    }

    @Test("exactly one of --timeout and --never is needed", arguments: ["", "--never --timeout 5m"])
    func one(options: String) throws {
        let outcome = try CommandRunner().inSession("printf s | skr set api; skr expire api \(options)")
        #expect(
            outcome.exitCode == 64 && outcome.errors.hasPrefix("skr: error: expire needs either --timeout or --never"))
    }
}
