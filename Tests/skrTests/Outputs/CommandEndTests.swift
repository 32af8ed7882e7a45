import Testing

@Suite("The end of a command that prints an output")
struct CommandEndTests: ScriptTests {
    /// `alive` prints whether a process with this command line runs, and ends it.
    ///
    /// `ended` waits up to 4 s for a process to end, and prints how: `skr` ends within 2 s after a signal.
    let preparation =
        CommandRunner.waits + CachedTests.counting + #"""
            alive() { pkill -xf "$1" -s 0 && echo alive; }
            ended() { for ((i = 0; i < 80; i++)); do kill -0 $1 2> /dev/null || break; sleep 0.05; done; kill -KILL $1 2> /dev/null; wait $1; echo $?; }

            """#

    @Test("a program that the command left in the background holds up no answer, and continues")
    func background() throws {
        try expect(
            #"""
            SECONDS=0; skr cached a --timeout 5m -- sh -c 'echo token; sleep 81 &'; skr cached a --timeout 5m -- sh -c 'echo token; sleep 81 &'
            skr helper npm b -- sh -c 'echo token; sleep 82 &'; [ $SECONDS -lt 30 ] && echo immediate
            alive 'sleep 81'; alive 'sleep 82'
            """#, prints: "token\ntoken\nBearer token\nimmediate\nalive\nalive\n")
    }

    @Test("all that the command printed before its end is the output, also if others continue to print")
    func endlessOthers() throws {
        try expect(
            #"""
            skr cached a --timeout 5m -- sh -c 'head -c 30000 /dev/zero; sleep 83 & exit 0' | wc -c
            skr cached b --timeout 5m -- sh -c 'yes & echo $! > $COUNTER; sleep 0.2; exit 3' > /dev/null; echo $?
            gone $(<$COUNTER); alive 'sleep 83'
            """#, prints: "30000\n3\ngone\nalive\n")
    }

    @Test(
        "a signal ends skr, and the next caller runs the command, also if the command does not obey",
        arguments: ["TERM", "HUP"],
        ["exec sleep $TIME", "sleep $TIME | cat", #"trap "" TERM HUP; sleep $TIME; sleep $TIME"#])
    func signals(name: String, command: String) throws {
        let number = name == "TERM" ? 143 : 129
        try expect(
            #"""
            export TIME=84.$$
            skr cached a --timeout 5m -- sh -c "echo x > $COUNTER; $COMMAND" & filled $COUNTER; kill -\#(name) $!; ended $!
            skr cached a --timeout 5m -- echo next; pkill -KILL -xf "sleep $TIME"
            """#, environment: ["COMMAND": command], prints: "\(number)\nnext\n")
    }

    @Test("a program that the command left in the background can ask for the output later, also in another session")
    func laterOutput() throws {
        try expect(
            #"""
            skr cached a --timeout 5m --force -- bash -c '(until [ -e $COUNTER.go ]; do sleep 0.02; done; skr cached a --timeout 5m -- echo later >$COUNTER.out 2>&1; touch $COUNTER.done) & echo first'
            skr cached --forget a; touch $COUNTER.go; until [ -e $COUNTER.done ]; do sleep 0.02; done; cat $COUNTER.out
            skr cached b --timeout 5m -- keyctl session - skr cached b --timeout 5m -- echo inner 2>/dev/null
            """#, prints: "first\nlater\ninner\n")
    }

    @Test("a slow reader of an output that is too large delays neither a signal nor the limit")
    func slowReader() throws {
        try expect(
            #"""
            pipe=$COUNTER.pipe; mkfifo $pipe; exec 3<> $pipe
            # Waits until the pipe is full.
            full() { for ((i = 0; i < 600; i++)); do python3 -c 'import select; exit(bool(select.select([], [1], [], 0)[1]))' > $pipe && break; sleep 0.05; done; }
            empty() { timeout 0.5 cat <&3 > /dev/null; }
            skr cached a --timeout 5m -- yes > $pipe 3>&- & full; kill $!; ended $!; empty
            skr cached a --timeout 5m --limit 1 -- yes > $pipe 3>&- & full; ended $!; empty
            skr cached a --timeout 5m -- head -c 200000 /dev/zero > $pipe 3>&- & full; kill -HUP $!; ended $!; empty
            skr cached a --timeout 5m -- head -c 200000 /dev/zero | wc -c; rm $pipe
            """#, prints: "143\n75\n129\n200000\n")
    }

    @Test("an output is not kept if the command got a signal that ends skr, even if it ends with 0")
    func caught() throws {
        try expect(
            #"""
            skr cached a --timeout 5m -- bash -c 'trap "exit 0" TERM; echo half; echo x > $COUNTER; while :; do sleep 0.02; done' & filled $COUNTER
            kill $!; wait $!; echo $?; skr cached a --timeout 5m -- echo whole
            """#, prints: "half\n143\nwhole\n")
    }

    @Test("--cache-failures remembers a command that ran for too long")
    func rememberedLimit() throws {
        try expect(
            #"""
            for i in 1 2; do skr cached a --timeout 5m --cache-failures 5m --limit 1 -- bash -c 'echo x >> $COUNTER; sleep 90'; echo $?; done
            wc -l < $COUNTER
            """#, prints: "75\n75\n1\n")
    }

    @Test("a signal during the grace of the limit shortens it, and the command has still run for too long")
    func signalInGrace() throws {
        let outcome = try expect(
            #"""
            export TIME=88.$$
            skr cached a --timeout 5m --limit 1 -- bash -c 'trap "echo x > $COUNTER" TERM; sleep $TIME & while :; do sleep 0.02; done' & filled $COUNTER
            kill $!; ended $!; pgrep -cxf "sleep $TIME"
            """#, prints: "75\n0\n")
        #expect(outcome.errors.contains("skr: error: 'bash' ran for more than 1s\n"), "\(outcome)")
    }

    @Test("a nested skr ends its command before the outer one kills it")
    func nested() throws {
        try expect(
            #"""
            export TIME=89.$$
            skr cached a --timeout 5m --limit 1m -- bash -c '
                trap : TERM
                skr cached b --timeout 5m -- bash -c "trap : TERM; echo x > $COUNTER; while :; do sleep 0.02; done"
                echo $? > $COUNTER; sleep $TIME' &
            filled $COUNTER; kill $!; ended $!; cat $COUNTER; pgrep -cxf "sleep $TIME"
            """#, prints: "143\n143\n0\n")
    }

    @Test("the orphans of a limited command don't stay zombies while it runs")
    func orphans() throws {
        try expect(
            #"""
            skr cached a --timeout 5m --limit 1m -- bash -c '
                for i in {1..50}; do (true &); done
                for i in {1..100}; do left=$(ps -o stat= --ppid $PPID | grep -c Z); ((left)) || break; sleep 0.05; done; echo $left; exit 3'
            echo $?
            """#, prints: "0\n3\n")
    }

    @Test("a stopped guard does not keep skr from ending")
    func stoppedGuard() throws {
        try expect(
            #"""
            skr cached a --timeout 5m --limit 1m -- bash -c 'echo $PPID > $COUNTER; exec sleep 90.$$' & filled $COUNTER
            kill -STOP $(<$COUNTER); kill $!; ended $!; gone $(<$COUNTER)
            """#, prints: "143\ngone\n")
    }

    @Test("a signal that does not end skr goes to the command alone")
    func otherSignals() throws {
        try expect(
            #"""
            skr cached a --timeout 5m --limit 1m -- bash -c 'trap : USR1; sleep 91.$$ & child=$!; echo x > $COUNTER; wait $child; kill $child; wait $child; echo $?' &
            filled $COUNTER; kill -USR1 $!; wait $!; echo $?
            """#, prints: "143\n0\n")
    }

    @Test("if the system has no room for a process or file, the error is not about the command's file")
    func noRoom() throws {
        let outcome = try run(
            "for n in {6..16}; do (ulimit -n $n; skr cached a$n --timeout 5m --limit 1m -- true); done; echo done")
        #expect(outcome.output.hasSuffix("done\n") && !outcome.errors.contains("executable"), "\(outcome)")
        #expect(
            outcome.errors.contains("skr: error: can't start a process for 'true': too many open files\n"),
            "\(outcome)")
    }

    @Test(
        "a command that asks for its own output ends with 65",
        arguments: [
            ("skr cached a --timeout 5m -- skr cached a --timeout 5m -- echo x", "a"),
            ("skr cached a --timeout 5m --force -- sh -c 'skr cached a --timeout 5m -- echo x'", "a"),
            ("skr cached a --timeout 5m -- skr cached b --timeout 5m -- skr cached a --timeout 5m -- echo x", "a"),
            ("skr helper aws p -- sh -c 'exec skr helper aws p -- echo x'", "p --key aws"),
        ])
    func ownOutput(call: String, name: String) throws {
        let outcome = try expect("timeout 30 \(call); echo $?", prints: "65\n")
        #expect(outcome.errors.hasPrefix("skr: error: \(name): its command asks for the item itself\n"), "\(outcome)")
    }

    @Test("a command that asks for other outputs, or in another namespace, is not refused")
    func otherOutputs() throws {
        try expect(
            #"""
            skr cached a --timeout 5m -- skr cached b --timeout 5m -- skr cached a -n other --timeout 5m -- echo x
            skr clear -n other
            """#, prints: "x\n")
    }

    /// A command that locks its output, waits for a file, prints and ends.
    private static let committing = #"""
        export COMMIT=$COUNTER.commit; cat > $COMMIT << 'END'
        import fcntl, os, signal, time
        fcntl.lockf(1, fcntl.LOCK_EX | fcntl.LOCK_NB)
        counter = os.environ["COUNTER"]
        with open(counter, "a") as file: file.write("x\n")
        while not os.path.exists(counter + ".go"): time.sleep(0.02)
        print("token", flush=True)
        END

        """#

    @Test("a command with a lock on its output is not ended by a signal until its answer is stored")
    func committing() throws {
        try expect(
            Self.committing + #"""
                call() { skr cached a --timeout 5m -- python3 $COMMIT; }
                (exec skr cached a --timeout 5m -- python3 $COMMIT) & filled $COUNTER; kill $!
                # Longer than the grace after a signal.
                sleep 2.5; kill $! && echo waits; touch $COUNTER.go; wait $!; echo $?; call; runs; rm $COUNTER.*
                """#, prints: "waits\ntoken\n0\ntoken\n1\n")
    }

    @Test("a signal that does not end skr does not keep a command from taking its lock")
    func lockAfterSignal() throws {
        try expect(
            #"""
            export LOCKING=$COUNTER.locking; cat > $LOCKING << 'END'
            import fcntl, os, signal, time
            arrivals = []
            signal.signal(signal.SIGUSR1, lambda *_: arrivals.append(1))
            with open(os.environ["COUNTER"], "a") as file: file.write("x\n")
            while len(arrivals) < 5:
                fcntl.lockf(1, fcntl.LOCK_EX | fcntl.LOCK_NB)
                fcntl.lockf(1, fcntl.LOCK_UN)
                time.sleep(0.0002)
            print("token", flush=True)
            END
            skr cached a --timeout 5m --limit 1m -- python3 $LOCKING & filled $COUNTER
            while kill -USR1 $! 2> /dev/null; do sleep 0.02; done; wait $!; echo $?; rm $LOCKING
            """#, prints: "token\n0\n")
    }

    @Test("the limit waits for a command with a lock on its output")
    func committingLonger() throws {
        try SourcesUnderTest.run(
            "api --timeout 1m --limit 1s -- python3 commit",
            "COUNTER=$HOME/counter; export COUNTER; "
                + Self.committing + #"""
                    mv $COMMIT $HOME/commit; (sleep 3; touch $COUNTER.go) & skr get api; echo " $?"; skr get api
                    """#, prints: "token 0\ntoken")
    }
}
