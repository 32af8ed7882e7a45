import CTestFilters
import Foundation
import TestSupport
import Testing

/// What other programs do between the moment when a file is read and the moment when it is replaced.
@Suite("skr helper install, while other programs write")
struct SetupRaceTests {
    /// Puts a `git` first in PATH that runs a command when skr has it read a text for the time of this number.
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

    /// Replaces git's file by one of the same size, before the edit is compared with it.
    static let replaced = #"""
        echo '[a]' > home/.gitconfig; chmod 600 home/.gitconfig
        """# + "\n" + interposing("echo '[b]' > new; chmod 600 new; mv new home/.gitconfig", atRead: 2) + check

    private static let check = #"""
        skr helper install git --write-config > log
        head -n 1 home/.gitconfig; stat -c %a home/.gitconfig; grep -c 'helper = skr' home/.gitconfig
        [ $(wc -l < reads) -gt 3 ] && echo again; ls -A home
        """#

    @Test(
        "what another program changes meanwhile stays, and our entry is added to it",
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

    @Test("a file that another program puts in its place meanwhile gets our entry")
    func replacing() throws {
        let outcome = try HelperInstallTests.run(Self.replaced)
        #expect(
            outcome == .init(exitCode: 0, output: "[b]\n600\n1\nagain\n.gitconfig\n.local\n", errors: ""),
            "\(outcome)")
    }

    @Test("uninstall deletes no file that another program has added to meanwhile")
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

    @Test("the folder is free for others while the edit is made")
    func unlocked() throws {
        let outcome = try HelperInstallTests.run(
            "echo '[a]' > home/.gitconfig\n" + Self.interposing("flock -n home echo free > said", atRead: 2)
                + "skr helper install git --write-config > log; cat said")
        #expect(outcome == .init(exitCode: 0, output: "free\n", errors: ""), "\(outcome)")
    }

    /// Makes docker's file while an install waits for the folder, after it has found none.
    static let appearing = #"""
        for attempt in {1..20}; do
            rm -rf home/.docker; mkdir home/.docker; exec 7< home/.docker; flock -x 7
            skr helper install docker --write-config > log 2>&1 7<&- & pid=$!
            # In the last step all signals are blocked.
            until cat /proc/$pid/task/*/status 2> /dev/null | grep -q '^SigBlk:.*fffffff' || ! kill -0 $pid 2> /dev/null
            do sleep 0.01; done
            (set -C; echo '{"a":1}' > home/.docker/config.json) 2> /dev/null; code=$?
            exec 7<&-; wait $pid
            [ $code = 0 ] && break
        done
        jq -c . home/.docker/config.json; ls -A home/.docker
        """#
    static let appeared = "{\"credsStore\":\"skr\",\"a\":1}\nconfig.json\n"

    @Test("a file that another program makes while an install waits for the folder is kept")
    func appearingFile() throws {
        let outcome = try HelperInstallTests.run(Self.appearing)
        #expect(outcome.output == Self.appeared, "\(outcome)")
    }

    /// A file that is too large for the limit of this process.
    static let limited = #"""
        mkdir home/.docker; f=home/.docker/config.json
        { printf '{"a":"'; head -c 6000 /dev/zero | tr '\0' x; printf '"}'; } > $f; cp $f before
        (ulimit -f 4; skr helper install docker --write-config 2>&1 > log | head -n 1 | shown); cmp before $f; ls -A home/.docker
        """#
    static let tooLarge = "skr: error: can't write 'W/home/.docker/config.json': file too large\nconfig.json\n"

    @Test("a file that can't be written in full stays as it is")
    func incomplete() throws {
        let outcome = try HelperInstallTests.run(Self.limited)
        #expect(outcome == .init(exitCode: 0, output: Self.tooLarge, errors: ""), "\(outcome)")
    }

    @Test("the same is true on a file system without nameless files and without exchange")
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

    @Test("a file whose place can't be taken, however often, is left alone, and that is told")
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
        "a file whose group can't be kept stays as it is; a new one in another user's folder is its maker's",
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
