import Foundation
import TestSupport
import Testing

/// Without a session keyring, a lookup puts the user's shared keyring into the credentials of the thread that makes it.
///
/// Every process that this thread then starts has that keyring, even after it has become another user. So `skr` makes
/// the lookup in a thread that starts nothing.
@Suite(
    "A command that becomes another user does not keep our session",
    .tags(.root), .enabled(if: ChangedUser.canTest, "needs root without a session keyring"))
struct ChangedUserTests {
    /// With a keyring named like a login's session keyring in the user's keyring, and without one.
    ///
    /// An earlier run has removed the link that lets a process without a session find it.
    static let plantings = ["", "keyctl link @u @us; keyctl newring _ses @u >/dev/null\n"]

    @Test("no verb passes the session on to such a command", arguments: plantings)
    func commands(planting: String) throws {
        let cases = [
            (#"skr exec --env ONE=skr://one -- $become sh -c 'printf "$ONE "; skr get two'"#, "one "),
            (#"skr exec --env=ONE=skr://one -- $become sh -c 'printf "$ONE "; skr get two'"#, "one "),
            ("skr exec -- $become skr get two", ""),
            ("printf '{{ skr://one }} ' | skr inject -- $become sh -c 'cat; skr get two'", "one "),
            ("skr lock --scope session a -- $become skr get two", ""),
            ("skr lock --scope user a -- $become skr get two", ""),
            ("skr cached a --timeout 1m -- $become sh -c 'skr get two; echo ended $?'", "ended 1\n"),
            ("skr cached --force --key=k a --timeout=1m -- $become sh -c 'skr get two; echo ended $?'", "ended 1\n"),
            ("skr session -- $become skr get two", ""),
            ("skr helper npm a -- $become sh -c 'skr get two; echo ended $?'", "Bearer ended 1\n"),
        ]
        let user = planting.isEmpty ? 60_461 : 60_464
        let outcome = try ChangedUser.run(planting + cases.map { $0.0 + "; echo ---\n" }.joined(), as: user)
        let outputs = outcome.output.split(separator: "---\n", omittingEmptySubsequences: false).dropLast()
        #expect(outputs.count == cases.count, "\(outcome)")
        for ((line, output), printed) in zip(cases, outputs) { #expect(printed == output, "\(line): \(outcome)") }
    }

    @Test("no verb passes the session on to the command of a source", arguments: plantings)
    func sources(planting: String) throws {
        let cases = [
            "skr get s1", "skr get --no-source one; skr get s2", "skr exec --env A=skr://s3 -- true",
            "printf '{{ skr://s4 }}' | skr inject", "printf '{{ skr://s5 }}' | skr inject -- cat",
            "skr env --env A=skr://s6", "skr source test s7", "skr helper headers s8",
            #"printf 'protocol=https\nhost=h\n\n' | skr helper git get"#,
            #"echo '{"v":1,"registry":{"index-url":"sparse+https://r/"},"kind":"get"}' | skr helper cargo"#,
        ]
        let outcome = try ChangedUser.run(
            planting + #"""
                work=$(mktemp -d); trap 'keyctl clear @u; keyctl clear @us; rm -rf $work' EXIT
                export HOME=$work SKR_SOURCES=$work/sources; chmod 755 $work; cd $work
                echo "{ $become env SKR_SOURCES=none skr get two --namespace $SKR_NAMESPACE; echo ended \$?; } | tee -a $work/log" > source
                for name in s{1..8} 'https://h alice' sparse+https://r/; do
                    echo "$name --timeout 1m --namespace $SKR_NAMESPACE -- sh $work/source"
                done > sources

                """#
                + cases.map { "{ \($0); } &>/dev/null; cat log; rm log\n" }.joined(),
            as: planting.isEmpty ? 60_465 : 60_466)
        #expect(outcome.output == String(repeating: "ended 1\n", count: cases.count), "\(outcome)")
    }

    @Test("a signal ends skr although it can't signal such a command, and the lock is not free while it runs")
    func signalled() throws {
        let outcome = try ChangedUser.run(
            #"""
            file=$(mktemp); chmod 666 $file; end() { kill $1; wait $1; echo $?; }; sleep="sleep 86.$$"
            started() { until [[ -s $file ]]; do sleep 0.02; done; : > $file; }
            SECONDS=0; skr cached a --timeout 5m -- $become sh -c "echo x > $file; exec $sleep" & started; end $!
            skr lock a --timeout 1s -- $become sh -c "echo x > $file; exec $sleep" & started; end $!
            # Longer than the lease would have lasted.
            skr lock a --wait 3 -- true 2> /dev/null; echo $?; [[ $SECONDS -lt 30 ]] && echo in time
            $become pkill -xf "$sleep" -u 60460; skr lock a --wait 20 -- echo free; rm $file
            """#, as: 60_467)
        #expect(outcome.output == "143\n143\n75\nin time\nfree\n", "\(outcome)")
    }

    @Test("a refresh in the background does not pass the session on")
    func background() throws {
        let outcome = try ChangedUser.run(
            #"""
            refresh=(skr cached a --timeout 1m --refresh-before 59s --stale-while-refreshing)
            "${refresh[@]}" -- echo first
            for ((i = 0; i < 400; i++)); do
                "${refresh[@]}" -- $become sh -c 'skr get two; echo ended $?' | grep -v first && break; sleep 0.05
            done
            """#, as: 60_462)
        #expect(outcome.output == "first\nended 1\n", "\(outcome)")
    }

    @Test("a command of the same user still has the session")
    func unchanged() throws {
        let outcome = try ChangedUser.run(
            "skr exec --env ONE=skr://one -- skr get two; skr lock a -- skr get two; skr cached a --timeout 1m -- skr get two",
            as: 60_463)
        #expect(outcome.output == "twotwotwo", "\(outcome)")
    }
}

/// Runs commands as an ordinary user who can become any other user, so that nothing of root's is changed.
private enum ChangedUser {
    static let canTest =
        geteuid() == 0
        && (try? run("$become keyctl rdescribe @s", as: 60_461).output.contains(";_uid_ses.60460")) == true

    /// Runs the lines as a user that no other test becomes, because the user's keyrings are cleared at the end.
    static func run(_ lines: String, as user: Int) throws -> CommandRunner.Outcome {
        try CommandRunner().shell(
            #"""
            exec setpriv --reuid \#(user) --regid \#(user) --clear-groups --inh-caps +setuid,+setgid \
                --ambient-caps +setuid,+setgid bash -c "$SKR_TEST_SCRIPT"
            """#,
            environment: [
                "SKR_SCOPE": "",
                "SKR_TEST_SCRIPT": """
                become='setpriv --reuid 60460 --regid 60460 --clear-groups'
                trap 'keyctl clear @u; keyctl clear @us' EXIT
                printf one | skr set one --timeout 1m && printf two | skr set two --timeout 1m || exit
                \(lines)
                """,
            ])
    }
}
