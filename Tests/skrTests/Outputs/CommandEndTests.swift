import Testing

@Suite("The end of a command that prints an output")
struct CommandEndTests: ScriptTests {
    /// `alive` prints whether a process with this command line runs, and ends it.
    ///
    /// `ended` waits up to 10 s for a process to end, and prints how: far less than the commands sleep here.
    let preparation =
        CommandRunner.waits + CachedTests.counting + #"""
            alive() { pkill -xf "$1" -s 0 && echo alive; }
            ended() { for ((i = 0; i < 200; i++)); do kill -0 $1 2> /dev/null || break; sleep 0.05; done; kill -KILL $1 2> /dev/null; wait $1; echo $?; }

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
