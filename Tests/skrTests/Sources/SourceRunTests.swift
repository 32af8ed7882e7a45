import Keyutils
import TestSupport
import Testing

@Suite("The run of a source")
struct SourceRunTests {
    @Test("a command that runs too long is ended with its children")
    func limit() throws { try expectEnd(trapping: ":", duration: 61) }

    @Test("a command that ignores SIGTERM is killed with its children", .tags(.long))
    func killed() throws { try expectEnd(trapping: "\"\"", duration: 76) }

    private func expectEnd(trapping action: String, duration: Int) throws {
        let outcome = try SourcesUnderTest.run(
            """
            slow --timeout 1m --limit 1s -- sh -c 'trap \(action) TERM; sleep \(duration) & sleep \(duration)'
            term --timeout 1m --limit 1s -- sleep \(duration)
            """,
            #"""
            skr get term & term=$!; skr get slow; echo $?; wait $term; echo $?; pgrep -cf 'slee[p] \#(duration)' -s 0
            """#, prints: "75\n75\n0\n")
        #expect(outcome.errors.contains("term: its source failed: 'sleep' ran for more than 1s\n"))
    }

    @Test("the command runs at home, without the variables of skr that belong to its caller or to ended processes")
    func surroundings() throws {
        try SourcesUnderTest.run(
            "api --timeout 1m -- sh -c 'pwd; env | grep -E \"^(SKR_S|SKR_N|SKR_TI|SKR_F|A=)\" | sort; readlink /proc/self/fd/0'",
            #"""
            A=1; export A; unset SKR_TEST_SCRIPT; (exit) & ended=$!; wait; SKR_FETCHING="1/default/x:y:@$ended.1" SKR_SCOPE=session SKR_NAMESPACE=default SKR_TIMEOUT=1h skr get api < /dev/zero | sed "s|$work|W|; s|=[0-9]*/|=N/|; s|@[0-9.]*|@P|"
            """#, prints: "W/home\nA=1\nSKR_FETCHING=N/default/password:api:@P\n/dev/null")
    }

    @Test("a command that asks for its own secret is refused, directly or through another source")
    func recursion() throws {
        try SourcesUnderTest.run(
            """
            self --timeout 1m -- skr get self
            ping --timeout 1m -- skr get pong
            pong --timeout 1m -- skr get ping
            hidden --timeout 1m --limit 1s -- env -i skr get hidden
            """,
            #"""
            export PATH; for name in self ping; do skr get $name 2>&1 | grep -c 'asks for the item itself'; done
            sed -i "s|env -i|env -i HOME=$HOME PATH=$PATH|" $sources; SECONDS=0; skr get hidden; echo $?; [ $SECONDS -lt 30 ] && echo in time
            """#, prints: "1\n1\n75\nin time\n")
    }

    @Test("two sources that ask for each other in two processes, or without the chain, end at their limits")
    func crosswise() throws {
        try SourcesUnderTest.run(
            """
            a --timeout 1m --limit 1s -- sh -c 'touch a; until [ -e b ]; do sleep 0.02; done; skr get b'
            b --timeout 1m --limit 1s -- sh -c 'touch b; until [ -e a ]; do sleep 0.02; done; skr get a'
            """,
            #"""
            SECONDS=0; skr get a 2> /dev/null & a=$!; skr get b 2> /dev/null; echo $?; wait $a; echo $?; [ $SECONDS -lt 40 ] && echo in time
            """#, prints: "75\n75\nin time\n")
    }

    @Test(
        "a signal ends the command and the reader, and is not remembered as a failure",
        arguments: [("INT", 62), ("TERM", 63), ("HUP", 64)])
    func signal(name: String, duration: Int) throws {
        try SourcesUnderTest.run(
            "api --timeout 1m -- sh -c 'echo run >> runs; [ -e go ] || exec sleep \(duration); echo s3cret'",
            #"""
            set -m; skr get api & while [ ! -e $HOME/runs ]; do sleep 0.02; done; kill -\#(name) $!; wait $!
            echo $(($? - $(kill -l \#(name)))); touch $HOME/go; skr get api; echo; pgrep -cf 'slee[p] \#(duration)' -s 0
            """#, prints: "128\ns3cret\n0\n")
    }

    @Test("an ignored SIGCHLD stays ignored for each source, and for the command after them")
    func ignoredChildren() throws {
        try SourcesUnderTest.run(
            """
            one --timeout 1m -- grep SigIgn /proc/self/status
            two --timeout 1m --limit 1m -- grep SigIgn /proc/self/status
            """,
            #"""
            export A=skr://one B=skr://two; status=/proc/self/status
            { env --ignore-signal=CHLD skr exec --env A --env B -- grep SigIgn $status; skr get one; echo; skr get two; } >ignored
            sed -E 's/.*(.)....$/\1/' ignored; echo
            """#, prints: "1\n1\n1\n")
    }

    @Test("the caller gets a secret that can't be stored, with a warning")
    func unstored() throws {
        let outcome = try SourcesUnderTest.run(
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
        .tags(.root),
        .enabled(
            if: isRoot && (try? Key.request(.keyring, "_ses")) == nil,
            "only a process without a session keyring could take one along"),
        arguments: [":", "ses=$(keyctl newring _ses @u)"])
    func cleanThread(planting: String) throws {
        for call in ["get api", "get --no-source x; skr get api", "exec --env A=skr://api -- true"] {
            let outcome = try becomeAnotherUser(after: call, planting: planting)
            #expect(outcome.output.contains("_uid_ses.60454"), "\(call): \(outcome)")
        }
    }

    /// - Parameter planting: a command that puts a keyring `ses`, named like a login's, into root's user keyring.
    private func becomeAnotherUser(after call: String, planting: String) throws -> CommandRunner.Outcome {
        try CommandRunner().shell(
            #"""
            # Without a session keyring, the items are in root's own one, which must be unchanged afterwards.
            rings() { for key in $(keyctl rlist @s); do case "$(keyctl rdescribe $key)" in *";skr-leases" | *";skr:$SKR_NAMESPACE") echo -n "$key ";; esac; done; }
            before=" $(rings)"; remove() { for key in $(rings); do [[ $before = *" $key "* ]] || keyctl unlink $key @s; done; ${ses:+keyctl unlink $ses @u}; }
            work=$(mktemp -d); trap 'rm -rf $work; remove' EXIT; export HOME=$work; export SKR_SOURCES=$work/sources; chmod 755 $work
            echo "api --timeout 1m --namespace $SKR_NAMESPACE -- setpriv --reuid 60454 --regid 60454 --clear-groups keyctl rdescribe @s" > $work/sources
            \#(planting); setpriv --reuid 60455 --regid 60455 --clear-groups true; skr \#(call); skr get api
            """#)
    }

    @Test("if the scope can't be used, nothing runs")
    func unusableScope() throws {
        let outcome = try SourcesUnderTest.run(
            "api --timeout 1m -- sh -c 'echo run >> runs; echo s3cret'",
            #"""
            keyctl revoke @s; skr get api; echo $?; skr exec --env A=skr://api -- true; echo $?; echo '{{ skr://api }}' | skr inject; echo $?
            skr helper headers api; echo $?; printf 'protocol=https\nhost=h\n' | skr helper git get; echo $?; runs
            """#)
        #expect(outcome.output.hasSuffix("\n\n"), "\(outcome)")
        let codes = outcome.output.split(separator: "\n")
        #expect(codes.count == 5 && Set(codes).isSubset(of: ["69", "77"]), "\(outcome)")
    }

    @Test(
        "the caller gets a secret that was deleted during the fetch, with a warning, and it is not stored",
        arguments: ["skr delete api", "skr clear"])
    func deletedMeanwhile(command: String) throws {
        let outcome = try SourcesUnderTest.run(
            "api --timeout 1m -- sh -c '\(command); echo s3cret'", #"skr get api; echo " $?"; skr list"#,
            prints: "s3cret 0\n")
        #expect(
            outcome.errors.contains("skr: warning: api: deleted during the fetch; the output is not kept\n"),
            "\(outcome)")
    }

    @Test("a secret that ends too soon to be stored is an answer, with a warning")
    func tooShort() throws {
        let outcome = try SourcesUnderTest.run(
            "api --timeout-from-json e --end-early 5m --field t -- echo '{\"e\":60,\"t\":\"s3cret\"}'",
            #"skr get api; echo " $?"; skr list"#, prints: "s3cret 0\n")
        #expect(outcome.errors.contains("skr: warning: api: it ends too soon; the output is not kept\n"), "\(outcome)")
    }

    @Test("who waits for another process gives up 10 s after the limit of the command", .tags(.long))
    func waiter() throws {
        let outcome = try SourcesUnderTest.run(
            "api --timeout 1m --limit 1m -- sh -c 'touch started; sleep 65'",
            #"""
            skr get api & first=$!; while [ ! -e $HOME/started ]; do sleep 0.05; done; sed -i 's/limit 1m/limit 1s/' $sources
            SECONDS=0; skr get api; echo $?; [ $SECONDS -ge 10 -a $SECONDS -le 20 ] && echo in time
            kill $first; wait $first; echo $?
            """#, prints: "75\nin time\n143\n")
        #expect(outcome.errors.contains("api: its source failed: another process still runs it\n"), "\(outcome)")
    }

    @Test(
        "a signal that the command catches ends the reader too, and is not remembered",
        arguments: [("INT", 66), ("TERM", 67)])
    func caughtSignal(name: String, duration: Int) throws {
        try SourcesUnderTest.run(
            "api --timeout 1m -- sh -c 'trap \"exit 3\" \(name); touch started; [ -e go ] || { sleep \(duration) >&2 & wait; }; echo s3cret'",
            #"""
            set -m; skr get api & while [ ! -e $HOME/started ]; do sleep 0.02; done; kill -\#(name) $!; wait $!
            echo $(($? - $(kill -l \#(name)))); touch $HOME/go; skr get api; pkill -f 'slee[p] \#(duration)' -s 0
            """#, prints: "128\ns3cret")
    }

    @Test("a signal that does not end processes does not end the reader, even if the command fails after it")
    func otherSignal() throws {
        try SourcesUnderTest.run(
            "api --timeout 1m -- bash -c 'trap \"exit 3\" USR1; touch started; while :; do sleep 0.02; done'",
            #"""
            skr get api & while [ ! -e $HOME/started ]; do sleep 0.02; done; kill -USR1 $!; wait $!; echo $?
            """#, prints: "75\n")
    }

    @Test("what a command prints after its limit is not a secret, but what it printed before its end is")
    func overdue() throws {
        let outcome = try SourcesUnderTest.run(
            """
            late --timeout 1m --limit 1s -- sh -c 'trap "exit 0" TERM; printf partial; sleep 68 & wait'
            left --timeout 1m --limit 1s -- sh -c 'sleep 68 & printf whole'
            """,
            #"""
            skr get left > left & left=$!; skr get late; echo $?; wait $left; code=$?; echo "$(<left) $code"
            skr list | cut -f 2; pkill -f 'slee[p] 68' -s 0
            """#, prints: "75\nwhole 0\nleft\n")
        #expect(outcome.errors.contains("late: its source failed: 'sh' ran for more than 1s\n"), "\(outcome)")
    }

    @Test("without an absolute HOME, the command runs in /; without that folder, it does not run")
    func home() throws {
        let outcome = try SourcesUnderTest.run(
            "api --timeout 1m -- pwd",
            #"""
            export SKR_SOURCES=$sources; mkdir sub
            (unset HOME; skr get api); echo; skr delete api; HOME=sub skr get api; echo; skr delete api; HOME=/nonexistent skr get api; echo $?
            """#, prints: "/\n/\n75\n")
        #expect(outcome.errors.contains("can't change to the home folder: "), "\(outcome)")
        #expect(outcome.errors.contains("hint: check HOME\n"), "\(outcome)")
    }

    @Test("if a signal ends 'skr env' during a fetch, eval fails too")
    func signalledEnv() throws {
        try SourcesUnderTest.run(
            "api --timeout 1m -- sh -c 'touch started; exec sleep 69'",
            #"""
            skr env --env A=skr://api > $work/assignments & while [ ! -e $HOME/started ]; do sleep 0.02; done
            kill $!; wait $!; echo $?; eval "$(cat $work/assignments)" || echo failed
            """#, prints: "143\nfailed\n")
    }

    @Test(
        "while a source's command runs, only skr itself has the secrets that it read before",
        .tags(.root), .enabled(if: isRoot, "reads the memory of other processes"))
    func guardMemory() throws {
        try SourcesUnderTest.run(
            "b --timeout 1m -- sh -c 'touch started; while [ ! -e go ]; do sleep 0.05; done; echo x'",
            #"""
            printf 's3cret-%s' in-memory | skr set a
            skr exec --env A=skr://a --env B=skr://b -- true & while [ ! -e $HOME/started ]; do sleep 0.05; done
            python3 - $! $(pgrep -P $! skr) << 'END'
            import sys
            marker = b"s3cret-" + b"in-memory"
            for process in sys.argv[1:]:
                count = 0
                memory = open(f"/proc/{process}/mem", "rb", 0)
                for line in open(f"/proc/{process}/maps"):
                    start, end = (int(number, 16) for number in line.split()[0].split("-"))
                    if " rw" in line and end - start < 1 << 28:
                        memory.seek(start)
                        try: count += memory.read(end - start).count(marker)
                        except OSError: pass
                print(count > 0)
            END
            touch $HOME/go; wait $!; echo $?
            """#, prints: "True\nFalse\n0\n")
    }

    @Test("a process whose first thread has ended is ended at the limit, too")
    func leaderlessProcess() throws {
        try SourcesUnderTest.run(
            "api --timeout 1m --limit 2s -- sh -c 'python3 leaderless; true'",
            #"""
            cat > $HOME/leaderless << 'END'
            import ctypes, os, threading, time
            def work():
                with open("started", "w") as file: file.write(str(os.getpid()))
                time.sleep(20)
            threading.Thread(target=work).start()
            ctypes.CDLL(None).pthread_exit(None)
            END
            # The first thread, which has ended, is shown as a zombie, and counts among the threads.
            isLeft() { grep -qsE '^State:.[^Z]|^Threads:.([2-9]|..)' /proc/$process/status; }
            skr get api; echo $?; process=$(<$HOME/started); [ $process ] && echo started
            for i in {1..100}; do isLeft || { echo ended; break; }; sleep 0.05; done
            """#, prints: "75\nstarted\nended\n")
    }

    @Test("in a PID namespace that has the machine's /proc, the limit ends the command without its grace")
    func foreignProc() throws {
        try SourcesUnderTest.run(
            "api --timeout 1m --limit 1s -- sleep 75",
            "SECONDS=0; unshare -Ur --pid --fork skr get api; echo $?; [ $SECONDS -lt 5 ] && echo in time",
            prints: "75\nin time\n")
    }
}
