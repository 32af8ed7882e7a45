import Testing

/// The script on a terminal; the keys are typed once it asks for the secret.
private func onTerminal(_ script: String, typing keys: String) throws -> String {
    try TerminalRunner().run(script, answering: [TerminalRunner.Answer(prompt: "secret for api", keys: keys)])
}

@Suite("skr on a terminal")
struct PromptTests {
    @Test("set asks without echo, get adds a newline, list has a heading")
    func asks() throws {
        let shown = try onTerminal(#"skr set api me; skr get api me; skr list; stty -a"#, typing: "s3cret\n")
        let lines = shown.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.contains("secret for api me: "))
        #expect(lines.count { $0 == "s3cret" } == 1)
        #expect(lines.contains("KIND      SERVICE  ACCOUNT  BYTES  TIME LEFT"))
        #expect(lines.contains("password  api      me       6      -"))
        #expect(shown.contains(" echo "))
    }

    @Test("nothing typed is a usage error, and nothing is stored")
    func nothingTyped() throws {
        let shown = try onTerminal(#"skr set api; echo rc=$?; skr list"#, typing: "\n")
        #expect(shown.contains("skr: error: no secret was typed"))
        #expect(shown.contains("rc=64"))
        #expect(!shown.contains("password "))
    }

    @Test("a line that the terminal cuts short is refused, not stored in part")
    func tooLong() throws {
        let shown = try onTerminal(
            #"skr set api; echo rc=$?; skr list"#, typing: String(repeating: "x", count: 5_000) + "\n")
        #expect(shown.contains("skr: error: a terminal takes secrets of up to 4094 bytes"))
        #expect(shown.contains("rc=64"))
        #expect(!shown.contains("password "))
    }

    @Test(
        "an interrupt restores the terminal and ends the command by that signal",
        arguments: [("\u{3}", 130), ("\u{1C}", 131)])
    func interrupt(key: String, code: Int) throws {
        let shown = try onTerminal(
            #"trap : INT QUIT; skr set api; echo rc=$?; stty -a; skr list"#, typing: "typed\(key)"
        )
        #expect(shown.contains("rc=\(code)"))
        #expect(shown.contains(" echo "))
        #expect(!shown.contains(" -echo "))
        #expect(!shown.contains("password "))
    }
}
