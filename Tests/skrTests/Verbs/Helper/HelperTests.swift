import Testing

/// Runs the helpers as their clients start them.
@Suite("skr helper", .tags(.kernel))
struct HelperTests: ScriptTests {
    private static let credential = "protocol=https\nhost=example.com\nusername=alice\npassword=s3cret\n"
    let preparation = "export CREDENTIAL='\(HelperTests.credential)'\n"

    @Test("a credential from git is an ordinary item for the other verbs")
    func ordinaryItem() throws {
        let outcome = try expect(
            """
            skr helper git --timeout 1h store <<<"$CREDENTIAL"
            skr get https://example.com; echo
            skr get https://example.com alice; echo
            skr exec --env T=skr://https%3A%2F%2Fexample.com/alice -- sh -c 'echo $T'
            skr list https://example.com | cut -f 1-4
            skr expire https://example.com alice --timeout 10s && skr delete https://example.com
            skr helper git get <<<"host=example.com"
            """, prints: "s3cret\ns3cret\ns3cret\ninternet\thttps://example.com\talice\t6\n")
        #expect(outcome.exitCode == 0 && outcome.errors == "skr: deleted https://example.com alice\n")
    }

    @Test("for one name in several kinds, the order is password, internet, credential")
    func orderOfKinds() throws {
        let outcome = try run(
            """
            helper() { skr helper git "$@"; }
            helper store <<<"$CREDENTIAL"$'oauth_refresh_token=r3fresh'
            skr get https://example.com alice; echo
            skr get https://example.com alice --field refresh_token; echo
            printf mine | skr set https://example.com alice
            skr get https://example.com alice; echo
            skr get https://example.com; echo
            helper get <<<"host=example.com"
            skr delete https://example.com alice; skr get https://example.com; echo
            skr delete https://example.com; skr get https://example.com 2>&1
            """)
        #expect(
            outcome.output.hasPrefix(
                "s3cret\nr3fresh\nmine\nmine\nusername=alice\npassword=mine\ns3cret\nskr: error: https://example.com: no such"
            ),
            "\(outcome)")
    }

    @Test("several accounts in different kinds are an error that lists them")
    func ambiguous() throws {
        let outcome = try run(
            """
            skr helper git store <<<"$CREDENTIAL"
            printf b | skr set https://example.com bob
            skr get https://example.com
            """)
        #expect(outcome.exitCode == 65 && outcome.errors.contains("several accounts: alice, bob"), "\(outcome)")
    }

    @Test("a link's name selects the client")
    func names() throws {
        try expect(
            """
            folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT
            for name in git-credential-skr docker-credential-skr other; do ln -s "$(command -v skr)" "$folder/$name"; done
            PATH=$folder:$PATH
            git-credential-skr --timeout=1h store <<<"$CREDENTIAL"
            git-credential-skr get <<<"host=example.com" | sed 's/_utc=.*/_utc/'
            echo '{"ServerURL":"ghcr.io","Username":"u","Secret":"p"}' | docker-credential-skr store
            docker-credential-skr list
            echo https://ghcr.io | docker-credential-skr erase
            docker-credential-skr get <<<ghcr.io
            other get ghcr.io
            docker-credential-skr get <<<https://ghcr.io; echo "exit $?"
            git-credential-skr get <<<"host=other.example"; echo "exit $?"
            git-credential-skr frobnicate </dev/null; echo "exit $?"
            """,
            onlyPrints: """
                username=alice
                password=s3cret
                password_expiry_utc
                {"ghcr.io":"u"}
                {"ServerURL":"ghcr.io","Username":"u","Secret":"p"}
                pcredentials not found in native keychain
                exit 1
                exit 0
                exit 0

                """)
    }

    @Test("git can fill, approve and reject, and asks again for an expired secret")
    func gitItself() throws {
        try expect(
            """
            folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT
            ln -s "$(command -v skr)" "$folder/git-credential-skr"
            export PATH=$folder:$PATH HOME=$folder GIT_TERMINAL_PROMPT=0 GIT_ASKPASS=/bin/false
            git config --global credential.helper 'skr --timeout 8h'
            git credential approve <<<"$CREDENTIAL"
            git credential fill <<<$'protocol=https\\nhost=example.com\\n'
            skr list | cut -f 1-4
            git credential reject <<<"$CREDENTIAL"
            git credential fill <<<$'protocol=https\\nhost=example.com\\n' 2>/dev/null || echo "none"
            git config --global credential.helper 'skr --timeout 1s'
            git credential approve <<<"$CREDENTIAL"
            while git credential fill <<<$'protocol=https\\nhost=example.com\\n' >/dev/null 2>&1; do sleep 0.1; done
            echo "none"
            """,
            prints: Self.credential + "internet\thttps://example.com\talice\t6\nnone\nnone\n")
    }

    @Test("of an expired password with a refresh token, git gets the refresh token, and nobody the password")
    func expiredPassword() throws {
        try expect(
            #"""
            skr helper git --timeout 1h store <<<"${CREDENTIAL}oauth_refresh_token=r3fresh"$'\n'"password_expiry_utc=$(($(date +%s) + 2))"
            skr helper git get <<<host=example.com | grep -c '^password'
            while skr get https://example.com alice >/dev/null 2>&1; do sleep 0.1; done
            skr helper git get <<<host=example.com
            skr get https://example.com --field secret 2>/dev/null; echo $?; skr get https://example.com --field refresh_token; echo
            skr exec --env T=skr://https%3A%2F%2Fexample.com/alice -- true 2>/dev/null; echo $?
            skr helper keyring get https://example.com alice; skr list | cut -f 1-3
            skr helper git erase <<<"$CREDENTIAL"; skr list
            """#,
            prints: """
                2
                username=alice
                oauth_refresh_token=r3fresh
                1
                r3fresh
                1
                credential\thttps://example.com\talice

                """)
    }

    @Test("the answer follows the request's empty line, even if the writer keeps the pipe open")
    func answeredBeforeTheEnd() throws {
        try expect(
            """
            skr helper git store <<<"$CREDENTIAL"
            pipe=$(mktemp -u); mkfifo "$pipe"; exec 3<>"$pipe"
            printf 'protocol=https\nhost=example.com\n\n' >&3
            timeout 20 skr helper git get <"$pipe"; rm "$pipe"
            """, onlyPrints: "username=alice\npassword=s3cret\n")
    }

    @Test("a request that ends with the input may be longer than a page")
    func longRequest() throws {
        try expect(
            #"""
            secret=$(head -c 5000 /dev/zero | tr '\0' q)
            echo "{\"ServerURL\":\"h.example\",\"Username\":\"u\",\"Secret\":\"$secret\"}" | skr helper docker store
            skr helper docker get <<<h.example | tr -cd q | wc -c
            """#, onlyPrints: "5000\n")
    }

    @Test("of two stores at the same time, with more and with less than a password, one is found")
    func storedAtOnce() throws {
        try checkStores(rounds: 15)
    }

    @Test("of two stores at the same time, one is found each time", .tags(.long))
    func oftenStoredAtOnce() throws {
        try checkStores(rounds: 100)
    }

    private func checkStores(rounds: Int) throws {
        let outcome = try run(
            """
            for ((round = 0; round < \(rounds); round++)); do
                skr helper git store <<<"$CREDENTIAL"$'oauth_refresh_token=r' & skr helper git store <<<"$CREDENTIAL"; wait
                skr helper git get <<<host=example.com | grep -c password
                skr clear
            done | sort | uniq -c
            """)
        #expect(outcome.output.split(separator: " ") == ["\(rounds)", "1\n"], "\(outcome)")
    }

    @Test("docker gets errors on standard output, and git gets them on standard error")
    func unusable() throws {
        let outcome = try run(
            """
            cd $(mktemp -d); SKR_SCOPE=galaxy skr helper docker list 2>errors; echo "exit $?"
            keyctl revoke @s
            skr helper docker get <<<ghcr.io 2>errors; echo "exit $?"
            skr helper git get <<<host=example.com; echo "exit $?"
            """)
        #expect(outcome.output.hasPrefix("skr: "), "\(outcome)")
        #expect(outcome.output.contains("no such scope: 'galaxy'"), "\(outcome)")
        #expect(outcome.output.contains("exit 1\nexit 69\n") && outcome.errors.contains("skr: hint: "), "\(outcome)")
    }
}
