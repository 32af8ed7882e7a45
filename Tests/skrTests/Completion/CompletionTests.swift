import CommandSupport
import Testing

import skr

@Suite("Completions")
struct CompletionTests {
    private static let fill = #"for name in api db; do printf x | skr set $name; done; printf x | skr set db alice; "#

    @Test("each service is offered once, unless a terminal can't show it or it looks like an option")
    func services() throws {
        try CommandRunner().inSession(
            Self.fill + #"""
                for name in "$(printf "a\nb")" "$(printf "a\tb")" "$(printf "\033[31mx")" -rf; do printf x | skr set -- "$name"; done
                skr ---complete zsh skr get ""; skr ---complete zsh skr get -- ""
                """#, prints: "words\napi\ndb\nwords\n-rf\napi\ndb\n", errors: "")
    }

    @Test("the scope and namespace of the line are used, or else those of the environment")
    func place() throws {
        try CommandRunner().inSession(
            Self.fill + #"""
                printf x | skr set --namespace other there
                skr ---complete zsh skr get --namespace other ""; skr ---complete zsh skr get --namespace=other ""
                SKR_NAMESPACE=other skr ---complete zsh skr get ""; skr ---complete zsh skr get --scope user ""
                skr ---complete zsh skr get --scope nowhere ""; skr ---complete zsh skr get db ""
                """#, prints: "words\nthere\nwords\nthere\nwords\nthere\nwords\nwords\nwords\nalice\n", errors: "")
    }

    @Test("without a keyring, or for invalid words, no error is reported and no name is offered")
    func silence() throws {
        try CommandRunner().inSession(
            #"""
            keyctl revoke @s; skr ---complete zsh skr get ""; echo $?; skr ---complete bash "skr get " ""; echo $?
            skr ---complete; skr ---complete bash; skr ---complete bash x y z; skr ---complete zsh; echo $?
            skr ---complete zsh skr get $(printf "\377"); echo $?; skr ---complete zsh skr nonsense ""; echo $?
            """#, prints: "words\n0\nwords\n0\n0\n0\nwords\n0\n", errors: "")
    }

    @Test("the names of kept outputs are offered only to cached")
    func cached() throws {
        try CommandRunner().inSession(
            Self.fill + #"""
                skr cached token --timeout 1m -- true
                skr ---complete zsh skr cached ""; skr ---complete zsh skr cached token --timeout 1m -- ""
                skr ---complete zsh skr get ""
                """#, prints: "words\ntoken\ncommand\nwords\napi\ndb\n", errors: "")
    }

    @Test("an option on the line is not offered again, and exec completes a command after --")
    func options() throws {
        let runner = CommandRunner()
        let options = try runner.run("---complete", "zsh", "skr", "list", "--json", "-").output
        #expect(!options.contains("--json") && options.contains("\n--scope\t"))
        #expect(try runner.run("---complete", "zsh", "skr", "exec", "--", "").output == "command\n")
        #expect(try runner.run("---complete", "zsh", "skr", "exec", "--env-file", "").output == "files\n")
        #expect(try runner.run("---complete", "bash", "skr set api <f", "f").output == "files\n")
        #expect(try runner.run("---complete", "zsh", "skr", "exec", "--env", "").output == "words\n")
        let scopes = try runner.run("---complete", "zsh", "skr", "list", "--scope=").output
        #expect(scopes.contains("\n--scope=session\n") && scopes.contains("\n--scope=user\n"))
        #expect(try runner.run("---complete", "zsh", "skr", "list", "--none=").output == "words\n")
    }

    @Test("references are offered after a variable's name, and services like options after --")
    func words() throws {
        try CommandRunner().inSession(
            #"""
            for name in "a b/c-._9" --scope=x; do printf x | skr set -- "$name"; done; skr cached kept --timeout 1m -- true
            skr ---complete zsh skr exec --env T=; skr ---complete zsh skr get -- --sc
            skr ---complete zsh skr get --sc | grep -c $'^--scope\t'; skr ---complete zsh skr exec - | grep -c $'^--\t'
            skr ---complete zsh skr get -- --scope=; skr ---complete zsh skr get a=
            """#,
            prints: """
                words
                T=skr://--scope%3Dx
                T=skr://a%20b%2Fc-._9
                words
                --scope=x
                a b/c-._9
                1
                1
                words
                --scope=x
                a b/c-._9
                words
                a b/c-._9

                """, errors: "")
    }

    @Test("the last value of a repeated option counts, and words after -- are never options")
    func repeated() throws {
        try CommandRunner().inSession(
            #"""
            printf x | skr set there --namespace other; printf x | skr set -- -rf me; printf x | skr set api
            skr cached api --key k --timeout 1m -- true
            skr ---complete zsh skr get --namespace nowhere --namespace other ""
            skr ---complete zsh skr get --namespace other --scope session ""
            skr ---complete zsh skr get -- -rf ""; skr ---complete zsh skr get - ""; skr ---complete zsh skr get api ""
            skr ---complete zsh skr get -- a b ""; skr ---complete zsh skr get a b "" | grep -c $'^--scope\t'
            """#, prints: "words\nthere\nwords\nthere\nwords\nme\nwords\nwords\nwords\n1\n", errors: "")
    }

    @Test("completion omits names that begin with ~ in fish, which would not quote them")
    func tilde() throws {
        try CommandRunner().inSession(
            """
            for name in api '~x'; do printf x | skr set $name; done
            for shell in fish zsh; do skr ---complete $shell skr get ''; done
            """, prints: "words\napi\nwords\napi\n~x\n", errors: "")
    }
}

@Suite("Words of bash")
struct BashLineTests {
    @Test(
        "a reply keeps what was typed and quotes the rest, and bash gets no reply that it would misread",
        arguments: [
            ("skr get ", "", "a b", #"a\ b"#), ("skr get a", "a", "a b", #"a\ b"#),
            (#"skr get a\"#, #"a\"#, "a b", #"a\ b"#),
            (#"skr get "a"#, "a", #"a$"b"#, #"a\$\"b"#), ("skr get 'a", "a", "a'b", #"a'\''b"#),
            ("skr get a:", "", "a:b", "b"), ("skr get a:b", "b", "a:b!c", #"b\!c"#),
            ("skr get a", "a", "a,b-_./:=@%+Z9", "a,b-_./:=@%+Z9"), (#"skr get a"b"#, "b", "ab c", "b c"),
            (#"skr get "a b"c"#, #""a b"c"#, "a bcd", #""a b"cd"#),
            (#"skr get a\ b"#, #"a\ b"#, "a bc", #"a\ bc"#),
            // bash would read such replies as something else.
            ("skr get \"", "", "a!b", nil), ("skr get $'", "", "ab", nil), ("skr get b", "b", "ab", nil),
            ("skr get a", "b", "ab", nil),
        ] as [(String, String, String, String?)])
    func replies(line: String, replaced: String, name: String, reply: String?) {
        #expect(BashLine(line).last.reply(completingTo: name, replacing: replaced) == reply)
    }

    @Test("words, quotes and redirections are read")
    func words() {
        let line = BashLine(#"skr 'a  b' "c\"\d" e\ f </dev/null g>h ${i"#)
        #expect(line.words == ["skr", "a  b", #"c"\d"#, "e f", "g"])
        #expect(line.last.text == "${i" && !line.isRedirection && BashLine("skr < f").isRedirection)
        #expect(BashLine("skr\na\tb\\\nc \"d\\\ne\" x").words == ["skr", "a", "bc", "de"])
    }
}
