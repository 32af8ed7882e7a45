import Foundation
import Testing

/// Runs the helpers as their clients start them.
@Suite("skr helper", .tags(.kernel))
struct HelperTests {
    private let command = CommandRunner()
    private static let credential = "protocol=https\nhost=example.com\nusername=alice\npassword=s3cret\n"

    @Test("a credential from git is an ordinary item for the other verbs")
    func ordinaryItem() throws {
        let outcome = try command.inSession(
            """
            skr helper git --timeout 1h store <<<"$CREDENTIAL"
            skr get https://example.com; echo
            skr get https://example.com alice; echo
            skr exec --env T=skr://https%3A%2F%2Fexample.com/alice -- sh -c 'echo $T'
            skr list https://example.com | cut -f 1-4
            skr expire https://example.com alice --timeout 10s && skr delete https://example.com
            skr helper git get <<<"host=example.com"
            """, environment: ["CREDENTIAL": Self.credential])
        #expect(
            outcome
                == .init(
                    exitCode: 0,
                    output: "s3cret\ns3cret\ns3cret\ninternet\thttps://example.com\talice\t6\n",
                    errors: "skr: deleted https://example.com alice\n"))
    }

    @Test("for one name in several kinds, the order is password, internet, credential")
    func orderOfKinds() throws {
        let outcome = try command.inSession(
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
            """, environment: ["CREDENTIAL": Self.credential])
        #expect(
            outcome.output.hasPrefix(
                "s3cret\nr3fresh\nmine\nmine\nusername=alice\npassword=mine\ns3cret\nskr: error: https://example.com: no such"
            ),
            "\(outcome)")
    }

    @Test("several accounts in different kinds are an error that lists them")
    func ambiguous() throws {
        let outcome = try command.inSession(
            """
            skr helper git store <<<"$CREDENTIAL"
            printf b | skr set https://example.com bob
            skr get https://example.com
            """, environment: ["CREDENTIAL": Self.credential])
        #expect(outcome.exitCode == 65 && outcome.errors.contains("several accounts: alice, bob"), "\(outcome)")
    }

    @Test("a link's name selects the client")
    func names() throws {
        let outcome = try command.inSession(
            """
            folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT
            for name in git-credential-skr docker-credential-skr other; do ln -s "$(command -v skr)" "$folder/$name"; done
            PATH=$folder:$PATH
            git-credential-skr --timeout=1h store <<<"$CREDENTIAL"
            git-credential-skr get <<<"host=example.com"
            echo '{"ServerURL":"ghcr.io","Username":"u","Secret":"p"}' | docker-credential-skr store
            docker-credential-skr list
            echo https://ghcr.io | docker-credential-skr erase
            docker-credential-skr get <<<ghcr.io
            other get ghcr.io
            docker-credential-skr get <<<https://ghcr.io; echo "exit $?"
            git-credential-skr get <<<"host=other.example"; echo "exit $?"
            git-credential-skr frobnicate </dev/null; echo "exit $?"
            """, environment: ["CREDENTIAL": Self.credential])
        #expect(
            outcome
                == .init(
                    exitCode: 0,
                    output: """
                        username=alice
                        password=s3cret
                        {"ghcr.io":"u"}
                        {"ServerURL":"ghcr.io","Username":"u","Secret":"p"}
                        pcredentials not found in native keychain
                        exit 1
                        exit 0
                        exit 0

                        """, errors: ""))
    }

    @Test("git can fill, approve and reject, and asks again for an expired secret")
    func gitItself() throws {
        let outcome = try command.inSession(
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
            """, environment: ["CREDENTIAL": Self.credential])
        #expect(
            outcome.output == Self.credential + "internet\thttps://example.com\talice\t6\nnone\nnone\n", "\(outcome)")
    }

    @Test(
        "a mistake is an error with a hint",
        arguments: [
            (["git", "--colour", "get"], 64, "unknown option '--colour'"),
            (["git", "get", "--timeout"], 64, "'--timeout' needs a value"),
            (["git", "get", "--timeout=soon"], 64, "'soon' is not a duration"),
            (["git", "get", "--scope", "galaxy"], 64, "no such scope: 'galaxy'"),
            (["gti", "get"], 64, "no such client: gti"), ([], 64, "no client given"),
        ])
    func mistakes(words: [String], exitCode: Int32, message: String) throws {
        let outcome = try command.run(["helper"] + words, input: Data())
        #expect(outcome.exitCode == exitCode && outcome.errors.contains(message), "\(outcome)")
        #expect(outcome.errors.contains("skr: hint: ") && outcome.output.isEmpty)
    }

    @Test("the answer follows the request's empty line, even if the writer keeps the pipe open")
    func answeredBeforeTheEnd() throws {
        let outcome = try command.inSession(
            """
            skr helper git store <<<"$CREDENTIAL"
            mkfifo "$PIPE"; exec 3<>"$PIPE"
            printf 'protocol=https\nhost=example.com\n\n' >&3
            timeout 20 skr helper git get <"$PIPE"; rm "$PIPE"
            """,
            environment: [
                "CREDENTIAL": Self.credential, "PIPE": "\(FileManager.default.temporaryDirectory.path)/\(UUID())",
            ])
        #expect(outcome == .init(exitCode: 0, output: "username=alice\npassword=s3cret\n", errors: ""))
    }

    @Test("a request that ends with the input may be longer than a page")
    func longRequest() throws {
        let outcome = try command.inSession(
            #"""
            secret=$(head -c 5000 /dev/zero | tr '\0' q)
            echo "{\"ServerURL\":\"h.example\",\"Username\":\"u\",\"Secret\":\"$secret\"}" | skr helper docker store
            skr helper docker get <<<h.example | tr -cd q | wc -c
            """#)
        #expect(outcome == .init(exitCode: 0, output: "5000\n", errors: ""))
    }

    @Test("of two stores at the same time, with more and with less than a password, one is found")
    func storedAtOnce() throws {
        let outcome = try command.inSession(
            """
            for round in $(seq 60); do
                skr helper git store <<<"$CREDENTIAL"$'oauth_refresh_token=r' & skr helper git store <<<"$CREDENTIAL"; wait
                skr helper git get <<<host=example.com | grep -c password
                skr clear
            done | sort | uniq -c
            """, environment: ["CREDENTIAL": Self.credential])
        #expect(outcome.output.split(separator: " ") == ["60", "1\n"], "\(outcome)")
    }

    @Test("docker gets errors on standard output, and git gets them on standard error")
    func unusable() throws {
        let script = """
            SKR_SCOPE=galaxy skr helper docker list 2>errors; echo "exit $?"
            keyctl revoke @s
            skr helper docker get <<<ghcr.io 2>errors; echo "exit $?"
            skr helper git get <<<host=example.com; echo "exit $?"
            """
        let outcome = try command.inSession("cd $(mktemp -d); \(script)")
        #expect(outcome.output.hasPrefix("skr: "), "\(outcome)")
        #expect(outcome.output.contains("no such scope: 'galaxy'"), "\(outcome)")
        #expect(outcome.output.contains("exit 1\nexit 69\n") && outcome.errors.contains("skr: hint: "), "\(outcome)")
    }
}
