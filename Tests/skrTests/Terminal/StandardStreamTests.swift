import Foundation
import Testing

@Suite("Non-blocking standard streams, and files that can't grow")
struct StandardStreamTests: ScriptTests {
    /// The beginning of a script in a new folder.
    ///
    /// In it, `nonblocking CMD...` makes CMD's standard streams non-blocking, with room for one page in its output.
    let preparation = #"""
        work=$(mktemp -d); trap 'rm -rf $work' EXIT; cd $work
        nonblocking() {
            python3 -c '
        import fcntl, os, sys
        for file in (0, 1): os.set_blocking(file, False)
        try: fcntl.fcntl(1, 1031, 4096)
        except OSError: pass
        os.execvp(sys.argv[1], sys.argv[1:])' "$@"
        }

        """#

    @Test("a secret is written completely to a non-blocking pipe with a slow reader")
    func writing() throws {
        try expect(
            #"""
            head -c 12000 /dev/zero | tr '\0' x | skr set big
            for scope in "" --scope=session; do
                (nonblocking skr get $scope big; echo $? >code) | (sleep 0.3; python3 -c '
            import os, time
            count = 0
            while piece := os.read(0, 4096): count += len(piece); time.sleep(0.01)
            print(count)'); cat code
            done
            """#, onlyPrints: "12000\n0\n12000\n0\n")
    }

    @Test("output that exceeds a non-blocking pipe's capacity is written completely")
    func more() throws {
        try expect(
            #"""
            head -c 12000 /dev/zero | tr '\0' x | skr set big
            (yes '{{ skr://big }}' | head -n 80 | nonblocking skr inject; echo $? >code) | (sleep 0.3; wc -c); cat code
            """#, onlyPrints: "960080\n0\n")
    }

    @Test("set, inject and helper wait for late input from a non-blocking pipe")
    func reading() throws {
        try expect(
            #"""
            (printf one; sleep 0.3; printf two) | nonblocking skr set api; skr get api; echo
            (sleep 0.2; printf 'a={{ skr://'; sleep 0.2; printf 'api }}\n') | nonblocking skr inject | cat
            (printf 'protocol=https\nhost=example.com\n'; sleep 0.2; printf 'username=a\npassword=p\n\n') | nonblocking skr helper git store
            printf 'protocol=https\nhost=example.com\n\n' | skr helper git get | grep -c ^password=p
            """#, onlyPrints: "onetwo\na=onetwo\n1\n")
    }

    @Test("a request can be longer than a page, and a secret as long as a key can hold")
    func long() throws {
        try expect(
            #"""
            long=$(head -c 8000 /dev/zero | tr '\0' x)
            printf 'protocol=https\nhost=example.com\nusername=a\npassword=%s\n\n' $long | skr helper git store
            printf 'protocol=https\nhost=example.com\n\n' | skr helper git get | wc -c
            head -c 32767 /dev/zero | skr set big 2>&1 | grep -c 'the most that a key can hold'
            head -c 32769 /dev/zero | skr set big 2>&1 | grep -c 'the most that a key can hold'
            """#, prints: "\("username=a\npassword=\n".utf8.count + 8_000)\n0\n1\n")
    }

    @Test(
        "an answer that can't be written is error 70",
        arguments: [
            "completions bash", "cached a --timeout 5m -- echo out", "list", "list --json", "list --all", "manual get",
            "manual --list", "help", "get api", "doctor", "helper status", "helper status --json", "inject",
            "helper npm api", "helper ansible --vault-id api",
        ])
    func fullDevice(verb: String) throws {
        let outcome = try expect(
            """
            printf x | skr set api; echo '{{ skr://api }}' >t; export HOME=$work
            skr \(verb) <t >file; [ -s file ] && echo answered; skr \(verb) <t >/dev/full; echo $?
            """, prints: "answered\n70\n")
        #expect(outcome.errors.hasSuffix("No space left on device\n"))
    }

    @Test("output to a file that can't grow is error 70, and commands start with default actions")
    func fileSize() throws {
        let outcome = try expect(
            #"""
            printf s3cret | skr set api; printf 'p={{ skr://api }}' >t
            limited() { (ulimit -f 0; "$@" >out); echo $?; }
            limited skr get api; limited skr get --scope=session api; limited skr inject -i t; limited skr list; cat out
            limited skr inject -i t -o file; ls file 2>/dev/null
            (ulimit -f 0; trap '' XFSZ; skr get api >out; echo $?)
            for verb in cached\ a\ --timeout\ 5m lock\ a\ --scope\ session exec\ --env\ A=skr://api; do
                skr $verb -- awk '/SigIgn|SigCgt|SigBlk/ { print $2 }' /proc/self/status
            done | while read -r mask; do echo $((0x$mask & 0x7FFFFFFF)); done | uniq -c | tr -s ' '
            """#, prints: "70\n70\n70\n70\n70\n70\n 9 0\n")
        // Signals 32 and 33 belong to the C library.
        let errors = outcome.errors.split(separator: "\n").filter { $0.hasPrefix("skr: error: ") }
        #expect(
            errors.count == 6 && errors.allSatisfy { $0.lowercased().hasSuffix("file too large") },
            "\(outcome)")
    }
}
