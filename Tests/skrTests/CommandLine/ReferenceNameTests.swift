import Testing

@Suite("A reference instead of SERVICE and ACCOUNT")
struct ReferenceNameTests {
    @Test("set, get, expire and delete take a reference")
    func verbs() throws {
        try CommandRunner().inSession(
            #"""
            printf '{"k":"v"}' | skr set skr://api/alice; printf 2 | skr set skr://a%2Fb -t 8h30m
            skr list | cut -f 2,3; skr get skr://api; skr get skr://api/alice?field=k; skr get --field=k skr://api; skr get 'a/b'
            skr expire skr://api/alice -t 3h30m; skr list api | cut -f 5; skr delete skr://api/alice; skr delete skr://a%2Fb; skr list
            """#, prints: "a/b\t\napi\talice\n{\"k\":\"v\"}vv23h\n", errors: "")
    }

    @Test(
        "a mistyped reference is a usage error, and nothing is stored or deleted",
        arguments: [
            ("get skr:/api", "'skr:/api': a reference begins with skr://"),
            ("get skr://a/b/c", "'skr://a/b/c': the reference has more than one '/' after skr://"),
            ("get skr://api alice", "a reference has no account after it"),
            ("set skr://api s3cret", "a reference has no account after it"),
            ("get skr://api?field=a --field b", "both --field and the reference name a field"),
            ("delete skr://api?field=a", "the reference names a field of the secret"),
            ("expire skr://api?field=a --never", "the reference names a field of the secret"),
            ("set skr://api?field=a", "the reference names a field of the secret"),
        ])
    func mistakes(line: String, error: String) throws {
        let outcome = try CommandRunner().inSession(
            "printf 1 | skr set api; printf 2 | skr \(line); code=$?; skr list | cut -f 2-4; exit $code")
        #expect(outcome.exitCode == 64 && outcome.output == "api\t\t1\n")
        #expect(outcome.errors.hasPrefix("skr: error: \(error)"), "\(outcome)")
        #expect(outcome.errors.contains("\nskr: hint: ") && !outcome.errors.contains("s3cret"))
    }

    @Test("for a missing service with one slash, the hint shows the account as a separate word")
    func slash() throws {
        let outcome = try CommandRunner().inSession(
            """
            printf 1 | skr set api alice; printf 2 | skr set kept/key; skr get kept/key
            for verb in get delete 'expire -t 5m'; do skr $verb api/alice; done; skr get a/b/c; skr get api/alice x; skr get "api/o'k"
            """, environment: ["SKR_NAMESPACE": ""], prints: "2")
        let hint = "skr: hint: if 'alice' is the account, write it as a separate word: api alice"
        let hints = outcome.errors.split(separator: "\n").filter { $0.contains("a separate word") }
        #expect(hints.count == 4 && hints.prefix(3).allSatisfy { $0 == hint }, "\(outcome)")
        #expect(hints.last?.hasSuffix(#"word: api 'o'\''k'"#) == true, "\(outcome)")
    }

    @Test("set refuses '-' as an account, because it reads standard input by itself; a reference can have it")
    func dash() throws {
        try CommandRunner().inSession(
            "printf 1 | skr set skr://k/-; skr list | cut -f 2,3", prints: "k\t-\n", errors: "")
        let outcome = try CommandRunner().inSession("printf 1 | skr set k -; code=$?; skr list; exit $code")
        #expect(outcome.exitCode == 64 && outcome.output == "")
        #expect(
            outcome.errors == """
                skr: error: '-' is not an account: set reads the secret from standard input by itself
                skr: hint: leave out the '-': skr set SERVICE [ACCOUNT] < FILE

                """)
    }

    @Test("clear and list refuse a reference, because they take a service", arguments: ["clear", "list"])
    func serviceOnly(verb: String) throws {
        let outcome = try CommandRunner().run(verb, "skr://api")
        #expect(
            outcome.errors == """
                skr: error: 'skr://api' is a reference, and not the name of a service
                skr: hint: write the service's name, or use a verb for one item, such as get or delete

                """)
        #expect(outcome.exitCode == 64)
    }

    @Test("a reference to a missing service with a slash gets no hint about words")
    func slashInReference() throws {
        let outcome = try CommandRunner().inSession("skr exec --env A=skr://a%2Fb -- true; echo $?", prints: "1\n")
        #expect(!outcome.errors.contains("separate word"), "\(outcome)")
    }
}
