import Testing

/// The command on a terminal, which `script` provides; what is typed comes from a pipe, a moment later.
private func onTerminal(_ script: String, typing keys: String) throws -> CommandRunner.Outcome {
    let script = script.replacing("$", with: #"\$"#)
    return try CommandRunner().shell(
        #"(sleep 0.7; printf '\#(keys)'; sleep 0.7) | script -qec "keyctl session - bash -c '\#(script)'" /dev/null | tr -d '\r'"#
    )
}

@Suite("skr on a terminal")
struct PromptTests {
    @Test("set asks without echo, get adds a newline, list has a heading")
    func asks() throws {
        let outcome = try onTerminal(#"skr set api me; skr get api me; skr list; stty -a"#, typing: #"s3cret\n"#)
        let lines = outcome.output.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.contains("secret for api me: "))
        #expect(lines.count { $0 == "s3cret" } == 1)
        #expect(lines.contains("KIND      SERVICE  ACCOUNT  BYTES  TIME LEFT"))
        #expect(lines.contains("password  api      me       6      -"))
        #expect(outcome.output.contains(" echo "))
    }

    @Test("nothing typed is a usage error, and nothing is stored")
    func nothingTyped() throws {
        let outcome = try onTerminal(#"skr set api; echo rc=$?; skr list"#, typing: #"\n"#)
        #expect(outcome.output.contains("skr: error: no secret was typed"))
        #expect(outcome.output.contains("rc=64"))
        #expect(!outcome.output.contains("password "))
    }

    @Test(
        "an interrupt restores the terminal and ends the command by that signal",
        arguments: [(#"\003"#, 130), (#"\034"#, 131)])
    func interrupt(key: String, code: Int) throws {
        let outcome = try onTerminal(
            #"trap : INT QUIT; skr set api; echo rc=$?; stty -a; skr list"#, typing: "typed\(key)"
        )
        #expect(outcome.output.contains("rc=\(code)"))
        #expect(outcome.output.contains(" echo "))
        #expect(!outcome.output.contains(" -echo "))
        #expect(!outcome.output.contains("password "))
    }
}
