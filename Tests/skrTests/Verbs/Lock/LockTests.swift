import TestSupport
import Testing

@Suite("skr lock")
struct LockTests: ScriptTests {
    /// The beginning of a script in the session scope, with a new folder `$work`.
    ///
    /// Locks in the user scope would stay in the tester's keyring. A command that has started writes to `$ready`.
    let preparation =
        CommandRunner.waits + #"""
            export SKR_SCOPE=session work=$(mktemp -d); trap 'rm -rf $work' EXIT; export ready=$work/ready

            """#

    @Test(
        "a lock has one holder across all of the user's logins, unless another scope is given",
        .tags(.root), .enabled(if: isRoot, "needs root to become a user whose keyring it can clear"))
    func userScope() throws {
        let outcome = try CommandRunner().inSession(
            #"""
            exec setpriv --reuid 60411 --regid 60411 --clear-groups bash -c '
                other() { keyctl session - env "$@" 2> >(grep -v "^Joined session" >&2); }
                export -f other; keyctl link @u @s
                keyctl session - skr lock a -- bash -c "other skr lock a --wait 0 -- echo both; echo \$?
                    other skr lock a --wait 0 --scope session -- echo session
                    other SKR_SCOPE=session skr lock a --wait 0 -- echo variable
                    other SKR_SCOPE=session skr lock a --wait 0 --scope user -- echo both; echo \$?" 2> >(grep -v "^Joined session" >&2)
                other skr lock a --wait 0 -- echo free; keyctl clear @u'
            """#, prints: "75\nsession\nvariable\n75\nfree\n")
        #expect(outcome.errors.split(separator: "\n").count == 4)
    }

    @Test("one command runs at a time, with its own exit code, words and input")
    func exclusive() throws {
        try expect(
            #"""
            for i in {1..8}; do skr lock --wait 5m a -- bash -c 'mkdir $work/in || echo both; sleep 0.02; rmdir $work/in; echo done' & done | sort | uniq -c | tr -d ' '
            wait; echo input | skr lock a -- cat; skr lock a -- bash -c 'exit 7'; echo $?; skr lock a -- printf '[%s]' -- ''; echo
            skr lock a -- skr-no-such-command 2>/dev/null; echo $?; skr lock a --wait 0 -- echo free
            """#, onlyPrints: "8done\ninput\n7\n[--][]\n127\nfree\n")
    }

    @Test("a process that waits unsuccessfully gets 75, and other names and namespaces are separate")
    func held() throws {
        let outcome = try expect(
            #"""
            skr lock a -- bash -c 'skr lock a --wait 0 -- echo never; echo $?; skr lock a --wait 1 -- echo never; echo $?
                skr lock b --wait 0 -- echo b; skr lock a --wait 0 --namespace $SKR_NAMESPACE-two -- echo two; skr list'
            """#, prints: "75\n75\nb\ntwo\n")
        #expect(outcome.errors.hasPrefix("skr: error: 'a': another process holds the lock: process "))
    }

    @Test("after a holder is killed, the next process does not wait until its lease ends")
    func killedHolder() throws {
        try expect(
            #"""
            ready() { filled $ready; : > $ready; }; command='echo x > $ready; exec sleep 600'
            skr lock a --timeout 1h -- bash -c "$command" & holder=$!; ready; kill -9 $holder; skr lock a --wait 1m -- echo next
            # A stopped holder is not dead, so another process waits until its lease ends.
            skr cached stopped --timeout 5m -- bash -c "$command" & stopped=$!; ready; kill -STOP $stopped
            skr cached stopped --timeout 5m -- echo late > $work/late & waiting=$!
            skr cached c --timeout 5m -- bash -c "$command" & holder=$!; ready; kill -9 $holder; skr cached c --timeout 5m -- echo fetched
            [[ -s $work/late ]] || echo earlier; kill -9 $waiting $stopped
            """#, prints: "next\nfetched\nearlier\n")
    }

    @Test("a command that outlives its killed holder keeps the lock, and a fetch until its lease ends")
    func outlived() throws {
        try expect(
            #"""
            lasting() { filled $ready; kill -9 $holder; wait $holder 2>/dev/null; command=$(<$ready); : >$ready; }
            alone='echo $$ >$ready; exec sleep 600'
            skr lock a --timeout 1h -- setpriv --pdeathsig clear bash -c "$alone" & holder=$!; lasting
            skr lock a --wait 0 -- echo both 2>/dev/null; echo $?
            kill $command; skr lock a --wait 1m -- echo next
            skr cached c --timeout 5m -- setpriv --pdeathsig clear bash -c "$alone" & holder=$!; lasting
            skr cached c --timeout 5m -- echo fetched >$ready & caller=$!; sleep 0.3
            [[ -s $ready ]] && echo both; kill $command; wait $caller; cat $ready
            """#, prints: "75\nnext\nfetched\n")
    }

    @Test("a command that outlives its holder keeps the lock even if the holder is killed as soon as it starts")
    func outlivedEarly() throws {
        try expect(
            #"""
            # On a busy machine, the holder gets the processor long after its command has begun.
            trap 'kill "${busy[@]}"; rm -rf $work' EXIT
            busy=(); for i in 1 2 3 4; do (while :; do :; done) & busy+=($!); done
            for round in 1 2 3 4 5 6; do
                skr lock a --timeout 1h -- setpriv --pdeathsig clear bash -c 'echo $$ >$ready; exec sleep 600' & holder=$!
                until [[ -s $ready ]]; do :; done; kill -9 $holder; wait $holder 2>/dev/null; command=$(<$ready); : >$ready
                skr lock a --wait 0 -- echo both 2>/dev/null; echo $?; kill $command; skr lock a --wait 1m -- true
            done
            """#, prints: String(repeating: "75\n", count: 6))
    }

    /// With its own clock, a time namespace must not lead to two holders.
    @Test(
        "one holder across time namespaces", .tags(.root),
        .enabled(if: Self.canMakeTimeNamespaces, "needs time namespaces"))
    func timeNamespaces() throws {
        try expect(
            #"""
            ahead() { unshare --time --boottime 100000 --fork "$@"; }; export -f ahead
            skr lock a -- bash -c 'ahead skr lock a --wait 0 -- echo both; echo $?'
            mkfifo $ready.go; ahead skr lock b -- bash -c 'echo x > $ready; read < $ready.go' & filled $ready
            skr lock b --wait 0 -- echo both; echo $?; echo > $ready.go; wait
            """#, prints: "75\n75\n")
    }

    private static let canMakeTimeNamespaces =
        (try? CommandRunner().shell("unshare --time --fork true").exitCode) == 0

    @Test("fencing numbers increase")
    func fencing() throws {
        let outcome = try run(#"for i in 1 2 3 4; do skr lock a -- bash -c 'echo $SKR_FENCING_NUMBER'; done"#)
        let numbers = outcome.output.split(separator: "\n").compactMap { UInt64($0) }
        #expect(numbers.count == 4 && numbers == numbers.sorted() && Set(numbers).count == 4)
    }

    @Test(
        "a signal goes to the command, the lock is released, and skr ends in the same way",
        arguments: ["TERM", "HUP", "USR1"])
    func signals(name: String) throws {
        let code = try #require(["TERM": 143, "HUP": 129, "USR1": 138][name])
        try expect(
            #"""
            holder() { filled $ready; kill -$NAME $child; wait $child; echo $?; }
            skr lock a --timeout 1h -- bash -c 'echo x > $ready; exec sleep 600' & child=$!; holder
            skr lock a --wait 0 -- echo free; : > $ready
            skr lock a --timeout 1h -- bash -c 'trap "exit 5" $NAME; echo x > $ready; while :; do sleep 0.05; done' & child=$!; holder
            skr lock a --wait 0 -- echo free
            """#, environment: ["NAME": name], prints: "\(code)\nfree\n5\nfree\n")
    }

    @Test("a signal ends a process that waits for the lock")
    func waiting() throws {
        try expect(
            #"""
            skr lock a -- bash -c 'echo x > $ready; exec sleep 600' & holder=$!; filled $ready
            skr lock a --wait 20 -- true 2> /dev/null & waiting=$!; sleep 0.1; kill $waiting; wait $waiting; echo $?; kill $holder
            """#, prints: "143\n")
    }

    @Test("skr ends with its command after a core-dumping signal, but dumps no core itself")
    func coreDump() throws {
        try expect(
            #"""
            cd $work; ulimit -S -c $(ulimit -H -c)
            quitting='ulimit -c 0; for i in {1..600}; do sleep 0.05; kill -QUIT $PPID || break; done & exec sleep 600'
            skr lock a -- bash -c "$quitting" 2>/dev/null; echo $?; ls
            """#, prints: "131\n")
    }

    @Test("if the lock can't be taken, lock reports the cause, and not another holder")
    func unusable() throws {
        let outcome = try expect("keyctl restrict_keyring @s; skr lock a -- echo never; echo $?", prints: "77\n")
        #expect(outcome.errors.contains("is restricted") && !outcome.errors.contains("somebody else"), "\(outcome)")
    }

    @Test("a killed holder's command ends and the lock is released, but a running holder keeps it")
    func timeouts() throws {
        try expect(
            #"""
            skr lock a --timeout 2s -- bash -c 'echo $$ > $ready; exec sleep 600' & child=$!; filled $ready
            skr lock a --wait 3 -- echo never 2>/dev/null; echo $?
            kill -KILL $child; wait $child 2>/dev/null; skr lock a --wait 1m -- echo mine; gone $(cat $ready)
            """#, prints: "75\nmine\ngone\n")
    }

    @Test("a holder that was stopped too long reports it, with 75 or the command's code")
    func lost() throws {
        let outcome = try expect(
            #"""
            command='echo x > $ready.$0; read < $ready.go$0; exit $0'; mkfifo $ready.go0 $ready.go3
            for code in 0 3; do skr lock lock$code --timeout 1s -- bash -c "$command" $code & holders+=($!); filled $ready.$code; done
            kill -STOP ${holders[@]}; for code in 0 3; do skr lock lock$code --wait 1m -- echo other $code; done
            kill -CONT ${holders[@]}; for code in 0 3; do echo > $ready.go$code; done
            for holder in ${holders[@]}; do wait $holder; echo $?; done
            """#, prints: "other 0\nother 3\n75\n3\n")
        for code in [0, 3] {
            #expect(
                outcome.errors.contains("skr: error: 'lock\(code)': the lock was lost while the command ran"),
                "\(outcome)")
        }
    }

    @Test(
        "usage errors have a hint",
        arguments: [
            ["a"], ["--", "x"], ["", "--", "x"], ["a", "--timeout", "0", "--", "x"],
            ["a", "--timeout", "2h", "--", "x"], ["a", "--timeout", "3601", "--", "x"],
        ])
    func mistakes(words: [String]) throws {
        let outcome = try CommandRunner().run(["lock"] + words, input: .init())
        #expect(outcome.exitCode == 64 && outcome.output == "")
        let message = words.first == "" ? "the lock's name is empty\n" : ""
        #expect(outcome.errors.hasPrefix("skr: error: \(message)") && outcome.errors.contains("skr: hint: "))
    }
}
