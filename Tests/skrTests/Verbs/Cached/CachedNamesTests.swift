import Testing

@Suite("Outputs of skr cached are never taken for secrets")
struct CachedNamesTests: ScriptTests {
    @Test(
        "the hints of get, delete, expire and references name skr cached with the output's keys",
        arguments: ["", " --key a --key 'b,c d'"])
    func otherVerbs(keys: String) throws {
        let error = """
            skr: error: token: no such item, or it has expired
            skr: hint: 'token' is an output stored by 'skr cached': 'skr cached token\(keys) ... -- CMD' prints it; 'skr cached --forget token\(keys)' deletes it

            """
        try expect(
            #"""
            export SKR_NAMESPACE=; skr cached token --timeout 5m\#(keys) -- echo x
            skr get token; echo $?; skr delete token; echo $?; skr expire token --timeout 5m; echo $?
            skr exec --env A=skr://token -- true; echo $?; printf '{{ skr://token }}' | skr inject; echo $?; skr list | wc -l
            """#, prints: "x\n1\n1\n1\n1\n1\n1\n", withErrors: String(repeating: error, count: 5))
    }

    @Test("a hint never has a name that a program has planted, because people paste hints")
    func planted() throws {
        let outcome = try run(
            #"""
            export SKR_NAMESPACE=; printf 1 | skr set other
            keyctl add user 'cached:tok:\q$(touch%20/nonexistent/x)' x $(keyctl search @s keyring skr:default) >/dev/null
            skr get tok; printf 1 | skr set --namespace=$'-a\tb' there; skr get there
            """#)
        #expect(
            outcome.errors == """
                skr: error: tok: no such item, or it has expired
                skr: hint: 'tok' is an output stored by 'skr cached': 'skr cached tok --key ... ... -- CMD' prints it; 'skr cached --forget tok --key ...' deletes it
                skr: error: there: no such item, or it has expired
                skr: hint: it is in the namespace -a%09b: add --namespace=$'-a\\x09b'

                """)
    }

    @Test("with several variants, the hint leaves the keys open, and get finds a secret of that name")
    func variants() throws {
        let outcome = try expect(
            #"""
            for key in a b; do skr cached token --timeout 5m --key $key -- true; done; skr get token
            printf secret | skr set token; skr get token; skr delete token; skr list | cut -f 1-3
            """#, prints: "secretcached\ttoken\ta\ncached\ttoken\tb\n")
        #expect(outcome.errors.contains("'skr cached --forget token --key ...' deletes it"))
    }

    @Test("--forget shows the keys as typed, and hints at other keys or at a secret of that name")
    func forget() throws {
        try expect(
            #"""
            export SKR_NAMESPACE=; skr cached token --timeout 5m --key a -- true; printf 1 | skr set api
            skr cached --forget token --key b --key ''; skr cached --forget api; skr cached --forget none; echo $?
            """#, prints: "1\n",
            withErrors: """
                skr: error: token --key b --key '': no such item, or it has expired
                skr: hint: 'token' is an output stored by 'skr cached': 'skr cached token --key a ... -- CMD' prints it; 'skr cached --forget token --key a' deletes it
                skr: error: api: no such item, or it has expired
                skr: hint: 'api' is a secret stored by 'skr set': 'skr delete api' deletes it
                skr: error: none: no such item, or it has expired
                skr: hint: 'skr list' shows what is stored
                skr: hint: each login has its own session; logins share --scope user, or 'skr session --join': see 'man skr-login-environments'

                """)
    }

    @Test("list shows the --key options on a terminal, and the keys as the account elsewhere")
    func list() throws {
        let script =
            #"skr cached t --timeout 5m --key a --key 'b c' --key '' --key 'x\,y' -- true; skr cached u --timeout 5m -- true"#
        let shown = try TerminalRunner().run("stty cols 100; \(script); skr list")
        #expect(
            shown.split(separator: "\n").contains {
                $0.hasPrefix(#"cached  t        --key a --key 'b c' --key '' --key 'x'\\',y'  "#)
            }, "\(shown)")
        try expect(
            #"\#(script); skr list | cut -f 3; skr list --json | jq -r '.[].account'"#,
            prints: #"a,b c,\e,x\\\,y"# + "\n\n" + #"a,b c,\e,x\\\,y"# + "\n\n")
    }
}
