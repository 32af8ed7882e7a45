import Glibc
import Keyutils
import Testing

/// Runs scripts in a session of their own, with a sources file in a new home folder.
struct SourcesUnderTest {
    /// The beginning of a script: it makes the home folder, and the file from the variable `SOURCES`.
    static let preparation = #"""
        work=$(mktemp -d); trap 'rm -rf $work' EXIT; export HOME=$work/home; unset XDG_CONFIG_HOME SKR_SOURCES
        mkdir -p $HOME/.config/skr; chmod -R 755 $HOME; cd $work; sources=$HOME/.config/skr/sources
        printf '%s\n' "$SOURCES" > $sources; runs() { paste -sd " " $HOME/runs 2> /dev/null || echo; }

        """#

    /// - Parameter sources: the file's lines.
    static func run(
        _ sources: String, _ script: String, environment: [String: String] = [:]
    ) throws -> CommandRunner.Outcome {
        try CommandRunner().inSession(
            preparation + script, environment: environment.merging(["SOURCES": sources, "SKR_NAMESPACE": ""]) { $1 })
    }
}

@Suite("Sources")
struct SourceTests {
    private func run(
        _ sources: String, _ script: String, environment: [String: String] = [:]
    ) throws -> CommandRunner.Outcome {
        try SourcesUnderTest.run(sources, script, environment: environment)
    }

    @Test("a missing secret is fetched once and then stored, with its timeout")
    func fetched() throws {
        let outcome = try run(
            "api --timeout 15m -- sh -c 'echo run >> runs; echo s3cret'",
            #"""
            skr get api; echo; skr get api; echo; runs; skr list | cut -f 1-4; skr list --expiring 16m | wc -l
            printf mine | skr set api; skr get api; echo; skr delete api; skr get api; echo; runs
            """#)
        #expect(
            outcome.output == """
                s3cret
                s3cret
                run
                password\tapi\t\t6
                1
                mine
                s3cret
                run run

                """, "\(outcome)")
        #expect(outcome.errors == "")
    }

    @Test("the stored part of the output, and its lifetime")
    func parts() throws {
        let outcome = try run(
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
            """#)
        #expect(
            outcome.output == """
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

                """, "\(outcome)")
    }

    @Test("a live item of any kind with that name is found instead")
    func otherKind() throws {
        let outcome = try run(
            "https://h alice --timeout 1m -- sh -c 'echo run >> runs; echo new'",
            #"""
            printf 'protocol=https\nhost=h\nusername=alice\npassword=old\n' | skr helper git store
            skr get https://h alice; echo; skr get https://h; echo; printf 'protocol=https\nhost=h\n' | skr helper git get; runs
            """#)
        #expect(outcome.output == "old\nold\nusername=alice\npassword=old\n\n", "\(outcome)")
    }

    @Test(
        "exec, inject and env run nothing if a secret has neither item nor source, and else each source once, in order")
    func several() throws {
        let outcome = try run(
            """
            a --timeout 1m -- sh -c 'echo a >> runs; echo 1'
            b --timeout 1m -- sh -c 'echo b >> runs; echo {\\"x\\":2,\\"y\\":3}'
            bad --timeout 1m -- sh -c 'echo bad >> runs; exit 3'
            """,
            #"""
            skr exec --env A=skr://a --env N=skr://none -- true; echo $?; echo '{{ skr://a }}{{ skr://none }}' | skr inject; echo $?
            skr env --env A=skr://a --env N=skr://none; echo $?; runs
            echo '{{ skr://b?field=y }} {{ skr://a }} {{ skr://b?field=x }}' | skr inject; runs; skr clear; rm $HOME/runs
            skr exec --env A=skr://a --env X='skr://b?field=x' --env B=skr://bad --env C=skr://a -- true; echo $?; runs
            skr delete a; rm $HOME/runs; skr exec --env A=skr://a --file B=skr://b -- sh -c 'echo $A; cat $B'; runs
            """#)
        #expect(
            outcome.output == """
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

                """, "\(outcome)")
    }

    @Test("a failure is remembered for a while, and 'skr delete' forgets it")
    func failures() throws {
        let outcome = try run(
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
            """#)
        #expect(
            outcome.output == """
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
                """, "\(outcome)")
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
    func crowd(code: Int) throws {
        let outcome = try run(
            "api --timeout 1m -- sh -c 'echo run >> runs; sleep 0.5; echo s; exit \(code)'",
            #"for i in {1..100}; do skr get api; echo " $?"; done | sort | uniq -c | tr -s ' ' & "#.replacing(
                "; done |", with: " & done |")
                + "wait; runs")
        #expect(outcome.output.hasSuffix("\nrun\n"), "\(outcome)")
    }

    @Test("a command that runs too long is ended with its children")
    func limit() throws {
        let outcome = try run(
            "slow --timeout 1m --limit 1s -- sh -c 'trap \"\" TERM; sleep 61 & sleep 61'\n"
                + "term --timeout 1m --limit 1s -- sleep 61",
            #"""
            skr get term; echo $?; SECONDS=0; skr get slow; echo $?; [ $SECONDS -lt 20 ] && echo in time; pgrep -cf 'slee[p] 61' -s 0
            """#)
        #expect(outcome.output == "75\n75\nin time\n0\n", "\(outcome)")
        #expect(outcome.errors.contains("term: its source failed: 'sleep' ran for more than 1s\n"))
    }

    @Test("the command runs at home, without the variables of skr that belong to its caller")
    func surroundings() throws {
        let outcome = try run(
            "api --timeout 1m -- sh -c 'pwd; env | grep -E \"^(SKR_[^T]|SKR_TI|A=)\" | sort; readlink /proc/self/fd/0'",
            #"""
            A=1; export A; unset SKR_TEST_SCRIPT; SKR_SCOPE=session SKR_NAMESPACE=default SKR_TIMEOUT=1h skr get api < /dev/zero | sed "s|$work|W|"
            """#)
        #expect(
            outcome.output == "W/home\nA=1\nSKR_SOURCE_CHAIN=session/default/api/\n/dev/null", "\(outcome)")
    }

    @Test("a command that asks for its own secret is refused, directly or through another source")
    func recursion() throws {
        let outcome = try run(
            """
            self --timeout 1m -- skr get self
            ping --timeout 1m -- skr get pong
            pong --timeout 1m -- skr get ping
            hidden --timeout 1m --limit 1s -- env -i skr get hidden
            """,
            #"""
            export PATH; for name in self ping; do skr get $name 2>&1 | grep -c 'asks for the item itself'; done
            sed -i "s|env -i|env -i HOME=$HOME PATH=$PATH|" $sources; SECONDS=0; skr get hidden; echo $?; [ $SECONDS -lt 30 ] && echo in time
            """#)
        #expect(outcome.output == "1\n1\n75\nin time\n", "\(outcome)")
    }

    @Test("sources can be turned off, or be in another file")
    func variables() throws {
        let outcome = try run(
            "api --timeout 1m -- echo usual",
            #"""
            skr get --no-source api; echo $?; skr get api --no-source --field x; echo $?; SKR_SOURCES=none skr get api; echo $?
            SKR_SOURCES=rel skr get api; echo $?; echo 'api --timeout 1m -- echo other' > other
            SKR_SOURCES=$work/other skr get api; echo; skr delete api; mkdir -p x/skr; sed s/usual/xdg/ $sources > x/skr/sources
            XDG_CONFIG_HOME=$work/x skr get api; echo; skr delete api; XDG_CONFIG_HOME=x skr get api; echo; skr delete api
            HOME=rel skr get api; echo $?; SKR_SOURCES=$work/none skr get api; echo $?
            """#)
        #expect(outcome.output == "1\n1\n1\n64\nother\nxdg\nusual\n1\n1\n", "\(outcome)")
    }

    @Test(
        "a file that others could have written is not used",
        arguments: [
            ("chmod g+w $sources", "chmod go-w W/home/.config/skr/sources"),
            ("chmod o+w $sources", "chmod go-w W/home/.config/skr/sources"),
            ("chmod g+w $HOME/.config/skr", "chmod go-w W/home/.config/skr"),
            ("chmod o+w $HOME", "chmod go-w W/home"),
            ("rm $sources; mkfifo $sources", "name a file"), ("rm $sources; mkdir $sources", "name a file"),
            ("mkdir l; mv $sources l; chmod g+w l; ln -s $work/l/sources $sources", "chmod go-w W/l"),
        ])
    func unsafe(change: String, hint: String) throws {
        let outcome = try run(
            "api --timeout 1m -- echo s",
            "\(change)\n"
                + #"skr get api 2>&1 | sed "s|$work|W|g"; echo ${PIPESTATUS[0]}; printf x | skr set api; skr get api"#)
        #expect(outcome.output.hasPrefix("skr: error: not using 'W/home/.config/skr/sources': "), "\(outcome)")
        #expect(outcome.output.hasSuffix("\nskr: hint: \(hint)\n77\nx"), "\(outcome)")
    }

    @Test("links and folders that others can add to, but not change, are accepted")
    func safe() throws {
        let outcome = try run(
            "api --timeout 1m -- echo s",
            #"""
            mkdir dot shared; chmod 1777 shared; mv $sources dot/s; ln -s $work/dot/s shared/link; ln -s $work/shared/link $sources
            skr get api; echo; skr delete api; chmod 600 dot/s; chmod 700 $HOME; skr get api
            """#)
        #expect(outcome.output == "s\ns", "\(outcome)")
    }

    @Test(
        "a file that is too large, or has a NUL byte, is an error",
        arguments: ["head -c 4194305 /dev/zero | tr '\\0' '#'", "printf 'a\\0'"])
    func content(command: String) throws {
        let outcome = try run("", "\(command) > $sources; skr get api; echo $?")
        #expect(outcome.output == "65\n", "\(outcome)")
    }

    @Test("helpers use sources to answer, and for nothing else")
    func helpers() throws {
        let outcome = try run(
            """
            https://h alice --timeout 1m -- sh -c 'echo git >> runs; echo pw'
            https://h bob --timeout 1m -- sh -c 'echo bob >> runs; echo pw'
            ghcr.io carol --timeout 1m -- sh -c 'echo docker >> runs; echo dpw'
            prod --timeout-from-json Credentials.Expiration -- sh prod.sh
            """,
            #"""
            printf 'echo aws >> runs\njq -n %s\n' "'{Credentials:{AccessKeyId:\"A\",SecretAccessKey:\"s\",Expiration:(now+900|todate)}}'" > $HOME/prod.sh
            git=$'protocol=https\nhost=h\n\n'; skr helper git erase <<< "$git"; skr helper docker list; echo ghcr.io | skr helper docker erase
            skr list; skr list --all; skr clear; runs; skr helper git get <<< "$git"; runs; echo ghcr.io | skr helper docker get
            skr helper aws prod | jq -c '[.Version,.AccessKeyId,has("Expiration")]'; runs
            skr helper git get <<< $'protocol=https\nhost=h\nusername=alice\n'; runs; skr list | wc -l
            """#)
        #expect(
            outcome.output == """
                {}

                username=alice
                password=pw
                git
                {"ServerURL":"ghcr.io","Username":"carol","Secret":"dpw"}
                [1,"A",true]
                git docker aws
                username=alice
                password=pw
                git docker aws
                3

                """, "\(outcome)")
    }

    @Test("a helper whose source fails answers as if nothing was found, and reports the reason")
    func helperFailure() throws {
        let outcome = try run(
            "https://h alice --timeout 1m -- sh -c 'exit 3'\nhttps://h bob --timeout 1m -- sh -c 'echo bob >> runs; echo x'",
            #"printf 'protocol=https\nhost=h\n\n' | skr helper git get; echo $?; runs"#)
        #expect(outcome.output == "0\n\n", "\(outcome)")
        #expect(
            outcome.errors.contains("skr: error: https://h alice: its source failed: 'sh' ended with exit code 3\n"))
    }

    @Test("Google's libraries read standard error as the answer, so its helper prints no reason and no warning there")
    func google() throws {
        let outcome = try run(
            """
            bad --timeout 1m -- sh -c 'exit 3'
            large --timeout 1m -- sh -c 'head -c 40000 /dev/zero | tr "\\\\0" x'
            """,
            #"""
            skr helper google bad; echo $?; skr helper google large | wc -c
            """#)
        #expect(outcome.output.hasPrefix(#"{"version":1,"success":false,"#), "\(outcome)")
        #expect(outcome.output.hasSuffix("\n0\n40100\n"), "\(outcome)")
        #expect(outcome.errors == "")
    }

    @Test("completion offers the names of sources, and runs none")
    func completion() throws {
        let outcome = try run(
            "api --timeout 1m -- sh -c 'echo run >> runs'\ndb alice --timeout 1m -- true",
            #"""
            for words in 'get ""' 'get db ""' 'exec --env A=""' 'cached ""'; do eval "skr ---complete zsh skr $words" | sed 1d; echo /; done; runs
            """#)
        #expect(outcome.output == "api\ndb\n/\nalice\n/\nA=skr://api\nA=skr://db/alice\n/\n/\n\n", "\(outcome)")
    }

    @Test("what doesn't read a secret runs no source")
    func noReaders() throws {
        let outcome = try run(
            "api --timeout 1m -- sh -c 'echo run >> runs; echo s3cret'",
            #"""
            skr list; skr list api; skr list --all; skr expire api --timeout 1m; skr delete api; skr clear; skr clear api; skr doctor > /dev/null
            skr source > /dev/null; skr import --from env < /dev/null; skr set api <<< x; skr delete api; runs
            """#)
        #expect(outcome.output == "\n", "\(outcome)")
    }

    @Test("the list of sources, and the test of one")
    func list() throws {
        let outcome = try run(
            """
            api --timeout 15m -- echo s3cret
            bad --timeout 1m -- false
            db x --timeout 1h --timeout-from-json a.b -- c 'd e'
            broken --timeout
            """,
            #"""
            skr get api > /dev/null; skr get bad; skr source; echo $?; skr source --json | jq -c '.[1]'; skr source test api; echo $?
            skr source test bad; echo $?; skr source test nothing; echo $?; skr delete api && echo deleted; skr source test api > /dev/null; skr list; SKR_SOURCES=none skr source
            """#)
        #expect(
            outcome.output == """
                api\t\techo s3cret\t15m\tstored
                bad\t\tfalse\t1m\tfailed
                db\tx\tc 'd e'\t1h, from a.b\t-
                65
                {"account":"","command":["false"],"hasFailed":true,"isStored":false,"line":2,"namespace":"default","scope":"session","service":"bad","timeout":60,"timeoutFromJSON":null}
                6 bytes; would be stored for 15m
                0
                75
                1
                deleted

                """, "\(outcome)")
        #expect(!outcome.output.contains("s3cret\n"))
    }

    @Test("two sources that ask for each other in two processes, or without the chain, end at their limits")
    func crosswise() throws {
        let outcome = try run(
            """
            a --timeout 1m --limit 2s -- sh -c 'sleep 0.5; skr get b'
            b --timeout 1m --limit 2s -- sh -c 'sleep 0.5; skr get a'
            """,
            #"""
            SECONDS=0; skr get a 2> /dev/null & a=$!; skr get b 2> /dev/null; echo $?; wait $a; echo $?; [ $SECONDS -lt 40 ] && echo in time
            """#)
        #expect(outcome.output == "75\n75\nin time\n", "\(outcome)")
    }

    @Test(
        "a signal ends the command and the reader, and is not remembered as a failure",
        arguments: [("INT", 62), ("TERM", 63), ("HUP", 64)])
    func signal(name: String, duration: Int) throws {
        let outcome = try run(
            "api --timeout 1m -- sh -c 'echo run >> runs; [ -e go ] || exec sleep \(duration); echo s3cret'",
            #"""
            set -m; skr get api & while [ ! -e $HOME/runs ]; do sleep 0.05; done; sleep 0.2; kill -\#(name) $!; wait $!
            echo $(($? - $(kill -l \#(name)))); touch $HOME/go; skr get api; echo; pgrep -cf 'slee[p] \#(duration)' -s 0
            """#)
        #expect(outcome.output == "128\ns3cret\n0\n", "\(outcome)")
    }

    @Test("the caller gets a secret that can't be stored, with a warning")
    func unstored() throws {
        let outcome = try run(
            """
            large --timeout 1m -- sh -c 'echo run >> runs; head -c 1000000 /dev/zero | tr "\\\\0" x'
            gone --timeout 1m -- sh -c 'keyctl revoke @s; echo s3cret'
            """,
            #"""
            export A=1; skr get large | wc -c; skr exec --env A=skr://large --env B=skr://large -- sh -c 'echo ${#A} ${#B}' 2> /dev/null; runs
            skr get gone; echo " $?"
            """#)
        #expect(outcome.output.hasSuffix("\ns3cret 0\n"), "\(outcome)")
        #expect(outcome.errors.contains("; the output is not kept\n"), "\(outcome)")
    }

    @Test(
        "a command that becomes another user does not take our session along",
        .enabled(
            if: geteuid() == 0 && (try? Key.request(.keyring, "_ses")) == nil,
            "only a process without a session keyring could take one along"),
        arguments: ["get api", "get --no-source x; skr get api", "exec --env A=skr://api -- true"])
    func cleanThread(call: String) throws {
        let outcome = try CommandRunner().shell(
            #"""
            work=$(mktemp -d); trap 'rm -rf $work' EXIT; export HOME=$work; export SKR_SOURCES=$work/sources; chmod 755 $work
            echo "api --timeout 1m --namespace $SKR_NAMESPACE -- setpriv --reuid 60454 --regid 60454 --clear-groups keyctl rdescribe @s" > $work/sources
            setpriv --reuid 60455 --regid 60455 --clear-groups true; skr \#(call); skr get api
            """#)
        #expect(outcome.output.contains("_uid_ses.60454"), "\(outcome)")
    }
}
