import Testing

@Suite("Sources on a terminal")
struct SourceTerminalTests {
    /// A part of the command lines that no other test's processes have.
    private let id = UInt32.random(in: 100_000..<1_000_000)

    /// Runs a script and checks the end of what the terminal shows.
    @discardableResult
    private func run(
        _ source: String, _ script: String, typing answers: [TerminalRunner.Answer] = [], showsLast end: String,
        at location: SourceLocation = #_sourceLocation
    ) throws -> String {
        let shown = try TerminalRunner().run(
            SourcesUnderTest.preparation + script, answering: answers,
            environment: ["SOURCES": source, "SKR_NAMESPACE": ""])
        #expect(shown.hasSuffix(end), "\(shown)", sourceLocation: location)
        return shown
    }

    @Test("Ctrl-C ends the command and its reader, and the next reader runs the command again")
    func interrupt() throws {
        try run(
            "api --timeout 1m -- sh -c 'echo started >&2; [ -e go ] || exec sleep 60.\(id); echo s3cret'",
            "trap : INT; skr get api; echo rc=$?; touch $HOME/go; skr get api; pgrep -cxf 'sleep 60.\(id)'",
            typing: [.init(prompt: "started", keys: "\u{3}")], showsLast: "started\n^Crc=130\nstarted\ns3cret\n0\n")
    }

    @Test("Ctrl-C also reaches a command that has left our process group")
    func interruptedGroup() throws {
        let shown = try run(
            "api --timeout 1m -- timeout 60 sh -c 'trap \"echo caught >&2; exit 3\" INT; echo started >&2; while :; do sleep 0.05; done'",
            "trap : INT; skr get api; echo rc=$?", typing: [.init(prompt: "started", keys: "\u{3}")],
            showsLast: "rc=130\n")
        #expect(shown.contains("caught\n"), "\(shown)")
    }

    @Test("Ctrl-Z stops the command and its reader, and fg continues both")
    func stop() throws {
        let shown = try run(
            "api --timeout 1m -- sh -c 'echo started >&2; while [ ! -e go ]; do sleep 0.1; done; echo s3cret'",
            "set -m; skr get api; echo rc=$?; touch $HOME/go; fg > /dev/null; echo rc=$?",
            typing: [.init(prompt: "started", keys: "\u{1A}")], showsLast: "s3cret\nrc=0\n")
        #expect(shown.contains("rc=148\n"), "\(shown)")
    }

    @Test("the command can ask the person at the terminal")
    func prompt() throws {
        try run(
            "api --timeout 1m -- sh -c 'printf \"PIN: \" >&2; read -r pin; echo \"<$pin>\"'",
            "skr get api; skr get api < /dev/null",
            typing: [.init(prompt: "PIN: ", keys: "1234\n")], showsLast: "PIN: 1234\n<1234>\n<1234>\n")
    }

    @Test("who waits for another process is told so after a second, once")
    func note() throws {
        let note = "skr: api: another process runs its source; waiting for it"
        let shown = try run(
            "api --timeout 1m -- sh -c 'touch started; until [ -e go ]; do sleep 0.05; done; echo s3cret'",
            #"""
            skr get api > $work/first & while [ ! -e $HOME/started ]; do sleep 0.02; done
            # Long enough for a repeated note to show.
            (read -r < /dev/tty; sleep 0.3; touch $HOME/go) & skr get api; wait; cat $work/first; echo
            """#, typing: [.init(prompt: note, keys: "\n")], showsLast: "s3cret\ns3cret\n")
        #expect(shown.split(separator: "\n").count { $0 == note } == 1, "\(shown)")
    }

    @Test("a reader that is started in the background can ask the person after fg")
    func background() throws {
        try run(
            "api --timeout 1m -- sh -c 'printf \"PIN: \" >&2; read -r pin < /dev/tty; echo \"<$pin>\"'",
            #"""
            set -m; skr get api & for i in {1..20}; do [ "$(jobs -s)" ] && break; sleep 0.05; done
            fg > /dev/null; skr get api
            """#,
            typing: [.init(prompt: "PIN: ", keys: "1234\n")], showsLast: "<1234>\n<1234>\n")
    }

    @Test("all that a command has started ends at its limit, and the programs of a finished command continue")
    func limit() throws { try expectEnd(trapping: ":", tens: 17) }

    @Test("all that ignores SIGTERM ends, too", .tags(.long))
    func killed() throws { try expectEnd(trapping: "''", tens: 18) }

    /// Expects that nothing is left of two sources that exceed their limit, and one process of a third that doesn't.
    private func expectEnd(trapping action: String, tens: Int) throws {
        try run(
            """
            kid --timeout 1m --limit 1s -- sh -c "sleep \(tens)1.\(id); echo x"
            stubborn --timeout 1m --limit 1s -- sh -c "trap \(action) TERM; (setsid sleep \(tens)2.\(id) &); sh -c 'sleep \(tens)2.\(id); sleep \(tens)2.\(id)'; sleep \(tens)2.\(id)"
            finished --timeout 1m --limit 1s -- sh -c "sleep \(tens)3.\(id) & echo x"
            """,
            #"""
            skr get stubborn 2> $work/errors & stubborn=$!; skr get finished > $work/finished & finished=$!
            # A child that skr had before must not end.
            bash -c 'sleep \#(tens)4.\#(id) & exec skr get kid'; echo rc=$?; pgrep -cxf 'sleep \#(tens)4.\#(id)'; pkill -xf 'sleep \#(tens)4.\#(id)'
            wait $stubborn; echo rc=$?; wait $finished; echo rc=$?; cat $work/finished; echo
            left() { pgrep -axf 'sleep \#(tens)[12].\#(id)'; }; for i in {1..20}; do left > /dev/null || break; sleep 0.05; done; left
            pkill -xf 'sleep \#(tens)3.\#(id)' && echo end
            """#, showsLast: "rc=75\n1\nrc=75\nrc=0\nx\nend\n")
    }

    @Test("a prompt that is killed at its limit leaves the terminal's echo unchanged")
    func echo() throws {
        try run(
            "api --timeout 1m --limit 1s -- sh -c 'stty -echo < /dev/tty; exec sleep 75'",
            "skr get api 2> /dev/null; echo rc=$?; stty -a | grep -o '[ -]echo '", showsLast: "rc=75\n echo \n")
    }

    @Test(
        "a command that is ended in the background leaves the echo to another user's prompt in the foreground",
        .tags(.root), .enabled(if: isRoot, "needs root to become another user"))
    func otherPrompt() throws {
        try run(
            "",
            #"""
            set -m; chmod 777 $work; cd $work
            setpriv --reuid 60468 --regid 60468 --clear-groups \
                skr cached a --timeout 1m --limit 1m -- sh -c 'touch started; exec sleep 62.\#(id)' 2> /dev/null & disown
            while [ ! -e started ]; do sleep 0.02; done
            # The foreground is a group of root.
            sh -c "stty -echo; kill $!; while kill -0 $! 2> /dev/null; do sleep 0.02; done; stty -a | grep -o '[ -]echo '; stty echo"
            """#, showsLast: "-echo \n")
    }

    @Test("a signal to the reader alone ends all that the command has started")
    func signal() throws {
        try run(
            "api --timeout 1m -- sh -c 'touch started; sleep 74.\(id); echo x'",
            #"""
            skr get api & while [ ! -e $HOME/started ]; do sleep 0.02; done; kill $!; wait $!; echo rc=$?
            pgrep -cxf 'sleep 74.\#(id)'
            """#, showsLast: "rc=143\n0\n")
    }

    @Test("a daemon that a command has started is not a child of the program that skr becomes")
    func daemon() throws {
        try run(
            "api --timeout 1m -- sh -c '(setsid sleep 73.\(id) > /dev/null 2>&1 &); echo s3cret'",
            #"""
            skr exec --env A=skr://api -- bash -c 'pgrep -cxf "sleep 73.\#(id)"; pgrep -cP $$ sleep'; pkill -xf 'sleep 73.\#(id)'
            """#, showsLast: "\n1\n0\n")
    }

    @Test("no zombie remains, even if nobody waits for orphans")
    func zombies() throws {
        try run(
            "api --timeout 1m -- sh -c '(sleep 0.1 > /dev/null &); echo s3cret; sleep 0.3'",
            #"""
            python3 -c '
            import ctypes, subprocess, sys, time
            ctypes.CDLL(None).prctl(36, 1)
            subprocess.run(["skr", "get", "api"])
            time.sleep(0.2)
            print(subprocess.run(["ps", "-o", "stat=", "--ppid", str(__import__("os").getpid())], capture_output=True, text=True).stdout.count("Z"))'
            """#, showsLast: "s3cret\n0\n")
    }
}
