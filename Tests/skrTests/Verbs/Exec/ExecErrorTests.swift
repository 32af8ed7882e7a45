import Foundation
import TestSupport
import Testing

@Suite("Errors of skr exec")
struct ExecErrorTests: ScriptTests {
    @Test("126 and 127 have the same meaning as in a shell, and come with an error line")
    func exitCodes() throws {
        let outcome = try expect(
            #"""
            skr exec -- skr-no-such-command; echo $?; skr exec -- /no/such/file; echo $?; skr exec -- ''; echo $?
            skr exec -- /etc; echo $?; skr exec -- /etc/passwd; echo $?; skr exec -- /etc/passwd/x; echo $?
            skr exec -- $'no\nskr: error: forged'; echo $?
            """#, prints: "127\n127\n127\n126\n126\n126\n127\n")
        let errors = outcome.errors.split(separator: "\n")
        #expect(errors.count == 14)
        #expect(errors.indices.allSatisfy { errors[$0].hasPrefix($0 % 2 == 0 ? "skr: error: " : "skr: hint: ") })
        #expect(errors.first == "skr: error: no such command: 'skr-no-such-command'")
    }

    @Test(
        "an unsearchable folder in PATH is skipped, and a non-executable file exits with 126",
        .tags(.root), .enabled(if: isRoot, "becomes another user"))
    func folders() throws {
        try expect(
            #"""
            work=$(mktemp -d); trap 'rm -rf $work' EXIT; chmod 755 $work; cd $work; skr=$(command -v skr)
            mkdir -m 700 closed; echo x > tool; chmod 644 tool
            for path in $work/closed $work/closed: :$work/closed; do
                for name in tool none; do setpriv --reuid 60451 --regid 60451 --clear-groups env PATH=$path $skr exec -- $name; echo $?; done
            done 2> /dev/null
            """#, prints: "127\n127\n126\n127\n126\n127\n")
    }

    @Test("all missing items are named together, and the command does not start")
    func missing() throws {
        let outcome = try expect(
            #"""
            export SKR_NAMESPACE=; printf s3cret | skr set api
            skr exec --env A=skr://api --env B=skr://one --file C=skr://two/al --env-file <(echo D=skr://three) -- echo started; echo $?
            skr exec --env B=skr://one --env C=skr://one -- echo started; echo $?
            skr exec --env B=skr://one --env C='skr://api?field=x' -- echo started; echo $?
            """#, prints: "1\n1\n65\n")
        #expect(
            outcome.errors.contains(
                "skr: error: no such items, or they have expired: three, one, two al\nskr: hint: store it with"))
        #expect(outcome.errors.contains("skr: error: one: no such item, or it has expired\n"))
        #expect(
            outcome.errors.contains(
                "skr: error: 2 secrets can't be used: one: no such item, or it has expired; api: the secret is not JSON\n"
            ))
        #expect(!outcome.errors.contains("s3cret"))
    }

    @Test("several accounts are an error that lists them, and a single account is used")
    func accounts() throws {
        let outcome = try expect(
            #"""
            printf 1 | skr set db alice; skr exec --env A=skr://db -- sh -c 'echo $A'
            printf 2 | skr set db bob; skr exec --env A=skr://db -- echo started; echo $?
            skr exec --env A=skr://db/bob -- sh -c 'echo $A'
            """#, prints: "1\n65\n2\n")
        #expect(
            outcome.errors.hasPrefix("skr: error: db: several accounts: alice, bob\nskr: hint: name the account too"))
    }

    @Test("bad input is an error with its exit code, starts nothing, and shows no possible secret")
    func badInput() throws {
        let outcome = try run(
            #"""
            try() { "$@"; echo $?; }
            try skr exec; try skr exec --; try skr exec echo started; try skr exec --env A=skr://x echo started
            try skr exec --env A=hunter2 -- echo started; try skr exec --env 1=skr://x -- echo started
            try skr exec --env hunter2 -- echo started; try skr exec --env A=skr://a/b/c -- echo started
            try skr exec --env A=skr://a --file A=skr://a -- echo started; try skr exec --env A=skr://%zz -- echo started
            try skr exec --env-file /no/such -- echo started; try skr exec --env-file / -- echo started
            try skr exec --env-file <(echo; echo hunter2) -- echo started; try skr exec --env-file /dev/zero -- echo started
            try skr exec --env-file <(echo A=skr://hunter2#) -- echo started; try skr exec --env -- echo started
            try skr exec --scope nowhere -- echo started; try skr exec --env "A=skr://$(printf '\377')" -- echo started
            """#)
        let codes = [64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 65, 65, 65, 64, 64, 64]
        #expect(outcome.output == codes.map { "\($0)\n" }.joined())
        let errors = outcome.errors.split(separator: "\n")
        #expect(errors.count == 2 * codes.count)
        #expect(errors.indices.allSatisfy { errors[$0].hasPrefix($0 % 2 == 0 ? "skr: error: " : "skr: hint: ") })
        #expect(!outcome.errors.contains("hunter2"))
        #expect(outcome.errors.contains("skr: hint: skr exec -- CMD ...; 'skr help exec' shows the options"))
        #expect(outcome.errors.contains(":2: the line is not NAME=value\n"))
        #expect(outcome.errors.contains("'/dev/zero' has more than 1 MiB\n"))
    }

    @Test("only references need a keyring, and a revoked keyring is reported once")
    func noKeyring() throws {
        let outcome = try expect(
            #"""
            keyctl revoke @s; skr exec --env-file <(echo A=1) -- sh -c 'echo $A'
            skr exec --env A=skr://a --env B=skr://b -- echo started; echo $?
            """#, prints: "1\n69\n")
        #expect(outcome.errors.contains("skr: error: this login session has ended and its keyring was revoked"))
        #expect(outcome.errors.contains("'exec skr session'"))
    }

    @Test("if no more files can be opened, exec reports it and does not start the command")
    func noFiles() throws {
        let outcome = try expect(
            #"""
            printf s3cret | skr set api
            (ulimit -n 4; skr exec --file A=skr://api --file B=skr://api -- echo started); echo $?
            """#, prints: "70\n")
        #expect(outcome.errors.hasPrefix("skr: error: can't create a file in memory for B: too many open files\n"))
    }

    @Test(
        "if no file can be written, the exit code is 70 and the command does not start",
        arguments: ["skr exec --file A=skr://api", "echo x | skr inject"])
    func noRoom(line: String) throws {
        try expect(
            "printf s3cret | skr set api; (trap '' XFSZ; ulimit -f 0; \(line) -- echo started) 2>/dev/null; echo $?",
            prints: "70\n")
    }

    @Test(
        "a secret that is too large for an environment is an error",
        .tags(.root), .enabled(if: isRoot, "needs root, because it stores more than a user's 20,000 bytes"))
    func tooLarge() throws {
        let outcome = try expect(
            #"""
            head -c 32000 /dev/zero | tr '\0' x | skr set big; skr exec --env A=skr://big -- sh -c 'echo ${#A}'
            export B=$(head -c 131050 /dev/zero | tr '\0' y)
            ulimit -s 1024; skr exec $(printf ' --env %s=skr://big' C D E F G) -- echo started; echo $?
            """#, prints: "32000\n126\n")
        #expect(outcome.errors.contains("skr: error: can't run 'echo': argument list too long\n"))
    }
}
