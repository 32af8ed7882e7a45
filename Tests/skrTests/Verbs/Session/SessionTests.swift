import Foundation
import TestSupport
import Testing

@Suite("skr session")
struct SessionTests: ScriptTests {
    @Test("the command is in a new session, and its items disappear with the session")
    func anonymous() throws {
        try expect(
            #"""
            printf outer | skr set a; outer=$(keyctl show @s | awk 'NR == 2 {print $1}')
            inner=$(skr session -- bash -c 'skr get a 2>/dev/null; echo -n "$? " >&2; printf inner | skr set a; skr get a >&2; keyctl show @s | awk "NR == 2 {print \$1}"')
            echo; [[ $inner != $outer && $inner -gt 0 ]] && echo new; skr get a; echo
            for try in {1..100}; do keyctl rdescribe $inner >/dev/null 2>&1 || { echo gone; break; }; sleep 0.05; done
            """#, prints: "\nnew\nouter\ngone\n", withErrors: "1 inner\n")
    }

    @Test("skr session works if the session keyring was revoked")
    func revoked() throws {
        let outcome = try expect(
            #"""
            keyctl revoke @s; skr get a; echo $?; skr session -- bash -c 'printf new | skr set a; skr get a; echo'
            skr session --name $SKR_NAMESPACE -- bash -c 'printf new | skr set a; skr get a; echo'
            """#, prints: "69\nnew\nnew\n")
        let hint = "log in again, or start a new session with 'exec skr session'; see 'man skr-login-environments'"
        #expect(outcome.errors.contains("skr: hint: \(hint)"))
    }

    @Test("skr becomes the command, or the shell: same process, same exit code, unchanged words")
    func replaces() throws {
        let outcome = try run(
            #"""
            skr session -- sh -c 'echo $$' & wait $!; echo $!
            skr session -- bash -c 'exit 42'; echo $?; skr session -- bash -c 'kill -TERM $$'; echo $?
            skr session -- printf '[%s]' --name -- '' --help $'\377' | od -An -c | tr -d ' \n'; echo
            echo 'echo $0' | SHELL=/bin/bash skr session; echo 'echo $0' | SHELL= skr session --; echo 'echo $0' | env -u SHELL skr session
            SHELL=/no/such skr session; echo $?; skr session -- skr-no-such-command; echo $?; skr session -- /etc; echo $?
            diff <(skr session -- env -u _ -u SKR_SESSION | sort) <(env -u _ | sort) && echo same
            """#)
        let lines = outcome.output.split(separator: "\n")
        #expect(Set(lines.prefix(2)).count == 1, "\(lines)")
        #expect(
            lines.dropFirst(2) == [
                "42", "143", "[--name][--][][--help][377]", "/bin/bash", "/bin/sh", "/bin/sh", "127", "127", "126",
                "same",
            ])
    }

    @Test("processes that join a named session at the same time share it, and only its user can join")
    func named() throws {
        try share(times: 2)
        let outcome = try run(
            #"""
            skr session --name $SKR_NAMESPACE -- bash -c 'printf shared | skr set a; keyctl rdescribe @s
                keyctl session - skr session --name $SKR_NAMESPACE -- skr get a 2>/dev/null; echo'
            """#)
        let lines = outcome.output.split(separator: "\n")
        #expect(lines.first?.contains(";3f1b0000;skr-test-") == true, "\(lines)")
        #expect(lines.last == "shared")
    }

    @Test("processes that join a named session at the same time share it, ten times", .tags(.long))
    func namedOften() throws { try share(times: 10) }

    private func share(times: Int) throws {
        try expect(
            CommandRunner.meeting + #"""
                for try in {1..\#(times)}; do
                    for n in {1..8}; do  # A session ends with its last process, so nobody leaves before all have come.
                        skr session --name $SKR_NAMESPACE-$try -- bash -c 'keyctl id @s; meet 8 '$try &
                    done | sort -u | wc -l
                done
                """#, prints: String(repeating: "1\n", count: times))
    }

    @Test(
        "a session that another user has prepared is refused",
        .tags(.root), .enabled(if: isRoot, "needs root to become another user"))
    func trap() throws {
        let outcome = try expect(
            #"""
            export name=$SKR_NAMESPACE-trap; work=$(mktemp -d); chmod 711 $work; trap 'rm -rf $work' EXIT
            mkfifo $work/go $work/ready; chmod 666 $work/*; export work
            setpriv --reuid 60400 --regid 60400 --clear-groups keyctl session $name bash -c \
                'keyctl setperm @s 0x3f3f3f3f; echo > $work/ready; read < $work/go' 2>/dev/null &
            read < $work/ready; skr session --name $name -- echo started; echo $?; echo > $work/go; wait
            """#, prints: "77\n")
        #expect(outcome.errors.contains("belongs to user 60400\nskr: hint: choose another name\n"))
    }

    @Test(
        "an ordinary user has named and anonymous sessions too",
        .tags(.root), .enabled(if: isRoot, "needs root to become one"))
    func ordinaryUser() throws {
        try expect(
            #"""
            as() { setpriv --reuid 60400 --regid 60400 --clear-groups "$@"; }
            as skr session -- bash -c 'printf one | skr set a; skr get a; echo; skr exec --env A=skr://a --file F=skr://a -- sh -c "echo \$A; cat \$F"'
            # The shell keeps running to the end, and so does its session.
            echo; as skr session --name $SKR_NAMESPACE -- bash -c 'printf two | skr set a; skr session -- skr session --name $SKR_NAMESPACE -- skr get a; echo'
            """#, onlyPrints: "one\none\none\ntwo\n")
    }

    @Test("only --link-user links the user keyring")
    func linkUser() throws {
        try expect(
            #"""
            user=$(keyctl show @u | awk 'NR == 2 {print $1}')
            skr session -- keyctl rlist @s; skr session --link-user -- keyctl rlist @s | grep -cx " *$user *"
            skr session --link-user --name $SKR_NAMESPACE -- keyctl rlist @s | grep -cx " *$user *"
            """#, prints: "\n1\n1\n")
    }

    @Test("a bad name or word is a clear error, and nothing is started")
    func badInput() throws {
        let outcome = try expect(
            #"""
            try() { "$@"; echo $?; }
            skr session --name "$(printf %-255s $SKR_NAMESPACE | tr ' ' x)" -- printenv SKR_SESSION | wc -c
            for name in '' .x _ses _uid.0 skr:default skr-leases skr-probe-1-x skr-scratch-1-x default:lease:deploy 'a b' $'a\nb' $'a\e' $'\377' $(head -c 256 /dev/zero | tr '\0' x); do
                try skr session --name "$name" -- echo started
            done
            try skr session --end default:lease:deploy
            try skr session echo started; try skr session --name; try skr session --nothing -- echo started
            """#, prints: "256\n" + String(repeating: "64\n", count: 18))
        let errors = outcome.errors.split(separator: "\n")
        #expect(errors.count == 36)
        #expect(errors.indices.allSatisfy { errors[$0].hasPrefix($0 % 2 == 0 ? "skr: error: " : "skr: hint: ") })
    }

    @Test("SKR_SESSION is set once, to the innermost session's name or its keyring's number")
    func value() throws {
        try expect(
            #"""
            skr session --name "skr-test-$$" -- bash -c 'echo $SKR_SESSION' | sed "s/$$/PID/"
            skr session -- bash -c '[[ $SKR_SESSION == $(keyctl rdescribe @s >/dev/null; keyctl id @s) ]] && echo number; env -0 | grep -zc ^SKR_SESSION='
            SKR_SESSION=outer skr session -- bash -c 'skr session --name "skr-test-$$" -- printenv SKR_SESSION | sed "s/$$/PID/"; env -0 | grep -zc ^SKR_SESSION=outer'
            """#, prints: "skr-test-PID\nnumber\n1\nskr-test-PID\n0\n")
    }
}
