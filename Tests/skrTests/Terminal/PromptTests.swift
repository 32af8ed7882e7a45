import Testing

/// Runs the script on a terminal, and types the keys once the script asks for the secret.
private func onTerminal(_ script: String, typing keys: String) throws -> String {
    try TerminalRunner().run(script, answering: [TerminalRunner.Answer(prompt: "secret for service api", keys: keys)])
}

@Suite("skr on a terminal")
struct PromptTests {
    @Test("set asks without echo, get adds a newline, list has a heading")
    func asks() throws {
        let shown = try onTerminal(#"skr set api me; skr get api me; skr list; stty -a"#, typing: "s3cret\n")
        let lines = shown.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.contains("secret for service api, account me: "))
        #expect(lines.count { $0 == "s3cret" } == 1)
        #expect(lines.contains("KIND      SERVICE  ACCOUNT  BYTES  TIME LEFT"))
        #expect(lines.contains("password  api      me       6      -"))
        #expect(shown.contains(" echo "))
    }

    @Test(
        "an empty line, the end of input, or a line that the terminal truncates is an error, and nothing is stored",
        arguments: [
            ("\n", "no secret was typed"), ("\u{4}", "no secret was typed"),
            (
                String(repeating: "x", count: 5_000) + "\n",
                "the secret has more than 4094 bytes, which is the limit of a terminal's line"
            ),
        ])
    func refused(keys: String, error: String) throws {
        let shown = try onTerminal(#"skr set api; echo rc=$?; skr list"#, typing: keys)
        #expect(shown.contains("skr: error: \(error)"))
        #expect(shown.contains("rc=64") && !shown.contains("password "))
    }

    @Test(
        "if several lines are pasted, nothing is stored and nothing is left for the shell",
        arguments: [
            "first\nsecond\n", "first\nsecond", "first\n\n",
            "first\n" + String(repeating: String(repeating: "x", count: 60) + "\n", count: 60),
        ])
    func paste(keys: String) throws {
        let shown = try onTerminal(
            #"skr set api; echo rc=$?; read -t 0.1 -r left; echo "left=$left"; skr list; stty -a"#, typing: keys)
        #expect(shown.contains("skr: error: more than one line was typed or pasted; nothing was stored\n"))
        #expect(shown.contains("skr: hint: pipe in a secret of several lines: "))
        #expect(shown.contains("rc=64") && shown.contains("left=\n") && shown.contains(" icanon "))
        #expect(!shown.contains("password ") && !shown.contains("second"))
    }

    @Test("with --allow-empty, an empty line is a secret")
    func empty() throws {
        let shown = try onTerminal(#"skr set api --allow-empty; echo rc=$?; skr list"#, typing: "\n")
        #expect(shown.contains("rc=0\n") && shown.contains("password  api               0      -"))
    }

    @Test(
        "a signal that ends the command restores the terminal first",
        arguments: ["USR1", "USR2", "XCPU", "VTALRM", "PROF", "TERM"])
    func signals(name: String) throws {
        let shown = try TerminalRunner().run(
            #"""
            ulimit -c 0; pid=$(mktemp); trap 'rm -f $pid' EXIT; export pid
            (for ((i = 0; i < 600; i++)); do stty -F /dev/tty -a | grep -q -e ' -echo ' && break; sleep 0.05; done
                kill -$NAME $(cat $pid)) &
            bash -c 'echo $$ > $pid; exec skr set api' 2>/dev/null; echo rc=$?; wait; stty -a; skr list
            """#, environment: ["NAME": name])
        let code = try #require(["USR1": 138, "USR2": 140, "XCPU": 152, "VTALRM": 154, "PROF": 155, "TERM": 143][name])
        #expect(shown.contains("rc=\(code)\n"))
        #expect(shown.contains(" echo ") && !shown.contains(" -echo ") && !shown.contains("password "))
    }

    @Test(
        "a stopped prompt restores the terminal, and asks again after it is continued",
        arguments: [("", "half\u{1A}"), ("TSTP", ""), ("TTIN", ""), ("TTOU", "")])
    func stopped(name: String, keys: String) throws {
        let prompt = "secret for service api"
        let shown = try TerminalRunner().run(
            #"""
            set -m; pid=$(mktemp); trap 'rm -f $pid' EXIT; export pid
            isSilent() { stty -F /dev/tty -a | grep -q -e ' -echo '; }
            [ $NAME ] && (for ((i = 0; i < 600; i++)); do isSilent && break; sleep 0.05; done; kill -$NAME $(cat $pid)) &
            bash -c 'echo $$ > $pid; exec skr set api'; [[ $(stty -a) = *' echo '* ]] && echo restored
            fg %bash; echo rc=$?; skr get api
            """#, answering: [.init(prompt: prompt, keys: keys), .init(prompt: prompt, keys: "s3cret\n")],
            environment: ["NAME": name])
        for line in ["restored\n", "rc=0\n", "s3cret\n"] { #expect(shown.contains(line), "\(shown)") }
    }

    @Test("an ignored signal stays ignored")
    func ignored() throws {
        let shown = try TerminalRunner().run(
            #"""
            trap '' USR1; pid=$(mktemp); trap 'rm -f $pid' EXIT; export pid
            (for ((i = 0; i < 600; i++)); do stty -F /dev/tty -a | grep -q -e ' -echo ' && break; sleep 0.05; done
                kill -USR1 $(cat $pid); echo sent) &
            bash -c 'echo $$ > $pid; exec skr set api'; echo rc=$?; wait; skr get api
            """#, answering: [.init(prompt: "sent", keys: "s3cret\n")])
        #expect(shown.contains("rc=0\n") && shown.contains("s3cret\n"))
    }

    @Test(
        "an interrupt restores the terminal and ends the command with that signal",
        arguments: [("\u{3}", 130), ("\u{1C}", 131)])
    func interrupt(key: String, code: Int) throws {
        let shown = try onTerminal(
            #"trap : INT QUIT; skr set api; echo rc=$?; stty -a; skr list"#, typing: "typed\(key)"
        )
        #expect(shown.contains("rc=\(code)"))
        #expect(shown.contains(" echo ") && !shown.contains(" -echo ") && !shown.contains("password "))
    }
}
