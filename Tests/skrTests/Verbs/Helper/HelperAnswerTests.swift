import Testing

/// Answers and errors that clients and their users get from unusual calls.
@Suite("skr helper: answers to unusual calls")
struct HelperAnswerTests: ScriptTests {
    let preparation = "work=$(mktemp -d); trap 'rm -r $work' EXIT; cd $work\n"

    @Test("a cargo session exits with 70 if its first or a later answer can't be written")
    func unwritable() throws {
        try expect(
            #"""
            skr helper cargo < /dev/null > /dev/full; echo $?
            # The file has room for the greeting only.
            head -c 4086 /dev/zero > full
            (ulimit -f 4; echo '{"v":1,"registry":{"index-url":"i"},"kind":"get"}' | skr helper cargo >> full); echo $?
            """#, prints: "70\n70\n")
    }

    @Test("cargo and docker get the hint in the message, because they show nothing else")
    func hints() throws {
        let outcome = try run(
            #"""
            echo '{"v":1,"registry":{"index-url":"i"},"kind":"get","args":["--colour"]}' | skr helper cargo | tail -n 1
            SKR_SCOPE=galaxy skr helper docker list
            """#)
        #expect(outcome.output.contains("unknown option '--colour' ('skr help helper cargo' shows its options)\""))
        #expect(
            outcome.output.hasSuffix("no such scope: 'galaxy' (use session, user or persistent)\n"), "\(outcome)")
    }

    @Test("keyring asks for a password on a terminal, and accepts an empty one")
    func keyringPrompt() throws {
        let shown = try TerminalRunner().run(
            "for user in me you; do skr helper keyring set s $user; echo rc=$?; done; skr helper keyring get s me",
            answering: [
                .init(prompt: "password for s me: ", keys: "p4ss\n"), .init(prompt: "password for s you: ", keys: "\n"),
            ])
        let lines = shown.split(separator: "\n")
        #expect(lines.count { $0 == "rc=0" } == 2 && lines.count { $0 == "p4ss" } == 1, "\(shown)")
    }

    @Test("an empty answer to cargo's token prompt is an error")
    func cargoPrompt() throws {
        let shown = try TerminalRunner().run(
            #"echo '{"v":1,"registry":{"index-url":"i"},"kind":"login"}' | skr helper cargo"#,
            answering: [.init(prompt: "token for i: ", keys: "\n")])
        #expect(shown.contains(#""message":"skr: no secret was typed (run 'cargo login'"#), "\(shown)")
    }

    @Test("a request that is larger than any key is refused")
    func longRequest() throws {
        let outcome = try expect("head -c 262138 /dev/zero | skr helper vault store; echo $?; skr list", prints: "65\n")
        #expect(outcome.errors.hasPrefix("skr: error: the request has 262138 bytes or more\n"), "\(outcome)")
    }

    @Test("if the session of a build server has ended, the error has the commands that stop the server")
    func earlierLogin() throws {
        let outcome = try expect(
            "keyctl revoke @s; echo '{\"uri\":\"https://h\"}' | skr helper bazel get; echo $?; skr get a; echo $?",
            prints: "69\n69\n")
        let hint = "skr: hint: if a server of an earlier login runs skr, stop it: 'bazel shutdown', 'gradle --stop'\n"
        #expect(outcome.errors.components(separatedBy: hint).count == 3, "\(outcome)")
    }

    @Test("arguments that a client never passes are usage errors")
    func usage() throws {
        try expect(
            #"""
            for words in '' get 'get a b'; do skr helper terraform $words; echo $?; done
            printf s | skr set sudo me; SKR_ASKPASS='sudo/me?field=x' skr helper askpass 'Say: '; echo $?
            """#, prints: "64\n64\n64\n64\n")
    }

    @Test("an ambiguous account exits with 65, unlike a missing item")
    func severalAccounts() throws {
        let outcome = try run("for name in al bo; do printf x | skr set db $name; done; skr helper npm db; echo $?")
        #expect(outcome.output == "65\n" && outcome.errors.contains("several accounts: al, bo"), "\(outcome)")
    }

    @Test("the output of a command for an account is used as that user's password")
    func account() throws {
        try expect("skr helper npm x me -- echo p", onlyPrints: "Basic bWU6cA==\n")
    }

    @Test("kubernetes returns a stored item even if KUBERNETES_EXEC_INFO is not UTF-8")
    func withoutText() throws {
        try expect(
            #"printf t | skr set k; KUBERNETES_EXEC_INFO=$'\xff' skr helper kubernetes k | jq -r .status.token"#,
            onlyPrints: "t\n")
    }

    @Test("under a name that is not a client's, skr runs verbs, even with a client's name as argument")
    func otherName() throws {
        try expect(#"ln -s "$(command -v skr)" other; printf q | skr set git; ./other get git"#, onlyPrints: "q")
    }
}
