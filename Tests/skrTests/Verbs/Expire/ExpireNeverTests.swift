import Testing

@Suite("skr expire --never")
struct ExpireNeverTests {
    @Test("it removes the timeout and keeps the secret", arguments: ["--never", "--timeout never", "-t never"])
    func never(option: String) throws {
        let outcome = try CommandRunner().inSession(
            #"""
            printf s | skr set api --timeout 1h; skr expire api \#(option); skr list --json; skr get api; echo
            skr expire gone \#(option); echo $?
            """#)
        #expect(outcome.output.contains(#""timeLeft" : null"#), "\(outcome.output)")
        #expect(outcome.output.hasSuffix("\ns\n1\n"))
    }

    @Test(
        "exactly one of --timeout and --never is needed",
        arguments: ["", "--never --timeout 5m", "--never --timeout never"])
    func one(options: String) throws {
        let outcome = try CommandRunner().inSession("printf s | skr set api; skr expire api \(options)")
        #expect(
            outcome.exitCode == 64 && outcome.errors.hasPrefix("skr: error: expire needs either --timeout or --never"))
    }
}
