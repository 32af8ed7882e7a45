import Testing

@Suite("Readers of sources")
struct SourceHelperTests {
    @Test("helpers use sources to answer, and for nothing else")
    func helpers() throws {
        try SourcesUnderTest.run(
            """
            https://h alice --timeout 1m -- sh -c 'echo git >> runs; echo pw'
            https://h bob --timeout 1m -- sh -c 'echo bob >> runs; echo pw'
            ghcr.io carol --timeout 1m -- sh -c 'echo docker >> runs; echo dpw'
            prod --timeout-from-json Credentials.Expiration -- sh prod.sh
            """,
            #"""
            printf 'echo aws >> runs\njq -n %s\n' "'{Credentials:{AccessKeyId:\"A\",SecretAccessKey:\"s\",Expiration:(now+900|todate)}}'" > $HOME/prod.sh
            git=$'protocol=https\nhost=h\n\n'; skr helper git erase <<< "$git"; skr helper docker list; echo ghcr.io | skr helper docker erase
            skr list; skr list --all | grep ^session; skr clear; runs; skr helper git get <<< "$git" | sed 's/_utc=.*/_utc/'; runs; echo ghcr.io | skr helper docker get
            skr helper aws prod | jq -c '[.Version,.AccessKeyId,has("Expiration")]'; runs
            skr helper git get <<< $'protocol=https\nhost=h\nusername=alice\n' | sed 's/_utc=.*/_utc/'; runs; skr list | wc -l
            """#,
            prints: """
                {}

                username=alice
                password=pw
                password_expiry_utc
                git
                {"ServerURL":"ghcr.io","Username":"carol","Secret":"dpw"}
                [1,"A",true]
                git docker aws
                username=alice
                password=pw
                password_expiry_utc
                git docker aws
                3

                """)
    }

    @Test("a helper whose source fails answers as if nothing was found, and reports the reason")
    func helperFailure() throws {
        let outcome = try SourcesUnderTest.run(
            "https://h alice --timeout 1m -- sh -c 'exit 3'\nhttps://h bob --timeout 1m -- sh -c 'echo bob >> runs; echo x'",
            #"printf 'protocol=https\nhost=h\n\n' | skr helper git get; echo $?; runs"#, prints: "0\n\n")
        #expect(
            outcome.errors.contains("skr: error: https://h alice: its source failed: 'sh' ended with exit code 3\n"))
    }

    @Test("Google's libraries read standard error as the answer, so its helper prints no reason there")
    func google() throws {
        let outcome = try SourcesUnderTest.run(
            "bad --timeout 1m -- sh -c 'exit 3'", "skr helper google bad; echo $?")
        #expect(outcome.output.hasPrefix(#"{"version":1,"success":false,"#), "\(outcome)")
        #expect(outcome.output.hasSuffix("\n0\n"), "\(outcome)")
        #expect(outcome.errors == "")
    }

    @Test("completion offers the names of sources, and runs none")
    func completion() throws {
        try SourcesUnderTest.run(
            "api --timeout 1m -- sh -c 'echo run >> runs'\ndb alice --timeout 1m -- true",
            #"""
            for words in 'get ""' 'get db ""' 'exec --env A=""' 'cached ""'; do eval "skr ---complete zsh skr $words" | sed 1d; echo /; done; runs
            """#, prints: "api\ndb\n/\nalice\n/\nA=skr://api\nA=skr://db/alice\n/\n/\n\n")
    }

    @Test("what doesn't read a secret runs no source")
    func noReaders() throws {
        try SourcesUnderTest.run(
            "api --timeout 1m -- sh -c 'echo run >> runs; echo s3cret'",
            #"""
            skr list; skr list api; skr list --all | grep ^session; skr expire api --timeout 1m; skr delete api; skr clear; skr clear api; skr doctor > /dev/null
            skr source > /dev/null; skr set api <<< x; skr delete api; runs
            """#, prints: "\n")
    }

    @Test("if the account is not named, several items and sources are ambiguous, and none runs")
    func ambiguous() throws {
        try SourcesUnderTest.run(
            """
            db alice --timeout 1m -- sh -c 'echo alice >> runs; echo a'
            db bob --timeout 1m -- sh -c 'echo bob >> runs; echo b'
            one carol --timeout 1m -- sh -c 'echo carol >> runs; echo c'
            """,
            #"""
            skr get db; echo $?; skr get db 2>&1 | grep -o "alice.*bob"; skr exec --env A=skr://db -- true; echo $?
            skr helper aws db > /dev/null; echo $?; runs
            printf x | skr set one dave; skr get one; echo $?; skr get one carol; echo; runs; skr get one; echo $?
            skr delete one dave; skr get one
            """#,
            prints: """
                65
                alice, bob
                65
                65

                65
                c
                carol
                65
                c
                """)
    }

    @Test("a helper with a command ignores sources")
    func withCommand() throws {
        try SourcesUnderTest.run(
            "prod --timeout 1m -- sh -c 'echo source >> runs; echo source'",
            #"""
            skr helper headers prod -- echo command; runs; skr helper headers prod; runs; skr delete prod
            skr cached prod --timeout 1m -- echo cached; runs
            """#,
            prints: """
                {"Authorization":"Bearer command"}

                {"Authorization":"Bearer source"}
                source
                cached
                source

                """)
    }

    @Test("after git has erased a refused password, the next lookup asks the source again")
    func erased() throws {
        let answers = ["1", "1", "2", "2"].map { "password=\($0)\n" }.joined()
        try SourcesUnderTest.run(
            "https://h alice --timeout 1m -- sh -c 'echo run >> runs; wc -l < runs'",
            #"""
            get() { skr helper git get <<< $'protocol=https\nhost=h\n\n' | grep password=; }; get; get
            skr helper git erase <<< $'protocol=https\nhost=h\nusername=alice\npassword=1\n'; get
            skr helper git erase <<< $'protocol=https\nhost=h\nusername=alice\npassword=1\n'; get; runs
            """#, prints: answers + "run run\n")
    }

    @Test("git and docker don't store the secret of a source, with or without its expiry")
    func gitStores() throws {
        try SourcesUnderTest.run(
            """
            https://h alice --timeout-from-json e --end-early 5m --field t -- echo '{"e":60,"t":"pw"}'
            ghcr.io carol --timeout 1m -- echo dpw
            """,
            #"""
            for lines in '^[^=]*=' '^[^_]*='; do
                answer=$(skr helper git get <<< $'protocol=https\nhost=h\n\n' | grep "$lines"); wc -l <<< "$answer"
                printf 'protocol=https\nhost=h\n%s\n' "$answer" | skr helper git --timeout 8h store; skr list
            done
            echo '{"ServerURL":"ghcr.io","Username":"carol","Secret":"dpw"}' | skr helper docker store; skr list
            printf 'protocol=https\nhost=h\nusername=bob\npassword=b\n' | skr helper git store; skr list | cut -f 2-3
            """#, prints: "3\n2\nhttps://h\tbob\n")
    }

    @Test("git doesn't store the secret of a source with a path, which get finds without the path")
    func gitStoresWithPath() throws {
        try SourcesUnderTest.run(
            """
            https://noend.com/org alice --timeout never -- printf sourced
            https://token.com --timeout 1m -- printf token
            """,
            #"""
            host=$'protocol=https\nhost=noend.com\n'; answer=$(skr helper git get <<< "$host"); echo "$answer"
            skr helper git store <<< "$host$answer"; skr list | cut -f 1-3
            skr helper git store <<< $'protocol=https\nhost=token.com\nauthtype=Bearer\ncredential=c'; skr list | cut -f 1-2 | grep token
            """#,
            prints: """
                username=alice
                password=sourced
                password\thttps://noend.com/org\talice
                credential\thttps://token.com

                """)
    }

    @Test("git and docker delete their older secrets of an item with a source, and report that they store no new one")
    func replaced() throws {
        let outcome = try SourcesUnderTest.run(
            """
            ghcr.io alice --timeout 1m -- printf sourced
            https://h alice --timeout 1m -- printf sourced
            """,
            #"""
            docker() { printf '{"ServerURL":"ghcr.io","Username":"%s","Secret":"%s"}' $1 $2 | skr helper docker store; }
            git() { printf 'protocol=https\nhost=h\nusername=alice\npassword=%s\n' $1 | skr helper git store; }
            export SKR_SOURCES=none; docker bob old; git old; unset SKR_SOURCES
            git old; skr list | cut -f 2-3; git new; docker alice new; echo $?; skr list; get=$'protocol=https\nhost=h\n'
            echo ghcr.io | skr helper docker get; skr helper git get <<< "$get" | grep password=; git sourced; git other
            SKR_SOURCES=none docker alice old; docker alice new; echo ghcr.io | skr helper docker get
            """#,
            prints: """
                ghcr.io\tbob
                https://h\talice
                0
                {"ServerURL":"ghcr.io","Username":"alice","Secret":"sourced"}
                password=sourced
                {"ServerURL":"ghcr.io","Username":"alice","Secret":"sourced"}

                """)
        let warning = { (name: String) in
            "skr: warning: \(name) has a source, so the password was not stored; 'skr set \(name)' overrides the source"
        }
        let (git, docker) = (warning("https://h alice"), warning("ghcr.io alice"))
        #expect(outcome.errors.split(separator: "\n").map(String.init) == [git, docker, git, docker], "\(outcome)")
    }

    @Test("if the sources can't be read, git and docker store nothing, and report the reason")
    func unreadable() throws {
        let outcome = try SourcesUnderTest.run(
            "https://h alice --timeout 1m -- printf sourced",
            #"""
            chmod g+w $sources; printf 'protocol=https\nhost=h\nusername=alice\npassword=p\n' | skr helper git store; echo $?; skr list
            """#, prints: "0\n")
        #expect(outcome.errors.hasPrefix("skr: warning: not using "), "\(outcome)")
    }

    @Test("an expired record with a refresh token doesn't hide the source of its item")
    func expiredRecord() throws {
        let outcome = try SourcesUnderTest.run(
            "https://h alice --timeout 1m -- printf sourced",
            #"""
            host=$'protocol=https\nhost=h\n'; end=$(($(date +%s) + 2))
            SKR_SOURCES=none skr helper git store <<< "${host}username=alice"$'\npassword=p\noauth_refresh_token=r\n'password_expiry_utc=$end
            skr get https://h alice; echo; while (($(date +%s) < end)); do sleep 0.1; done
            skr get --no-source https://h alice; echo $?; skr get --no-source https://h alice --field refresh_token; echo
            skr helper git get <<< "$host" | grep password=
            skr helper git store <<< "${host}username=alice"$'\npassword=sourced\n'; skr delete https://h alice; skr get https://h; echo
            """#, prints: "p\n1\nr\npassword=sourced\nsourced\n")
        #expect(outcome.errors.contains("its secret has expired: '--field refresh_token' prints"), "\(outcome)")
        #expect(!outcome.errors.contains("warning"), "\(outcome)")
    }

    @Test("if the source of the first choice fails, a helper's client gets no other secret")
    func noSecondChoice() throws {
        let outcome = try SourcesUnderTest.run(
            "https://h alice --timeout 1m -- false\nhttps://b/deep --timeout 1m -- false",
            #"""
            printf 'protocol=https\nhost=h\nusername=bob\npassword=pw\n' | skr helper git store
            printf 'protocol=https\nhost=h\n\n' | skr helper git get; echo $?
            printf root | skr set https://b; echo '{"uri":"https://b/deep/x"}' | skr helper bazel get; echo $?
            printf 'protocol=https\nhost=h\nusername=bob\n\n' | skr helper git get
            """#)
        #expect(!outcome.output.contains("root"), "\(outcome)")
        #expect(outcome.output.hasPrefix("0\n"), "\(outcome)")
        #expect(outcome.output.hasSuffix("username=bob\npassword=pw\n"), "\(outcome)")
    }

    @Test("helpers report why a source failed, with the exit code for a missing item")
    func reasons() throws {
        let outcome = try SourcesUnderTest.run(
            "prod --timeout 1m -- false\nsparse+https://r/ --timeout 1m -- false",
            #"""
            skr helper aws prod; echo $?; skr helper headers prod; echo $?; skr helper aws none; echo $?; skr list --all > /dev/null
            printf '{"v":1,"registry":{"index-url":"sparse+https://r/"},"kind":"get","operation":"read","args":[]}\n' | skr helper cargo | tail -n 1
            """#)
        #expect(outcome.output.hasPrefix("1\n1\n1\n"), "\(outcome)")
        #expect(outcome.output.contains("not-found"), "\(outcome)")
        #expect(outcome.errors.contains("sparse+https://r/: its source failed: "), "\(outcome)")
        #expect(
            outcome.errors.split(separator: "\n").count { $0.contains("prod: its source failed: ") } == 2, "\(outcome)")
    }
}
