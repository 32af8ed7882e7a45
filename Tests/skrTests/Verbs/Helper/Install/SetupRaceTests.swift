import CTestFilters
import Foundation
import TestSupport
import Testing

/// Changes that other programs make after skr has read a file and before skr replaces it.
@Suite("skr helper install while other programs write")
struct SetupRaceTests {
    /// Puts a `git` first in PATH that runs `command` when skr lets it parse a text for the `number`th time.
    static func interposing(_ command: String, atRead number: Int) -> String {
        #"""
        mkdir own; : > reads; cat > own/git <<END
        #!/bin/sh
        case "\$*" in *"--file -"*) cd "$work"; echo >> reads; [ "\$(wc -l < reads)" != \#(number) ] || { \#(command); } ;; esac
        exec "$(command -v git)" "\$@"
        END
        chmod +x own/git; export PATH=$work/own:$PATH

        """#
    }

    /// Replaces git's file with one of the same size, before skr compares the edit with it.
    static let replaced = #"""
        echo '[a]' > home/.gitconfig; chmod 600 home/.gitconfig
        """# + "\n" + interposing("echo '[b]' > new; chmod 600 new; mv new home/.gitconfig", atRead: 2) + check

    private static let check = #"""
        skr helper install git --write-config > log
        head -n 1 home/.gitconfig; stat -c %a home/.gitconfig; grep -c 'helper = skr' home/.gitconfig
        [ $(wc -l < reads) -gt 3 ] && echo again; ls -A home
        """#

    @Test(
        "changes that another program makes meanwhile are kept, and our entry is added",
        arguments: [
            ("chmod 640 home/.gitconfig", "[a]\n640"), ("echo '[c]' > home/.gitconfig", "[c]\n600"),
            ("echo '# d' >> home/.gitconfig", "[a]\n600"),
        ])
    func changed(command: String, kept: String) throws {
        let outcome = try HelperInstallTests.run(
            "echo '[a]' > home/.gitconfig; chmod 600 home/.gitconfig\n"
                + Self.interposing(command, atRead: 2) + Self.check)
        #expect(
            outcome == .init(exitCode: 0, output: "\(kept)\n1\nagain\n.gitconfig\n.local\n", errors: ""),
            "\(outcome)")
    }

    @Test("if another program replaces the file meanwhile, the new file gets our entry")
    func replacing() throws {
        let outcome = try HelperInstallTests.run(Self.replaced)
        #expect(
            outcome == .init(exitCode: 0, output: "[b]\n600\n1\nagain\n.gitconfig\n.local\n", errors: ""),
            "\(outcome)")
    }

    @Test("uninstall does not delete a file that another program has extended meanwhile")
    func deleting() throws {
        let outcome = try HelperInstallTests.run(
            "skr helper install git --write-config > log\n"
                + Self.interposing("echo '[user]' >> home/.gitconfig", atRead: 1)
                + "skr helper uninstall git --write-config > log; head -n 1 log; cat home/.gitconfig; ls -A home")
        #expect(
            outcome
                == .init(
                    exitCode: 0, output: "removed the helper from ~/.gitconfig\n[user]\n.gitconfig\n.local\n",
                    errors: ""), "\(outcome)")
    }

    @Test("the folder is not locked while skr prepares the edit")
    func unlocked() throws {
        let outcome = try HelperInstallTests.run(
            "echo '[a]' > home/.gitconfig\n" + Self.interposing("flock -n home echo free > said", atRead: 2)
                + "skr helper install git --write-config > log; cat said")
        #expect(outcome == .init(exitCode: 0, output: "free\n", errors: ""), "\(outcome)")
    }

    /// Creates docker's file while an install, which has found no file, waits for the lock on the folder.
    static let appearing = #"""
        for attempt in {1..20}; do
            rm -rf home/.docker; mkdir home/.docker; exec 7< home/.docker; flock -x 7
            skr helper install docker --write-config > log 2>&1 7<&- & pid=$!
            # An install blocks all signals during its last step.
            until cat /proc/$pid/task/*/status 2> /dev/null | grep -q '^SigBlk:.*fffffff' || ! kill -0 $pid 2> /dev/null
            do sleep 0.01; done
            (set -C; echo '{"a":1}' > home/.docker/config.json) 2> /dev/null; code=$?
            exec 7<&-; wait $pid
            [ $code = 0 ] && break
        done
        jq -c . home/.docker/config.json; ls -A home/.docker
        """#
    static let appeared = "{\"credsStore\":\"skr\",\"a\":1}\nconfig.json\n"

    @Test("an install keeps a file that another program creates while it waits for the lock")
    func appearingFile() throws {
        let outcome = try HelperInstallTests.run(Self.appearing)
        #expect(outcome.output == Self.appeared, "\(outcome)")
    }

    /// Runs an install under a file size limit that is too small for the new file.
    static let limited = #"""
        mkdir home/.docker; f=home/.docker/config.json
        { printf '{"a":"'; head -c 6000 /dev/zero | tr '\0' x; printf '"}'; } > $f; cp $f before
        (ulimit -f 4; skr helper install docker --write-config 2>&1 > log | head -n 1 | shown); cmp before $f; ls -A home/.docker
        """#
    static let tooLarge = "skr: error: can't write 'W/home/.docker/config.json': file too large\nconfig.json\n"

    @Test("a file that can't be written completely stays unchanged")
    func incomplete() throws {
        let outcome = try HelperInstallTests.run(Self.limited)
        #expect(outcome == .init(exitCode: 0, output: Self.tooLarge, errors: ""), "\(outcome)")
    }

    @Test("without O_TMPFILE and RENAME_EXCHANGE, files are replaced just as safely")
    func plainFileSystem() async {
        await #expect(processExitsWith: .exitCode(0)) {
            succeed(3, test_filter_install(-6, EINVAL) == 0)
            let replaced = try HelperInstallTests.run(SetupRaceTests.replaced)
            succeed(4, replaced.output == "[b]\n600\n1\nagain\n.gitconfig\n.local\n")
            let appeared = try HelperInstallTests.run(SetupRaceTests.appearing)
            succeed(5, appeared.output == SetupRaceTests.appeared)
            let limited = try HelperInstallTests.run(SetupRaceTests.limited)
            succeed(6, limited.output == SetupRaceTests.tooLarge)
            let new = try HelperInstallTests.run(
                "skr helper install docker --write-config > log; stat -c %a home/.docker/config.json")
            succeed(7, new.output == "600\n")
            exit(0)
        }
    }

    @Test("if install can never replace a file, it exits with 75 and leaves the file unchanged")
    func untakeable() async {
        await #expect(processExitsWith: .exitCode(0)) {
            succeed(3, test_filter_install(-6, ENOENT) == 0)
            let outcome = try HelperInstallTests.run(
                #"""
                mkdir home/.docker; echo '{"a":1}' > home/.docker/config.json
                skr helper install docker --write-config > log; echo $?; cat home/.docker/config.json; ls -A home/.docker
                """#)
            succeed(4, outcome.output == "75\n{\"a\":1}\nconfig.json\n")
            succeed(5, outcome.errors.contains("other programs keep changing"))
            exit(0)
        }
    }

    @Test(
        "a file whose group can't be kept stays unchanged, and a new file belongs to its creator",
        .enabled(if: geteuid() == 0, "becomes another user"))
    func otherGroup() throws {
        let outcome = try HelperInstallTests.run(
            """
            chmod 755 .; mkdir own; cp "$skr" own/skr; echo '[a]' > home/.gitconfig
            chown 60448:60449 home/.gitconfig; chown 60449:60448 home; chmod 775 home
            as() { setpriv --reuid 60448 --regid 60448 --clear-groups "$@"; }
            as own/skr helper install git --write-config 2>&1 > log | head -n 1 | shown
            cat home/.gitconfig; stat -c %u:%g home/.gitconfig
            rm home/.gitconfig; as own/skr helper install git --write-config > log; echo $?; stat -c %u:%g home/.gitconfig
            """)
        #expect(
            outcome.output == """
                skr: error: can't write 'W/home/.gitconfig': operation not permitted
                [a]
                60448:60449
                0
                60448:60448

                """, "\(outcome)")
    }
}
