import CommandSupport
import SessionKeyring
import Testing

@testable import skr

@Suite("The short options -t, -e and -n")
struct ShortOptionTests {
    @Test("each verb takes them like --timeout, --env and --namespace, in a plain call and in any other")
    func verbs() throws {
        let outcome = try CommandRunner().inSession(
            #"""
            printf 1 | skr set a -n one -t 8h30m; printf 2 | skr set b --scope=session -n=one -t=7h30m; skr get a -n one
            skr expire a -n one -t 5h30m; skr list -n one | cut -f 2,5; skr exec -n one -e A=skr://a -- printenv A
            skr exec --scope=session -n one -e A=skr://a -e B=skr://b -- printenv A B; skr env -n one -e A=skr://a
            skr cached c -n one -t 5m -- echo kept; skr cached c -n one -t 5m --scope=session -- echo kept; skr lock x --scope session -n one -t 5s -- echo locked
            skr delete a -n one; skr doctor -n one >/dev/null; skr clear -n one; skr list -n one
            """#)
        #expect(
            outcome
                == .init(
                    exitCode: 0, output: "1a\t5h\nb\t7h\n1\n1\n2\nexport A='1'\nkept\nkept\nlocked\n", errors: ""))
    }

    @Test("helpers take -t and -n, and a client's help shows them")
    func helpers() throws {
        let outcome = try CommandRunner().inSession(
            #"""
            printf 'protocol=https\nhost=h\nusername=u\npassword=p\n\n' | skr helper git -n one -t 2h30m store
            skr list -n one | cut -f 2,3,5; printf 'protocol=https\nhost=h\n\n' | skr helper git -n=one get
            printf '' | skr helper git -t 8 hours 2>&1; skr helper -n one git get 2>&1 | tail -n 1
            skr helper git --help | grep -o -- '-[tn], --[a-z]*'
            """#)
        #expect(
            outcome.output == """
                https://h\tu\t2h
                username=u
                password=p
                skr: error: -t 8 hours: a duration is one word
                skr: hint: write -t 8h; for an item named hours, write -t 8s
                skr: hint: skr helper git -n one get
                -t, --timeout
                -n, --namespace

                """, "\(outcome)")
    }

    @Test("a line of the sources file can have them too")
    func sources() throws {
        func source(_ line: String, namespace: String) throws -> Source? {
            try SourcesFile(Array(line.utf8), path: "f").source(
                of: .password(service: "a", account: ""), scope: .session, namespace: namespace)
        }
        #expect(try source("a -t 1m -n two -- c", namespace: "default") == nil)
        let found = try #require(try source("a -t 1m -n two -- c -n x", namespace: "two"))
        #expect(found.timeout == .after(.seconds(60)) && found.command == ["c", "-n", "x"])
        for (namespace, count) in [("default", 0), ("two", 1)] {
            let file = SourcesFile(Array("a -t 1m -n two -- c".utf8), path: "f")
            #expect(try file.items(scope: .session, namespace: namespace).count == count)
        }
        let error = #expect(throws: CommandError.self) { try source("a -x -- c", namespace: "default") }
        #expect(error?.message == "f:1: a source has no option '-x'")
    }

    @Test("the value of -t and -n can be in the same word, and the hint for -e shows two words")
    func joined() throws {
        let outcome = try CommandRunner().inSession(
            #"""
            printf s3cret | skr set -t5m -njoined k; skr list -njoined | cut -f 5
            skr get -njoined k; skr exec -eA=skr://k -njoined -- printenv A; echo $?
            """#)
        #expect(["4m", "5m"].contains(outcome.output.prefix(2)), "\(outcome)")
        #expect(outcome.output.hasSuffix("\ns3cret64\n"), "\(outcome)")
        let hint = "hint: the value of -e is a separate word: -e NAME=skr://SERVICE\n"
        #expect(outcome.errors.contains(hint), "\(outcome)")
    }

    @Test(
        "-f is not an option, and its hint names the option that the verb has",
        arguments: [
            ("get a -f x", "the option is --field PATH"),
            ("exec -f x -- true", "the option is --file VAR=skr://..., or --env-file FILE"),
            ("env -f x", "the option is --env-file FILE"), ("inject -f x", "the option is -i FILE"),
        ])
    func file(line: String, hint: String) throws {
        let outcome = try CommandRunner().shell("skr \(line) >/dev/null")
        #expect(
            outcome == .init(exitCode: 64, output: "", errors: "skr: error: unknown option '-f'\nskr: hint: \(hint)\n"))
    }

    @Test("completion offers them after a dash, and completes their values")
    func completion() throws {
        func candidates(_ words: String...) throws -> [Substring] {
            let answer = try CommandRunner().run(["---complete", "zsh", "skr"] + words, input: .init()).output
            return answer.split(separator: "\n").dropFirst().map { $0.prefix { $0 != "\t" } }
        }
        #expect(try ["-t", "--timeout", "-n"].allSatisfy(candidates("set", "a", "-").contains))
        #expect(try ["-e", "--env"].allSatisfy(candidates("exec", "-").contains))
        #expect(try !candidates("set", "a", "--").contains("-t"))
        #expect(try !candidates("set", "-t", "8h", "a", "-").contains("--timeout"))
        #expect(try candidates("set", "-t", "") == [])
    }
}
