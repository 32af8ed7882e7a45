import Foundation
import TestSupport
import Testing

@Suite("skr exec")
struct ExecTests: ScriptTests {
    @Test("the command has the secrets in its environment, and the other variables are unchanged")
    func environment() throws {
        let outcome = try run(
            #"""
            printf tok3n | skr set api; printf '{"password":"pa ss","n":[7]}' | skr set db alice; printf '\377\001\n' | skr set --raw odd
            diff <(env -u _ | LC_ALL=C sort) <(skr exec --env TOKEN=skr://api --env P='skr://db?field=password' \
                --env N='skr://db/alice?field=n.0' -- env -u _ | LC_ALL=C sort)
            skr exec --env ODD=skr://odd -- sh -c 'printf %s "$ODD"' | od -An -tx1
            skr exec -- env -u _ | LC_ALL=C sort | cmp - <(env -u _ | LC_ALL=C sort) && echo same
            tr '\0' '\n' < /proc/$$/environ | grep -c '^TOKEN='
            """#)
        let lines = outcome.output.split(separator: "\n")
        #expect(Set(lines.filter { $0.hasPrefix("> ") }) == ["> TOKEN=tok3n", "> P=pa ss", "> N=7"])
        #expect(!lines.contains { $0.hasPrefix("< ") })
        #expect(lines.suffix(3) == [" ff 01 0a", "same", "0"])
        #expect(outcome.errors == "")
    }

    @Test("--env overrides files, later overrides earlier, and an overridden reference is not read")
    func precedence() throws {
        try expect(
            #"""
            for name in one two three; do printf $name | skr set $name; done
            export A=0 B=0 C=0 D=0 E=0
            skr exec --env D=skr://three --env E=skr://missing --env E=skr://two \
                --env-file <(printf 'A=skr://one\nB=skr://missing\nC="plain $A"\nD=skr://missing\n') \
                --env-file <(printf "export B='skr://two' # comment\n") -- bash -c 'echo $A, $B, $C, $D, $E'
            """#, onlyPrints: "one, two, plain $A, three, two\n")
    }

    @Test("an env file may have at most 1 MiB")
    func largeFile() throws {
        try expect(
            #"""
            file=$(mktemp); trap 'rm -f $file' EXIT; (echo A=1; yes '#' | head -c 1048572) > $file
            skr exec --env-file $file -- printenv A; echo >> $file; skr exec --env-file $file -- printenv A; echo $?
            """#, prints: "1\n65\n")
    }

    @Test("a variable that skr sets appears once, even if the environment had it twice")
    func once() throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("skr-test-\(UUID().uuidString)")
        try Data("A=new\n".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let outcome = try CommandRunner.spawn(
            ["exec", "--env-file", file.path, "--", "cat", "/proc/self/environ"],
            environment: ["A=old", "AB=1", "PATH=/usr/bin:/bin", "A=older"])
        #expect(outcome == "AB=1\0PATH=/usr/bin:/bin\0A=new\0")
    }

    @Test(
        "without /proc, the command gets only the intended variables",
        .tags(.root), .enabled(if: isRoot, "needs root to unmount /proc in its own namespace"))
    func noProc() throws {
        let outcome = try run(
            #"""
            printf s | skr set api
            unshare -m bash -c 'umount -l /proc; for option in "--env A=skr://api" --env=A=skr://api; do
                skr exec $option -- env | grep -E "^(A|SWIFT_ROOT)="; done; skr exec --env A=skr://none -- echo started; echo $?'
            """#)
        // Only the installed, static executable can start there.
        let isStatic = ProcessInfo.processInfo.environment["SKR_TEST_EXECUTABLE"] != nil
        #expect(!isStatic || outcome.output == "A=s\nA=s\n1\n")
        #expect(!outcome.output.contains("SWIFT_ROOT"))
    }

    @Test("skr becomes the command: same process, same exit code, unchanged words")
    func replaces() throws {
        let outcome = try run(
            #"""
            printf s | skr set api
            skr exec --env A=skr://api -- sh -c 'echo $$' & wait $!; echo $!
            skr exec --env A=skr://api -- bash -c 'exit 42'; echo $?
            skr exec --env A=skr://api -- bash -c 'kill -TERM $$'; echo $?
            skr exec --env A=skr://api -- printf '[%s]' --env -- '' --help -h 'a b' $'\377'  | od -An -c | tr -d ' \n'; echo
            skr exec --namespace "$SKR_NAMESPACE" --scope=session --env=A=skr://api -- printf '[%s]' --help $'\377' | od -An -c | tr -d ' \n'
            """#)
        let lines = outcome.output.split(separator: "\n")
        #expect(Set(lines.prefix(2)).count == 1, "\(lines)")
        #expect(lines.dropFirst(2) == ["42", "143", "[--env][--][][--help][-h][ab][377]", "[--help][377]"])
    }

    @Test("a script without an interpreter line runs as from a shell, and PATH is searched in order")
    func path() throws {
        try expect(
            #"""
            work=$(mktemp -d); trap 'rm -rf $work' EXIT; mkdir $work/a $work/b
            echo 'echo not executable' > $work/a/tool; echo 'echo "b $1"' > $work/b/tool; chmod +x $work/b/tool
            PATH=$work/a:$work/b:$PATH skr exec -- tool x
            """#, onlyPrints: "b x\n")
    }

    @Test("signal actions and mask are unchanged, and no signal is pending")
    func signals() throws {
        try expect(
            #"""
            printf s | skr set api; eval "$SIGNALS"
            for ignored in '' PIPE 'INT QUIT PIPE' 'TERM HUP SEGV ABRT USR1 CHLD'; do
                for start in 'skr exec --env A=skr://api --' 'skr exec --env=A=skr://api --' 'skr session --'; do
                    (for signal in $ignored; do trap '' $signal; done
                    cmp <(grep ^Sig /proc/self/status | signals) <($start grep ^Sig /proc/self/status | signals) && echo same)
                done
            done
            skr exec --env A=skr://api -- sh -c 'kill -INT $$'; echo $?
            skr exec --env A=skr://api -- sh -c 'kill -PIPE $$'; echo $?
            trap '' PIPE; skr exec --env A=skr://api -- sh -c 'kill -PIPE $$; echo alive'
            """#, environment: ["SIGNALS": CommandRunner.signals],
            prints: String(repeating: "same\n", count: 12) + "130\n141\nalive\n")
    }

    @Test("no descriptor stays open in the command, except for its files")
    func descriptors() throws {
        try expect(
            #"""
            printf s | skr set api; before=$(ls /proc/self/fd | wc -l)
            count() { echo $(($("$@" ls /proc/self/fd | wc -l) - before)); }
            count skr exec --env A=skr://api --env-file <(echo B=1) --; count skr exec --env=A=skr://api --
            count skr session --; count skr session --name skr-test-$$ --; count skr exec --file A=skr://api --file B=skr://api --
            """#, prints: "1\n0\n0\n0\n2\n")
    }

    @Test("--file passes a sealed file that can be read repeatedly")
    func files() throws {
        let outcome = try run(
            #"""
            printf 'a\0b\n' | skr set --raw key; skr set --allow-empty empty < /dev/null
            skr exec --env A=skr://key -- echo started; echo $?
            skr exec --file KEY=skr://key --file NONE=skr://empty -- bash -c '
                [[ $KEY =~ ^/proc/self/fd/([0-9]+)$ ]] && ((BASH_REMATCH[1] > 2)) && echo path
                cat $KEY | od -An -c; (cat $KEY) | od -An -c; cat <&${BASH_REMATCH[1]} | od -An -c; wc -c < $NONE
                { echo x > $KEY; } 2>/dev/null || echo sealed; truncate -s 1 $KEY 2>/dev/null || echo sealed
                { echo x >> $KEY; } 2>/dev/null || echo sealed; $KEY 2>/dev/null || echo no program; readlink $KEY; cat $KEY | wc -c'
            skr exec --file KEY=skr://key -- sh -c 'cat "$KEY"' <&- 2>&- | wc -c
            skr exec --file KEY=skr://key -- sh -c 'stat -Lc %a "$KEY"'
            skr exec --file KEY=skr://key -- bash -c '((${KEY##*/} > 2)) && echo above; [[ -e /proc/self/fd/0 ]] || echo closed' <&-
            """#)
        let content = "   a  \\0   b  \\n\n"
        #expect(
            outcome.output == "65\npath\n" + content + content + content + "0\n"
                + "sealed\nsealed\nsealed\nno program\n/memfd:skr (deleted)\n4\n4\n400\nabove\nclosed\n")
        #expect(outcome.errors.contains("skr: error: key: the secret has a NUL byte, which a variable can't hold\n"))
        #expect(outcome.errors.contains("skr: hint: pass it as a file: skr exec --file A=skr://..."))
    }

    @Test("short, long and joined spellings have the same effect")
    func shortCuts() throws {
        try expect(
            #"""
            printf one | skr set a; printf two | skr set .b-c_9; printf 3 | skr set d al; skr set --allow-empty e < /dev/null; printf 'x\0' | skr set --raw nul
            head -c 9000 /dev/zero | tr '\0' y | skr set big; export A=old AA=1
            run() { "$@" -- sh -c 'printf "%s|" "$A" "$AA" "$B" | cksum'; echo $?; }
            for words in A=skr://a "A=skr://.b-c_9 B=skr://a" A=skr://d/al A=skr://d A=skr://e A=skr://nul A=skr://none \
                "A=skr://a A=skr://d" "A=skr://big B=skr://big" A=skr://d/none AA=skr://a A=skr://%61 A=skr://a/ _=skr://a; do
                early=(skr exec); plain=(skr exec --namespace "$SKR_NAMESPACE"); parsed=(skr exec --scope=session)
                for word in $words; do
                    early+=(--env $word); plain+=(--env $word); parsed+=(--env $word)
                done
                run "${early[@]}" >/tmp/$SKR_NAMESPACE.1 2>&1; run "${plain[@]}" >/tmp/$SKR_NAMESPACE.2 2>&1
                run "${parsed[@]}" >/tmp/$SKR_NAMESPACE.3 2>&1; tail -n1 /tmp/$SKR_NAMESPACE.1 | tr '\n' ' '
                for way in 2 3; do cmp /tmp/$SKR_NAMESPACE.1 /tmp/$SKR_NAMESPACE.$way; done
            done; rm -f /tmp/$SKR_NAMESPACE.*
            """#, onlyPrints: "0 0 0 0 0 65 1 0 0 1 0 0 64 0 ")
    }

    @Test("scope and namespace can come from options and from the environment")
    func places() throws {
        try expect(
            #"""
            printf 1 | skr set a --namespace "$SKR_NAMESPACE-one"
            skr exec --namespace "$SKR_NAMESPACE-one" --env A=skr://a -- sh -c 'echo $A'
            SKR_NAMESPACE=$SKR_NAMESPACE-one skr exec --env A=skr://a --scope session -- sh -c 'echo $A'
            skr exec --env A=skr://a -- sh -c 'echo $A'; echo $?; SKR_SCOPE=nowhere skr exec -- echo started; echo $?
            """#, prints: "1\n1\n1\n64\n")
    }
}

extension CommandRunner {
    /// A shell function that shows the signals of a `/proc/PID/status`, except for two that the C library uses.
    ///
    /// The library's `posix_spawn` leaves both ignored, and its first thread takes one of them.
    static let signals = #"""
        signals() {
            while read -r name mask; do
                [[ $name == Sig@(Pnd|Blk|Ign|Cgt): ]] && printf '%s %x\n' $name $((16#$mask & ~(3 << 31)))
            done
        }

        """#
}
