import Testing

@Suite("set --new looks before it asks")
struct LookingFirstTests {
    @Test("on a terminal it fails before it asks for a secret that it would not store")
    func terminal() throws {
        let shown = try TerminalRunner().run(
            #"printf old | skr set api; skr set --new api; echo rc=$?; skr get api"#,
            answering: [.init(prompt: "secret for", keys: "typed\n")])
        #expect(shown.contains("rc=73\nold\n") && !shown.contains("secret for"))
        #expect(shown.contains("skr: hint: leave out --new to replace it\n"))
    }

    @Test("in a pipe it fails before it reads, so that no secret is created for nothing")
    func pipe() throws {
        let outcome = try CommandRunner().inSession(
            #"""
            printf old | skr set api
            { skr set api --new; echo $?; skr set --new api --timeout=5m; echo $?; cat; } <<< unread
            printf new | skr set --new other; echo $?; skr get other; echo
            { skr set api --timeout 0; echo $?; skr set api --timeout=0; echo $?; cat; } <<< unread
            """#, prints: "73\n73\nunread\n0\nnew\n64\n64\nunread\n")
        let refusal = "skr: error: api: the item already exists\nskr: hint: leave out --new to replace it\n"
        #expect(outcome.errors.hasPrefix(refusal + refusal))
    }

    @Test("set --new keeps an item that was stored while it read, and reports a failed write")
    func meanwhile() throws {
        try CommandRunner().inSession(
            #"""
            { sleep 0.1; printf old | skr set api; printf new; } | skr set --new api; echo $?; skr get api; echo
            keyctl restrict_keyring @s; printf new | skr set --new api --namespace other; echo $?
            """#, prints: "73\nold\n77\n")
    }
}
