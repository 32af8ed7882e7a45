import Foundation
import Testing

@Suite("skr cached: how a call ends")
struct CachedEndTests: ScriptTests {
    let preparation = CommandRunner.waits + CachedTests.counting

    @Test("no call leaves a lease, and without write permission the command does not run")
    func leases() throws {
        let outcome = try expect(
            #"""
            leases() { for key in $(keyctl rlist $(keyctl search @s keyring skr-leases)); do keyctl rdescribe $key; done | grep -c ':lease:'; }
            end() { "$@" &> /dev/null; echo "$? $(leases)"; }
            end same a --timeout 5m -- true; end same b --timeout 5m -- false; end same c --timeout-from-json .e -- echo no
            end same d --timeout 5m -- head -c 1048576 /dev/zero; end same a --timeout 5m --refresh-before 1m -- false
            end same a --timeout 5m --refresh-before 1m --timeout-from-json .e -- echo no
            export ring=$(keyctl search @s keyring skr:$SKR_NAMESPACE)
            same e --timeout 5m -- eval 'keyctl setperm $ring 0x1b1b0000; echo out'; echo "$? $(leases)"
            end same f --timeout 5m -- run 'echo ran'; runs
            """#, prints: "0 0\n1 0\n65 0\n0 0\n0 0\n0 0\nout\n77 0\n77 0\n0\n")
        #expect(outcome.errors.hasPrefix("skr: error: e: this process has no access to the keyring\n"), "\(outcome)")
    }

    @Test("a signal ends skr while it waits for another call or for a reader of its output")
    func signals() throws {
        try expect(
            #"""
            work=$(mktemp -d); cd $work; trap 'rm -rf $work $COUNTER' EXIT; mkfifo pipe go; exec 9<> pipe
            dd if=/dev/zero of=pipe bs=4096 count=256 oflag=nonblock 2> /dev/null
            # A signal may end only the command, so it is sent until skr has ended.
            ended() { for ((i = 0; i < 600; i++)); do kill $1 2> /dev/null || break; sleep 0.05; done; kill -KILL $1 2> /dev/null; wait $1; echo $?; }
            stuck() { skr cached "$@" > pipe 2> /dev/null & sleep 0.1; ended $!; }
            skr cached b --timeout 5m --refresh-before 1m -- echo x; skr cached c --timeout 5m -- echo x
            stuck a --timeout 5m -- echo x; stuck b --timeout 5m --refresh-before 1m -- echo x
            stuck c --timeout 5m --refresh-before 1m --stale-while-refreshing -- echo x; stuck d --timeout 5m -- bash -c 'echo x; exit 3'
            skr cached e --timeout 5m -- bash -c 'echo x > $COUNTER; cat go' & holder=$!
            filled $COUNTER; skr cached e --timeout 5m -- bash -c 'echo x > $COUNTER; cat go' & sleep 0.1; ended $!
            echo new > go; wait $holder; echo $?
            """#, prints: "x\nx\n143\n143\n143\n143\n143\nnew\n0\n")
    }

    @Test("a failure without output is cached until it expires or until an output replaces it")
    func failures() throws {
        let outcome = try run(
            #"""
            try() { same a --timeout 5m --cache-failures 80h "$@"; echo $?; }
            lose() { keyctl unlink $(keyctl search $ring user cached:a:) $ring; }
            try -- run 'exit 4'; try -- run 'exit 5'; runs; ring=$(keyctl search @s keyring skr:$SKR_NAMESPACE)
            for key in $(keyctl rlist $ring); do grep "^$(printf %08x $key)" /proc/keys; done | awk '/failed:/ { print $4 }'
            try --force -- echo good; lose; try -- echo fresh; try --refresh-before 1m -- false; lose; try -- echo again
            skr cached --forget a; try -- eval 'kill -TERM $PPID; exec sleep 60' 2> /dev/null; try -- echo last
            skr clear a; try -- run 'exit 6'; skr clear a; try -- echo more
            """#)
        let expected = "4\n4\n1\n3d\ngood\n0\nfresh\n0\nfresh\n0\nagain\n0\n143\nlast\n0\n6\nmore\n0\n"
        #expect(outcome.output == expected, "\(outcome)")
    }

    @Test("a failing command needs no lifetime in its output, and a failed write exits with 70")
    func unwritable() throws {
        try expect(
            #"""
            same a --timeout-from-json .e -- eval 'echo no; exit 3'; echo $?
            same b --timeout 5m -- eval 'echo x; exit 3' > /dev/full; echo $?; same c --timeout 5m -- head -c 1048576 /dev/zero > /dev/full; echo $?
            """#, prints: "no\n3\n70\n70\n")
    }

    @Test("an oversized output is neither cached nor sent to a client, and the command still finishes")
    func tooLarge() throws {
        try expect(
            #"""
            same a --timeout 5m -- echo old
            same a --timeout 5m --refresh-before 1m -- eval 'head -c 2000000 /dev/zero; exec >&-; sleep 0.1; echo end > $COUNTER'; echo $?
            cat $COUNTER; skr helper npm b --timeout 5m -- head -c 2000000 /dev/zero | wc -c; echo ${PIPESTATUS[0]}
            """#, prints: "old\nold\n0\nend\n0\n70\n")
    }

    @Test("a signal to skr ends a refresh with 143, even if an older output is cached")
    func oldOutput() throws {
        try expect(
            #"""
            same a --timeout 5m -- echo old
            same a --timeout 5m --refresh-before 1m -- eval 'kill -TERM $PPID; exec sleep 60' 2> /dev/null; echo $?
            """#, prints: "old\n143\n")
    }

    @Test("without the key facility, skr cached exits with 69 and does not run CMD", arguments: [EPERM, ENOSYS])
    func blocked(error: CInt) async throws {
        await #expect(processExitsWith: .exitCode(69)) { [error = error as CInt] in
            TestedPrograms.become("cached a --timeout 5m -- true", behindFilter: -1, error)
        }
    }

    @Test("skr dies of a signal that it received, and otherwise exits with the command's code")
    func deaths() throws {
        try expect(
            #"""
            ends() { python3 -c 'import subprocess, sys; print(subprocess.run(sys.argv[1:], stderr=subprocess.DEVNULL).returncode)' "$@"; }
            ends skr cached a --timeout 5m -- bash -c 'kill -TERM $PPID; exec sleep 60'; ends skr cached a --timeout 5m -- bash -c 'kill -TERM $$'
            ends skr cached a --timeout 5m -- bash -c 'exit 3'; ends skr lock --scope session a -- bash -c 'kill -INT $PPID; exec sleep 60'
            """#, prints: "-15\n143\n3\n-2\n")
    }

    @Test("skr forwards every signal to the command, not only the first one, and leaves no lease")
    func severalSignals() throws {
        try expect(
            #"""
            skr cached a --timeout 5m -- bash -c 'trap "echo one >> $COUNTER" USR1; echo x >> $COUNTER; while :; do sleep 0.01; done' & child=$!
            lines() { for ((i = 0; i < 600; i++)); do (($(runs) >= $1)) && break; sleep 0.05; done; }
            lines 1; kill -USR1 $child; lines 2; kill -USR1 $child; lines 3; kill $child; wait $child; echo $?; runs
            skr cached a --timeout 5m -- echo free
            """#, prints: "143\n3\nfree\n")
    }

    @Test("a background command has the caller's signal mask; in a revoked session CMD reads nothing")
    func surroundings() throws {
        try expect(
            #"""
            same a --timeout 5m -- echo old
            same a --timeout 5m --refresh-before 1m --stale-while-refreshing -- eval 'grep SigBlk /proc/self/status > $COUNTER'
            filled $COUNTER; diff $COUNTER <(grep SigBlk /proc/self/status) && echo same
            keyctl revoke @s; echo input | skr cached b --timeout 5m -- cat; echo $?
            """#, prints: "old\nold\nsame\n0\n")
    }
}
