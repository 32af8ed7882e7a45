import Foundation
import TestSupport
import Testing

@Suite("skr inject -o")
struct InjectedFileTests: ScriptTests {
    /// The beginning of a script in a new folder, with a stored secret.
    let preparation = #"""
        umask 0; work=$(mktemp -d); cd $work; trap 'rm -rf $work' EXIT; chmod 777 $work; printf s3cret | skr set api
        fill() { echo 'p={{ skr://api }}' | skr inject "$@"; }; lack() { echo 'p={{ skr://none }}' | skr inject "$@" 2>/dev/null; }
        mode() { stat -c %a "$1"; }

        """#

    @Test("a new file is only for its owner, an old one keeps its mode, and both are complete")
    func modes() throws {
        try expect(
            #"""
            fill -o new; cat new; mode new; echo old > old; chmod 640 old; fill --output old; cat old; mode old
            printf 'not writable' > locked; chmod 400 locked; fill -o locked; cat locked; mode locked; ls -A
            fill -o "$(printf 'a b\n\303\251')"; cat a*; echo 'x {{ skr://api }}' > self; skr inject -i self -o self; cat self
            """#, onlyPrints: "p=s3cret\n600\np=s3cret\n640\np=s3cret\n400\nlocked\nnew\nold\np=s3cret\nx s3cret\n")
    }

    @Test("after any failure, the file is unchanged and no other file is left")
    func failures() throws {
        let outcome = try expect(
            #"""
            echo old > file; before=$(stat -c '%i %a %Y' file); lack -o file; echo $?; lack -o none; echo $?
            (ulimit -f 0; trap '' XFSZ; yes '{{ skr://api }}' | head -c 90000 | skr inject -o file 2>/dev/null; echo $?)
            [[ $before = "$(stat -c '%i %a %Y' file)" ]] && cat file; ls -A
            fill -o . ; echo $?; fill -o no/such; echo $?; fill -o ""; echo $?; fill -o file/x; echo $?; fill -o new/; echo $?
            ln -s loop loop; fill -o loop; echo $?; ls -A
            """#, prints: "1\n1\n70\nold\nfile\n64\n64\n64\n64\n64\n64\nfile\nloop\n")
        let lines = outcome.errors.split(separator: "\n")
        #expect(lines.contains("skr: error: can't write 'new/': is a directory"))
        #expect(
            lines.count == 12
                && lines.allSatisfy { $0.hasPrefix("skr: error: can't write '") || $0.hasPrefix("skr: hint:") })
    }

    @Test("a link is followed from folder to folder, even to a file that does not exist yet")
    func links() throws {
        try expect(
            #"""
            mkdir a b; echo old > b/file; chmod 604 b/file; ln -s ../b/file a/one; ln -s $work/a/one two; fill -o two
            cat b/file; mode b/file; readlink two a/one | sed "s|$work|.|"; ln -s ../b/new a/new; fill -o a/new; cat b/new; mode b/new
            ls -A a b; cd a; ln -s $'/\u0301/x' odd; fill -o odd 2>/dev/null; echo $?
            ln -s $'\377' bytes; fill -o bytes 2>/dev/null; echo $?
            """#,
            prints: "p=s3cret\n604\n./a/one\n../b/file\np=s3cret\n600\na:\nnew\none\n\nb:\nfile\nnew\n64\n64\n")
    }

    @Test("a FIFO and a device are written directly")
    func direct() throws {
        try expect(
            #"""
            mkfifo fifo; timeout 30 cat fifo & fill -o fifo; wait; fill -o /dev/null; [[ -c /dev/null && -p fifo ]] && echo there
            fill -o >(cat > out; echo > end) && for ((i = 0; i < 600; i++)); do [[ -e end ]] && break; sleep 0.05; done; cat out; fill -o /dev/stdout | cat
            """#, onlyPrints: "p=s3cret\nthere\np=s3cret\np=s3cret\n")
    }

    @Test("'-' is standard output or input, and -o /dev/stdout does not replace an open file")
    func standardOutput() throws {
        let outcome = try expect(
            #"""
            echo 'p={{ skr://api }}' > t; skr inject -i t -o -; fill -i - -o - | cat; ls; echo log > log
            skr inject -i t -o /dev/stdout >> log; echo $?; cat log; skr inject -i t -o /dev/full; echo $?
            skr inject -i t -o new <&-; cat new
            """#, prints: "p=s3cret\np=s3cret\nt\n64\nlog\n70\np=s3cret\n")
        #expect(outcome.errors.contains("hint: leave out -o for standard output, or name the file itself\n"))
        #expect(
            outcome.errors.hasSuffix("hint: the file may have part of the text; fix the cause, and run skr again\n")
        )
    }

    @Test(
        "skr respects the kernel's protection against other users' links and FIFOs",
        .tags(.root), .enabled(if: Self.areProtected, "fs.protected_symlinks and fs.protected_fifos are off"))
    func protected() throws {
        try expect(
            #"""
            chmod 1777 $work; other=(setpriv --reuid 60432 --regid 60432 --clear-groups)
            "${other[@]}" ln -s $work/victim plant; "${other[@]}" mkfifo -m 666 fifo; "${other[@]}" cat fifo &
            fill -o plant; echo $?; fill -o fifo; echo $?; kill $!
            ls victim 2>&1 | wc -l
            """#, prints: "77\n77\n1\n")
    }

    @Test(
        "in a sticky folder, root does not replace another user's file or give it the secrets",
        .tags(.root), .enabled(if: isRoot, "needs root to write as another user"))
    func sticky() throws {
        let outcome = try expect(
            #"""
            chmod 1777 $work; other=(setpriv --reuid 60443 --regid 60443 --clear-groups)
            "${other[@]}" bash -c 'echo theirs > file'; ln -s file link; echo mine > own
            fill -o file; echo $?; fill -o link; echo $?; stat -c %u file; cat file; fill -o own; echo $?; cat own
            mkdir -m 1755 closed; echo theirs > closed/file; chown 60443 closed/file; fill -o closed/file; echo $?
            """#, prints: "77\n77\n60443\ntheirs\n0\np=s3cret\n0\n")
        let lines = outcome.errors.split(separator: "\n")
        #expect(
            lines.first
                == "skr: error: can't write 'file': it belongs to user 60443, and others can write to its folder")
        #expect(lines.dropFirst().first == "skr: hint: delete the file first, or name one in your own folder")
    }

    private static let areProtected =
        geteuid() == 0
        && ["symlinks", "fifos"].allSatisfy { name in
            (try? String(contentsOfFile: "/proc/sys/fs/protected_\(name)", encoding: .utf8))?.first.map { $0 != "0" }
                == true
        }

    @Test("the text is never in a file with another name, even if skr is killed")
    func unnamed() throws {
        try checkKills(40)
    }

    @Test("the text is never in a file with another name after many kills", .tags(.long))
    func neverNamed() throws {
        try checkKills(150)
    }

    private func checkKills(_ count: Int) throws {
        try expect(
            #"""
            # A subshell that is killed before it becomes skr would run the trap.
            trap - EXIT; yes '{{ skr://api }}' | head -n 2000 > t
            # Each kill comes at a random time of a run, in microseconds.
            start=${EPOCHREALTIME/[.,]/}; skr inject -i t -o file; took=$((${EPOCHREALTIME/[.,]/} - start))
            ((took < 200000)) || took=200000
            for ((n = 0; n < \#(count); n++)); do
                echo old > file; delay=$((SRANDOM % took))
                skr inject -i t -o file & sleep $((delay / 1000000)).$(printf %06d $((delay % 1000000)))
                kill -TERM $! 2> /dev/null; wait $! 2> /dev/null
                lines=$(wc -l < file); [[ $lines = 1 || $lines = 2000 ]] || echo torn
            done; ls -A; rm -rf $work
            """#, prints: "file\nt\n")
    }

    @Test(
        "the owner is kept if that is allowed, and a group that can't be kept gets no access",
        .tags(.root), .enabled(if: isRoot, "needs root to give files to other users"))
    func owners() throws {
        let outcome = try expect(
            #"""
            echo old > file; chown 60430:60431 file; chmod 664 file; fill -o file; stat -c '%u:%g %a' file; cat file
            as() { setpriv --reuid 60430 --regid 60430 --clear-groups "$@"; }
            printf 'plain' > t; as skr inject -i t -o file; stat -c '%u:%g %a' file; cat file; echo
            for owner in 60431:60430 60430:60431; do
                echo old > other; chown $owner other; chmod 775 other; as skr inject -i t -o other; stat -c '%u:%g %a' other
            done
            mkdir -m 755 mine; echo old > mine/file; as skr inject -i t -o mine/file; echo $?; cat mine/file
            mkdir -m 733 blind; as skr inject -i t -o blind/file; echo $?; cat blind/file; echo
            """#,
            prints:
                "60430:60431 664\np=s3cret\n60430:60430 604\nplain\n60430:60430 775\n60430:60430 705\n77\nold\n0\nplain\n"
        )
        #expect(outcome.errors.hasPrefix("skr: error: can't write 'mine/file': permission denied\n"))
    }

    @Test(
        "a file system without unnamed files is refused, and a mounted file is unchanged",
        .tags(.root), .enabled(if: isRoot, "needs root to mount in its own namespace"))
    func fileSystems() throws {
        let outcome = try expect(
            #"""
            echo old > file; export -f fill
            unshare -m bash -c 'touch other; mount --bind other file; fill -o file; echo $?; cat file'; cat file; ls -A
            fill -o /dev/pts/none; echo $?
            mkdir closed; unshare -m bash -c 'mount -t tmpfs -o ro none closed; fill -o closed/file; echo $?'
            """#, prints: "70\nold\nfile\nother\n70\n77\n")
        #expect(
            outcome.errors.contains(
                "skr: error: can't write '/dev/pts/none': its file system doesn't support files without a name\n"))
        #expect(outcome.errors.contains("skr: error: can't write 'file': device or resource busy\n"))
    }

    @Test("readers see the old text or the new text while many processes write")
    func readers() throws {
        try checkReaders(reads: 40, writesOfEach: 8)
    }

    @Test("readers see the old text or the new text for many writes", .tags(.long))
    func manyReaders() throws {
        try checkReaders(reads: 200, writesOfEach: 40)
    }

    private func checkReaders(reads: Int, writesOfEach writes: Int) throws {
        try expect(
            #"""
            yes old | head -n 2000 > file; yes '{{ skr://api }}' | head -n 2000 > t
            for i in 1 2 3; do (for ((n = 0; n < \#(writes); n++)); do skr inject -i t -o file; done) & done
            for ((n = 0; n < \#(reads); n++)); do sort -u file | wc -l; done | sort | uniq -c | tr -s ' '
            wait; wc -l < file; ls -A
            """#, onlyPrints: " \(reads) 1\n2000\nfile\nt\n")
    }
}
