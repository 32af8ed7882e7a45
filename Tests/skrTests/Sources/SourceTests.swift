import Testing

@Suite("Sources")
struct SourceTests {
    @Test("a missing secret is fetched once and then stored, with its timeout")
    func fetched() throws {
        let outcome = try SourcesUnderTest.run(
            "api --timeout 15m -- sh -c 'echo run >> runs; echo s3cret'",
            #"""
            skr get api; echo; skr get api; echo; runs; skr list | cut -f 1-4; skr list --expiring 16m | wc -l
            printf mine | skr set api; skr get api; echo; skr delete api; skr get api; echo; runs
            """#,
            prints: """
                s3cret
                s3cret
                run
                password\tapi\t\t6
                1
                mine
                s3cret
                run run

                """)
        // `set` without a timeout replaces the item that the source has stored with one.
        #expect(outcome.errors.hasPrefix("skr: api: the old timeout of ") && outcome.errors.count { $0.isNewline } == 1)
    }

    @Test("the stored part of the output, and its lifetime")
    func parts() throws {
        try SourcesUnderTest.run(
            #"""
            raw --timeout 1m --raw -- printf 'a\n\n'
            text --timeout 1m -- printf 'a\n\n'
            line --timeout 1m --first-line -- printf 'a\nb\n'
            field --timeout 1m --field b.c -- echo '{"b":{"c":"x y"}}'
            json --timeout-from-json in --field b -- echo '{"b":1,"in":"600"}'
            both --timeout 1m --timeout-from-json in -- echo '{"in":600}'
            early --timeout-from-json in --end-early 9m -- echo '{"in":600}'
            over --timeout-from-json in --end-early 10m -- echo '{"in":600}'
            never --timeout never -- echo x
            """#,
            #"""
            for name in raw text line field json both early over never; do skr get $name | od -An -c | tr -d ' \n'; echo; done
            skr list --json | jq -r '.[] | "\(.service) \(.timeLeft | if . == null then "-" elif . <= 60 then "1m" elif . >= 540 then "10m" else . end)"'
            """#,
            prints: """
                a\\n\\n
                a\\n
                a
                xy
                1
                {"in":600}
                {"in":600}
                {"in":600}
                x
                both 1m
                early 1m
                field 1m
                json 10m
                line 1m
                never -
                raw 1m
                text 1m

                """)
    }

    @Test("a live item of any kind with that name is found instead")
    func otherKind() throws {
        try SourcesUnderTest.run(
            "https://h alice --timeout 1m -- sh -c 'echo run >> runs; echo new'",
            #"""
            printf old | skr helper keyring set https://h alice
            skr get https://h alice; echo; skr get https://h; echo; printf 'protocol=https\nhost=h\n' | skr helper git get; runs
            """#, prints: "old\nold\nusername=alice\npassword=old\n\n")
    }

    @Test(
        "exec, inject and env run nothing if a secret has neither item nor source, and else each source once, in order")
    func several() throws {
        try SourcesUnderTest.run(
            """
            a --timeout 1m -- sh -c 'echo a >> runs; echo 1'
            b --timeout 1m -- sh -c 'echo b >> runs; echo {\\"x\\":2,\\"y\\":3}'
            bad --timeout 1m -- sh -c 'echo bad >> runs; exit 3'
            twice --timeout 1m -- true
            twice --timeout 1m -- true
            """,
            #"""
            skr exec --env A=skr://twice --env B=skr://twice/x --env C=skr://none -- true; echo $?
            skr exec --env A=skr://a --env N=skr://none -- true; echo $?; echo '{{ skr://a }}{{ skr://none }}' | skr inject; echo $?
            skr env --env A=skr://a --env N=skr://none; echo $?; runs
            echo '{{ skr://b?field=y }} {{ skr://a }} {{ skr://b?field=x }}' | skr inject; runs; skr clear; rm $HOME/runs
            skr exec --env A=skr://a --env X='skr://b?field=x' --env B=skr://bad --env C=skr://a -- true; echo $?; runs
            skr delete a; rm $HOME/runs; skr exec --env A=skr://a --file B=skr://b -- sh -c 'echo $A; cat $B'; runs
            """#,
            prints: """
                65
                1
                1
                false
                1

                3 1 2
                b a
                75
                a b bad
                1
                {"x":2,"y":3}a

                """)
    }

    @Test("a failure is remembered for a while, and 'skr delete' forgets it")
    func failures() throws {
        let outcome = try SourcesUnderTest.run(
            """
            bad --timeout 1m -- sh -c 'echo bad >> runs; echo why >&2; exit 3'
            again --timeout 1m --cache-failures 0 -- sh -c 'echo again >> runs; exit 4'
            empty --timeout 1m -- echo
            none --timeout 1m -- skr-no-such-program
            field --timeout 1m --field x -- echo '{}'
            """,
            #"""
            for i in 1 2; do skr get bad; echo $?; done; runs; skr delete bad; echo $?; skr get bad; echo $?; runs; rm $HOME/runs
            skr get again; skr get again; runs; for name in empty none field; do skr get $name; echo $?; skr get $name; done
            skr list; skr set bad <<< x; skr get bad
            """#,
            prints: """
                75
                75
                bad
                0
                75
                bad bad
                again again
                75
                75
                75
                x
                """)
        let errors = outcome.errors.split(separator: "\n").filter { !$0.hasPrefix("skr: hint") }.map(String.init)
        #expect(
            errors == [
                "why", "skr: error: bad: its source failed: 'sh' ended with exit code 3",
                "skr: error: bad: its source failed: it failed moments ago with exit code 3, and is not run again yet",
                "why", "skr: error: bad: its source failed: 'sh' ended with exit code 3",
                "skr: error: again: its source failed: 'sh' ended with exit code 4",
                "skr: error: again: its source failed: 'sh' ended with exit code 4",
                "skr: error: empty: its source failed: the command printed no secret",
                "skr: error: empty: its source failed: it failed moments ago with exit code 65, and is not run again yet",
                "skr: error: none: its source failed: no such command: 'skr-no-such-program'",
                "skr: error: none: its source failed: it failed moments ago with exit code 127, and is not run again yet",
                "skr: error: field: its source failed: the output: the secret has no field 'x'",
                "skr: error: field: its source failed: it failed moments ago with exit code 65, and is not run again yet",
            ])
    }

    @Test("many processes that miss at once cause one run, also if it fails", arguments: [0, 3])
    func crowd(code: Int) throws { try miss(processes: 15, code: code) }

    @Test("100 processes that miss at once cause one run, also if it fails", .tags(.long), arguments: [0, 3])
    func largeCrowd(code: Int) throws { try miss(processes: 100, code: code) }

    private func miss(processes: Int, code: Int) throws {
        let outcome = try SourcesUnderTest.run(
            "api --timeout 1m -- sh -c 'echo run >> runs; sleep 0.5; echo s; exit \(code)'",
            "for i in {1..\(processes)}; do skr get api & done; wait; echo; runs")
        #expect(outcome.output.hasSuffix("\nrun\n"), "\(outcome)")
        #expect(outcome.output.count { $0 == "s" } == (code == 0 ? processes : 0), "\(outcome)")
    }

    @Test("the list of sources, and the test of one")
    func list() throws {
        // /proc/keys shows 15 minutes as 14 as soon as a second has ended.
        let outcome = try SourcesUnderTest.run(
            """
            api --timeout 15m -- echo s3cret
            bad --timeout 1m -- false
            db x --timeout 1h --timeout-from-json a.b -- c 'd e'
            only me --timeout never -- echo x
            soon --timeout-from-json in --end-early 1m -- echo '{"in":9}'
            broken --timeout
            """,
            #"""
            skr get api > /dev/null; skr get bad; skr source; echo $?; skr source --json | jq -c '.[1]'; skr source test api | sed s/14m/15m/; echo ${PIPESTATUS[0]}
            skr source test bad; echo $?; skr source test nothing; echo $?; skr source test only; skr source test soon; skr delete api && echo deleted; skr source test api > /dev/null; skr list; SKR_SOURCES=none skr source
            """#,
            prints: """
                api\t\techo s3cret\t15m\tstored
                bad\t\tfalse\t1m\tfailed
                db\tx\tc 'd e'\t1h, from a.b\t-
                only\tme\techo x\tnever\t-
                soon\t\techo '{"in":9}'\tfrom in\t-
                65
                {"account":"","command":["false"],"hasFailed":true,"isStored":false,"line":2,"namespace":"default","scope":"session","service":"bad","timeout":60,"timeoutFromJSON":null}
                6 bytes; would be stored for 15m
                0
                75
                1
                1 bytes; would be stored until its scope ends
                8 bytes; would not be stored: it ends too soon
                deleted

                """)
        #expect(!outcome.output.contains("s3cret\n"))
    }
}
