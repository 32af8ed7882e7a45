import Testing

/// The command on a terminal, which `script` provides.
///
/// The keys are typed once the prompt is there.
private func onTerminal(_ script: String, typing keys: String) throws -> CommandRunner.Outcome {
    let script = script.replacing("$", with: #"\$"#)
    return try CommandRunner().shell(
        #"""
        seen=$(mktemp); trap 'rm -f "$seen"' EXIT
        type() { for try in {1..200}; do grep -q "secret for" "$seen" && break; sleep 0.05; done; sleep 0.1; printf '\#(keys)'; sleep 0.5; }
        type | script -qefc "keyctl session - bash -c '\#(script)'" "$seen" >/dev/null
        tr -d '\r' <"$seen"
        """#
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

    @Test("a line that the terminal cuts short is refused, not stored in part")
    func tooLong() throws {
        let outcome = try onTerminal(
            #"skr set api; echo rc=$?; skr list"#, typing: String(repeating: "x", count: 5_000) + #"\n"#)
        #expect(outcome.output.contains("skr: error: a terminal takes secrets of up to 4094 bytes"))
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
