import CTestFilters
import Foundation
import TestSupport
import Testing

/// Tests of `skr session --join`, `--end` and `--current`.
@Suite("Sessions that shells join")
struct SessionJoinTests: ScriptTests {
    @Test("the calling shell is moved, silently, and only once", arguments: ["bash", "dash", "zsh", "busybox sh"])
    func moved(shell: String) throws {
        let script = #"""
            before=$(keyctl id @s); [ "$(skr session --current)" = "$before" ] && echo "a number"
            printf old | skr set a; skr session --join "$NAME"; echo "$? $(skr session --current | cut -c 1-9)"
            skr get a 2>/dev/null; echo $?; printf new | skr set a; joined=$(keyctl id @s)
            skr session --join "$NAME"; [ "$(keyctl id @s)" = "$joined" ] && [ "$joined" != "$before" ] && echo same
            keyctl session - skr session --name "$NAME" -- skr get a 2>/dev/null; echo
            keyctl revoke @s; skr session --join "$NAME"; printf again | skr set a; skr get a; echo
            """#
        try expect(
            #"export NAME="skr-test-$SKR_NAMESPACE"; \#(shell) -c "$SCRIPT""#, environment: ["SCRIPT": script],
            onlyPrints: "a number\n0 skr-test-\n1\nsame\nnew\nagain\n")
    }

    @Test("in a subshell, the subshell is moved, and a line names the alternative")
    func subshell() throws {
        let outcome = try expect(
            #"""
            before=$(keyctl id @s); (skr session --join n-$SKR_NAMESPACE; skr session --current; true) | cut -c 1-2
            [ "$(keyctl id @s)" = "$before" ] && echo unchanged
            """#, prints: "n-\nunchanged\n")
        #expect(outcome.errors.split(separator: "\n").count == 1)
        #expect(outcome.errors.hasPrefix("skr: warning: only a subshell joined the session 'n-"))
        #expect(outcome.errors.contains("; for the shell, use: exec skr session --name n-"))
    }

    @Test("a shell with threads stays in its session, and a line names the alternative")
    func threads() throws {
        // Python under a name that looks like a shell's. The kernel shows the name without escaping.
        try expect(
            #"""
            work=$(mktemp -d); trap 'rm -rf $work' EXIT; cp /usr/bin/python3 "$work/a) R 1 sh"; before=$(keyctl id @s)
            "$work/a) R 1 sh" -c 'import subprocess, threading, time; threading.Thread(target=time.sleep, args=[600], daemon=True).start()
            print(subprocess.call(["skr", "session", "--join", "it'"'"'s"])); print(subprocess.check_output(["keyctl", "id", "@s"], text=True).strip())' |
                sed "s/^$before$/stays/"
            """#, prints: "0\nstays\n",
            withErrors: #"""
                skr: warning: this shell stays in its session, because 'a) R 1 sh' runs several threads; \#
                use: exec skr session --name 'it'\''s'

                """#)
    }

    @Test("fish is moved, or a line names the alternative: whether it has threads depends on the time")
    func fish() throws {
        let outcome = try run(
            #"export HOME=$(mktemp -d); trap 'rm -rf $HOME' EXIT; fish --no-config -c 'skr session --join n-$SKR_NAMESPACE; echo $status (skr session --current)'"#
        )
        if outcome.errors.isEmpty {
            #expect(outcome.output.hasPrefix("0 n-"))
        } else {
            #expect(outcome.output.firstMatch(of: /^0 [0-9]+\n$/) != nil, "\(outcome)")
            #expect(
                outcome.errors.hasPrefix(
                    "skr: warning: this shell stays in its session, because 'fish' runs several threads; use: exec skr session --name n-"
                ))
        }
    }

    @Test("only a shell is moved, not another program that starts skr or has inherited it")
    func otherPrograms() throws {
        let outcome = try expect(
            #"""
            before=$(keyctl id @s); timeout 9 skr session --join n; echo $?
            python3 -c 'import ctypes, os, subprocess, sys, time
            ctypes.CDLL(None).prctl(36, 1)  # PR_SET_CHILD_SUBREAPER
            subprocess.call(["bash", "-c", "(sleep 0.2; exec skr session --join n) & exit 0"])
            os.wait(); print(subprocess.check_output(["keyctl", "id", "@s"], text=True).strip())' | sed "s/^$before$/unchanged/"
            """#, prints: "0\nunchanged\n")
        let warnings = outcome.errors.split(separator: "\n")
        #expect(warnings.count == 2)
        #expect(warnings[0].contains(" nothing joined 'n': 'timeout' called skr, which moves only shells; "))
        #expect(warnings[1].hasPrefix("skr: warning: nothing joined 'n': 'python3"))
        #expect(warnings.allSatisfy { $0.hasSuffix("; use: exec skr session --name n") })
    }

    @Test("a program that contains a shell is moved only while it runs as one")
    func multiCall() throws {
        // Like busybox's crond, its 'time' starts a program as its child.
        let outcome = try expect(
            #"""
            join='skr session --join n'; busybox time $join; (exec -a /x/time busybox $join); (exec -a busybox.static busybox time $join)
            join="PATH=$PATH; skr session --join n-$SKR_NAMESPACE; skr session --current; true"
            { (exec -a -sh busybox -c "$join"); (exec -a /x/ash busybox -c "$join"); busybox ash -c "$join"; } | cut -c 1-2
            """#, prints: "n-\nn-\nn-\n")
        let warnings = outcome.errors.split(separator: "\n").filter { $0.hasPrefix("skr: ") }
        let warning: Substring =
            "skr: warning: nothing joined 'n': 'time' called skr, which moves only shells; use: exec skr session --name n"
        #expect(warnings == [warning, warning, warning], "\(outcome)")
    }

    @Test(
        "without /proc, nothing is moved, and a line names the alternative",
        .tags(.root), .enabled(if: isRoot, "needs root to mount"))
    func withoutProc() throws {
        try expect(
            #"""
            before=$(keyctl id @s)
            unshare --mount bash -c 'mount -t tmpfs none /proc; skr session --join n; echo $?; keyctl id @s' | sed "s/^$before$/unchanged/"
            """#, prints: "0\nunchanged\n",
            withErrors:
                "skr: warning: this shell stays in its session, because /proc doesn't show it, or it has ended; "
                + "use: exec skr session --name n\n")
    }

    @Test(
        "in another user's session, or if another user owns the name, a line reports it and the shell continues",
        .tags(.root), .enabled(if: isRoot, "needs root to become other users"))
    func otherUsers() throws {
        let outcome = try run(
            #"""
            work=$(mktemp -d); chmod 755 $work; trap 'rm -rf $work' EXIT
            mkfifo $work/{go,ready,end,created}; chmod 666 $work/*; export work NAME=n-$SKR_NAMESPACE
            as() { setpriv --reuid $1 --regid $1 --clear-groups "${@:2}"; }
            as 60456 bash -ec 'skr session --join $NAME; echo continues; skr session --current >/dev/null; echo $?'
            as 60457 keyctl session $NAME bash -c \
                'echo > $work/created; read < $work/end; skr session --end $NAME; echo $?; skr session --current; echo $?' 2>/dev/null &
            read < $work/created
            as 60456 keyctl session $NAME bash -c \
                'keyctl setperm @s 0x3f3f3f3f; echo > $work/ready; read < $work/go' 2>/dev/null &
            read < $work/ready
            as 60457 keyctl session - bash -ec 'skr session --join $NAME; echo continues; [ $(skr session --current) = $(keyctl id @s) ]; echo $?' 2>&1 | grep -v Joined
            as 60457 keyctl session - skr session --end $NAME; echo $?
            echo > $work/end; wait %1; echo > $work/go; wait
            """#)
        let warning = "skr: warning: this shell stays in its session"
        let lines = outcome.output.split(separator: "\n")
        #expect(lines.count == 8, "\(outcome)")
        #expect(lines.prefix(2) == ["continues", "0"])
        #expect(lines[2].hasPrefix("\(warning): the session 'n-"))
        let advice = "choose another name in the shell's start-up file; for this shell: exec skr session --name NAME"
        #expect(lines[2].hasSuffix("' belongs to user 60456; \(advice)"))
        #expect(lines.suffix(5) == ["continues", "0", "77", "0", "69"])
        let alternative = "use: exec skr session --name n-"
        #expect(outcome.errors.hasPrefix("\(warning), because user 0 owns that session; \(alternative)"))
        #expect(outcome.errors.contains("' belongs to user 60456\n"))
    }

    @Test(
        "with a full quota, a line reports it and the shell continues", .tags(.root), .enabled(if: isRoot, "needs root")
    )
    func quota() throws {
        let outcome = try expect(
            #"""
            setpriv --reuid 60458 --regid 60458 --clear-groups keyctl session - bash -ec '
                (i=0; while keyctl add user k$i x @s; do i=$((i + 1)); done) >/dev/null 2>&1 || true
                skr session --join n; echo continues; skr session --current | grep -c "^[0-9]*$"'
            """#, prints: "continues\n1\n")
        #expect(
            outcome.errors.contains("skr: warning: this shell stays in its session: the user's key quota is full"),
            "\(outcome)")
    }

    @Test("the name of an expired session that still has processes is not available, and the shell continues")
    func expired() throws {
        let outcome = try expect(
            #"""
            work=$(mktemp -d); mkfifo $work/go $work/ready; trap 'rm -rf $work' EXIT; export NAME=n-$SKR_NAMESPACE
            skr session --name $NAME -- bash -c 'ring=$(keyctl id @s); keyctl timeout @s 1; echo $ring > $0/ready; read < $0/go' $work &
            read ring < $work/ready; while keyctl rdescribe $ring > /dev/null 2>&1; do sleep 0.05; done
            skr session --join $NAME; echo $?; skr session --current | grep -c '^[0-9]*$'
            skr session --end $NAME; echo $?; echo > $work/go; wait
            """#, prints: "0\n1\n69\n")
        #expect(outcome.errors.contains("has expired, but still has processes; choose another name in the shell's"))
    }

    @Test("without a usable key facility, a line reports it and the shell continues", arguments: [EPERM, ENOSYS])
    func filtered(error: CInt) async throws {
        let result = try await #require(
            processExitsWith: .exitCode(0), observing: [\.standardOutputContent, \.standardErrorContent]
        ) { [error = error as CInt] in
            guard test_filter_install(-1, error) == 0 else { exit(3) }
            let words = [
                "timeout", "8", "bash", "-ec", "\"$0\" session --join n; echo continues", CommandRunner.executable.path,
            ]
            execvp("timeout", words.map { (word: String) in strdup(word) } + [nil])
            exit(4)
        }
        #expect(String(decoding: result.standardOutputContent, as: UTF8.self).hasSuffix("continues\n"))
        #expect(
            String(decoding: result.standardErrorContent, as: UTF8.self).contains(
                "skr: warning: this shell stays in its session: no usable kernel keyring; "))
    }

    @Test("shells that join at the same time share one session")
    func together() throws { try join(times: 2) }

    @Test("shells that join at the same time share one session, ten times", .tags(.long))
    func togetherOften() throws { try join(times: 10) }

    private func join(times: Int) throws {
        try expect(
            CommandRunner.meeting + #"""
                for try in {1..\#(times)}; do
                    for n in {1..8}; do  # A session ends with its last process, so nobody leaves before all have come.
                        try=$try keyctl session - bash -c 'skr session --join n-$SKR_NAMESPACE-$try; keyctl id @s; meet 8 $try' 2>/dev/null &
                    done | sort -u | wc -l
                done
                """#, prints: String(repeating: "1\n", count: times))
    }

    @Test("a shell that runs a script is moved, too, whatever the script's name")
    func script() throws {
        try expect(
            #"""
            work=$(mktemp -d); trap 'rm -rf $work' EXIT; printf '%s\n' '#!/bin/bash' 'skr session --join n-$SKR_NAMESPACE' \
                'skr session --current | cut -c 1-2' > $work/job; chmod +x $work/job; $work/job
            """#, onlyPrints: "n-\n")
    }

    @Test("a shell whose --join is killed is in its old session or in the new one, and can join later")
    func killed() throws { try kill(tries: "0 1 5 {10..50..8}") }

    @Test("a shell whose --join is killed after any number of milliseconds can join later", .tags(.long))
    func killedAnywhere() throws { try kill(tries: "{0..50}") }

    /// Kills `--join`: in try 0 after it has ended, in tries 1 to 9 immediately, in try 10 + N after N milliseconds.
    private func kill(tries: String) throws {
        try expect(
            #"""
            for try in \#(tries); do
                keyctl session - bash -c 'before=$(keyctl id @s); skr session --join n-$SKR_NAMESPACE-$1 &
                    case $1 in [1-9]) ;; 0) wait $! ;; *) sleep $(printf 0.%03d $(($1 - 10))) ;; esac; kill -9 $!; wait $!
                    if [[ $(keyctl id @s) == "$before" ]]; then echo killed; elif [[ $(skr session --current) == n-* ]]; then echo moved; else echo lost; fi
                    skr session --join n-$SKR_NAMESPACE-$1; [[ $(skr session --current) == n-* ]] || echo stuck' bash $try 2>/dev/null
            done | sort -u
            """#, prints: "killed\nmoved\n")
    }

    @Test("--end revokes the session for all its processes, and ends with 1 if it does not exist")
    func end() throws {
        let outcome = try expect(
            #"""
            name=n-$SKR_NAMESPACE; work=$(mktemp -d); mkfifo $work/go $work/ready; trap 'rm -rf $work' EXIT
            skr session --end $name; echo $?
            skr session --name $name -- bash -c 'printf x | skr set a; echo > $0/ready; read < $0/go; skr get a; echo $?' $work 2> $work/errors &
            read < $work/ready; skr session --end $name; echo $?; echo > $work/go; wait; grep -c 'session has ended' $work/errors
            skr session --end $name; echo $?
            skr session --join $name; skr session --end $name; echo $?; skr session --current; echo $?
            skr session --name $name -- bash -c 'echo > $0/ready; read < $0/go; skr get a; echo $?' $work 2> $work/errors &
            read < $work/ready; keyctl session $name bash -c 'skr session --end $0; echo $?; skr session --current; echo $?' $name
            echo > $work/go; wait; grep -c 'session has ended' $work/errors
            """#, prints: "1\n0\n69\n1\n1\n0\n69\n0\n69\n69\n1\n")
        #expect(outcome.errors.contains("skr: error: no session 'n-"))
    }

    @Test("--current prints the name or the number, and ends with 1 without a session")
    func current() throws {
        let outcome = try expect(
            #"""
            [ "$(skr session --current)" = "$(keyctl id @s)" ] && echo number
            keyctl session a-$SKR_NAMESPACE skr session --current | cut -c 1-2; SKR_SESSION=x skr session --name b-$SKR_NAMESPACE -- skr session --current | cut -c 1-2
            keyctl session $'odd\e[2Jname' skr session --current
            keyctl session _uid_ses.$(id -u) skr session --current; echo $?
            """#, prints: "number\na-\nb-\nodd%1B[2Jname\n1\n")
        #expect(
            outcome.errors.hasSuffix(
                "skr: error: no session keyring\nskr: hint: start a session with 'exec skr session'\n"))
    }

    @Test("--link-user links the user keyring of a joined session, too")
    func linkUser() throws {
        try expect(
            #"skr session --join n-$SKR_NAMESPACE --link-user; keyctl rlist @s | grep -cw $(keyctl id @u)"#,
            prints: "1\n")
    }

    @Test("forms that contradict each other are errors, and change nothing")
    func badInput() throws {
        let outcome = try expect(
            #"""
            before=$(keyctl id @s); try() { skr session "$@"; echo $?; }
            try --join a --end b; try --join a --name b; try --join a --current; try --end a --current; try --join a -- echo started
            try --end a --link-user; try --current -- echo started; try --end ''; try --end 'a b'; try --join; try --join _ses; try --join ''
            [ "$(keyctl id @s)" = "$before" ] && echo unchanged
            """#, prints: String(repeating: "64\n", count: 10) + "0\n0\nunchanged\n")
        let errors = outcome.errors.split(separator: "\n")
        #expect(errors.count == 22)
        #expect(errors[0] == "skr: error: --join can't be combined with --end")
        #expect(errors[8] == "skr: error: --join can't be combined with a command")
        #expect(errors[19] == "skr: hint: 'skr help session' shows the options")
        let warning = "skr: warning: this shell stays in its session: "
        #expect(errors[20] == "\(warning)the session name '_ses' is reserved; choose another name")
        #expect(errors[21] == "\(warning)the session's name has 0 bytes, but must have 1 to 255; choose another name")
    }
}
