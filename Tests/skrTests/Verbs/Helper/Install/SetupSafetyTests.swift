import CTestFilters
import Foundation
import TestSupport
import Testing

/// Sets up git and docker next to other processes, as root for another user, and with unusual files.
@Suite("skr helper install, safely")
struct SetupSafetyTests {
    private func run(_ script: String) throws -> CommandRunner.Outcome { try HelperInstallTests.run(script) }

    @Test(
        "git: uninstall restores the file byte for byte",
        arguments: [
            "", "[user]\\n\\tname = x", "[user]\\n\\tname = x\\n", "# c\\r\\n[user]\\r\\n\\tname = x\\r\\n",
            "[a]\\n\\tb = c\\r",
            "[credential]\\n\\thelper = store\\n", "[Credential]\\nhelper=store", "[credential]\\n", "\\n\\n",
            "[a]\\n\\tb = \"c ; d\"  ; e\\n\\tc = x\\\\\\n y\\n[credential \"https://h\"]\\n\\thelper = skr\\n",
        ])
    func roundTrip(text: String) throws {
        let outcome = try run(
            """
            printf '\(text)' > home/.gitconfig; chmod 640 home/.gitconfig; cp home/.gitconfig before
            skr helper install git --write-config > /dev/null 2>&1; git config --get-all credential.helper | tail -n 1; stat -c %a home/.gitconfig
            skr helper install git --timeout 8h --write-config > /dev/null 2>&1; git config --get-all credential.helper | tail -n 1
            skr helper uninstall git --write-config > /dev/null; cmp before home/.gitconfig; stat -c %a home/.gitconfig; ls -A home
            """)
        #expect(outcome.output == "skr\n640\nskr --timeout 8h\n640\n.gitconfig\n.local\n", "\(outcome)")
    }

    @Test("git: no empty file remains, and git's other file is used if it exists")
    func gitFiles() throws {
        let outcome = try run(
            """
            cycle() { skr helper install git --write-config > log; find home -name '*config' -type f; skr helper uninstall git --write-config > log; find home -name '*config' -type f; }
            cycle; mkdir -p home/.config/git; echo '[a]' > home/.config/git/config; cycle; export GIT_CONFIG_GLOBAL=$HOME/x.config; cycle
            """)
        #expect(
            outcome.output == """
                home/.gitconfig
                home/.config/git/config
                home/.config/git/config
                home/.config/git/config
                home/x.config
                home/.config/git/config

                """, "\(outcome)")
    }

    @Test("git: if git reads two files, the one with our helper is changed")
    func twoFiles() throws {
        let outcome = try run(
            """
            mkdir -p home/.config/git; echo '[a]' > home/.config/git/config; skr helper install git --write-config > log 2>&1
            printf '[user]\\n\\tname = x\\n' > home/.gitconfig; cp home/.gitconfig before
            skr helper install git --write-config 2> errors | tail -n 1; git config --get-all credential.helper
            skr helper uninstall git --write-config > log; git config --get-all credential.helper; cmp home/.gitconfig before
            skr helper install git --write-config > log 2>&1; grep -c skr home/.gitconfig home/.config/git/config
            printf '[credential]\\n\\thelper = skr\\n' > home/.config/git/config; printf '[credential]\\n\\thelper =\\n' > home/.gitconfig
            skr helper install git --write-config > log 2>&1; git config --get-all credential.helper | tail -n 1
            """)
        #expect(
            outcome.output == """
                git is already set up in ~/.config/git/config
                skr
                home/.gitconfig:1
                home/.config/git/config:0
                skr

                """,
            "\(outcome)")
    }

    @Test(
        "git: a line that the user wrote stays",
        arguments: ["helper=skr", "helper = \\\"skr\\\"", " helper = skr ; mine"])
    func usersLine(line: String) throws {
        let outcome = try run(
            #"""
            printf '[credential]\n\#(line)\n' > home/.gitconfig; cp home/.gitconfig before; skr helper install git --write-config | grep -c 'already set up'
            skr helper uninstall git --write-config > /dev/null 2> errors; echo $?; cmp before home/.gitconfig; grep -c 'did not edit' errors
            skr helper install git --timeout 8h --write-config > /dev/null 2>&1; echo $?; cmp before home/.gitconfig
            """#)
        #expect(outcome == .init(exitCode: 0, output: "1\n65\n1\n65\n", errors: ""))
    }

    @Test(
        "git: an edit that would change another setting is refused",
        arguments: [
            ("install", #"[a]\n\tb = c\\"#),
            ("uninstall", #"[credential]\n\thelper = skr # mine\n\tx = a\\\n\thelper = skr\n"#),
        ])
    func otherMeaning(verb: String, text: String) throws {
        let outcome = try run(
            #"""
            printf '\#(text)' > home/.gitconfig; cp home/.gitconfig before
            skr helper \#(verb) git --write-config 2>&1 > log | head -n 1 | shown; echo ${PIPESTATUS[0]}; cmp before home/.gitconfig
            """#)
        #expect(
            outcome.output
                == "skr: error: did not edit 'W/home/.gitconfig': the edit would change more than its credential.helper\n65\n",
            "\(outcome)")
    }

    @Test("git: XDG_CONFIG_HOME is respected, and if two files have our helper, ~/.gitconfig changes")
    func otherFolder() throws {
        let outcome = try run(
            #"""
            mkdir -p xdg/git home/.config/git; echo '[a]' > xdg/git/config
            XDG_CONFIG_HOME=$work/xdg skr helper install git --write-config > log; grep -c skr xdg/git/config; find home -type f
            printf '[credential]\n\thelper = skr\n' | tee home/.gitconfig > home/.config/git/config
            skr helper uninstall git --write-config > log; head -n 1 log; find home -type f
            """#)
        #expect(
            outcome.output == "1\nremoved ~/.gitconfig, which contained nothing else\nhome/.config/git/config\n",
            "\(outcome)")
    }

    @Test("an unusable file is refused with the reason, and a file of exactly 1 MiB is accepted")
    func reasons() throws {
        let outcome = try run(
            #"""
            file=home/.docker/config.json; install() { skr helper install docker --write-config 2>&1 > log | head -n 1 | shown; }
            mkdir -p $file; install; rmdir $file; head -c 1048577 /dev/zero > $file; install
            { printf '{"a":"'; head -c 1048568 /dev/zero | tr '\0' x; printf '"}'; } > $file; stat -c %s $file; install; grep -c credsStore $file
            rm -r home/.docker; ln -s nowhere home/.docker; install; export DOCKER_CONFIG=/proc/none/x; install
            """#)
        let file = "'W/home/.docker/config.json'"
        #expect(
            outcome.output == """
                skr: error: did not edit \(file): it is not a regular file
                skr: error: did not edit \(file): it is larger than 1 MiB
                1048576
                1
                skr: error: can't write \(file): no such file or directory
                skr: error: can't create the folder '/proc/none': no such file or directory

                """, "\(outcome)")
    }

    @Test("git: a value of several lines is one value")
    func severalLines() throws {
        let outcome = try run(
            #"""
            git config --global credential.helper $'!f() {\nskr\n}; f'; skr helper status git | cut -f 3
            skr helper install git --write-config 2> /dev/null | tail -n 1; git config -z --get-all credential.helper | tr '\0' '|'; echo
            skr helper uninstall git --write-config > /dev/null; git config -z --get-all credential.helper | tr '\0' '|'
            """#)
        #expect(
            outcome.output
                == "other: a shell command\n      helper = skr\n!f() {\nskr\n}; f|skr|\n!f() {\nskr\n}; f|",
            "\(outcome)")
    }

    @Test(
        "a file with several hard links is refused",
        arguments: ["git .gitconfig '[a]'", "docker .docker/config.json '{}'"])
    func hardLinks(words: String) throws {
        let parts = words.split(separator: " ")
        let outcome = try run(
            """
            mkdir home/.docker; echo \(parts[2]) > home/\(parts[1]); ln home/\(parts[1]) other
            skr helper install \(parts[0]) --write-config 2>&1 > /dev/null | shown; cmp other home/\(parts[1]); stat -c %h other
            """)
        #expect(outcome.output.hasPrefix("skr: error: did not edit 'W/home/\(parts[1])': it has 2 hard links"))
        #expect(outcome.output.hasSuffix("\n2\n"))
    }

    @Test(
        "root keeps the owner and mode of another user's files, and gives new ones to that user",
        .enabled(if: geteuid() == 0))
    func owners() throws {
        let outcome = try run(
            """
            mkdir home/.docker; echo '[a]' > home/.gitconfig; echo '{}' > home/.docker/config.json; chmod 604 home/.gitconfig home/.docker/config.json
            chown -R 60495:60498 home; show() { stat -c '%n %u:%g %a' home/.gitconfig home/.docker/config.json; }
            for client in git docker; do skr helper install $client --write-config > /dev/null 2>&1; done; show
            grep -c skr home/.gitconfig home/.docker/config.json
            for client in git docker; do skr helper uninstall $client --write-config > /dev/null; done; show
            rm home/.gitconfig; skr helper install git --write-config > /dev/null; stat -c '%n %u:%g %a' home/.gitconfig
            chown 0:0 home/.gitconfig; skr helper uninstall git --write-config > /dev/null 2> errors; echo $?; grep -c 'chown --reference' errors; cat home/.gitconfig
            # In the home of root, files may belong to any user.
            chown 0:0 home; chown 60495:60498 home/.gitconfig; skr helper install git --timeout 8h --write-config > log
            stat -c '%u:%g' home/.gitconfig; grep -c 8h home/.gitconfig
            """)
        let kept = "home/.gitconfig 60495:60498 604\nhome/.docker/config.json 60495:60498 604\n"
        #expect(
            outcome.output
                == "\(kept)home/.gitconfig:1\nhome/.docker/config.json:1\n\(kept)home/.gitconfig 60495:60498 600\n77\n1\n[credential]\n\thelper = skr\n60495:60498\n1\n",
            "\(outcome)")
    }

    @Test("an ordinary user can change their own file in another user's folder", .enabled(if: geteuid() == 0))
    func foreignFolder() throws {
        let outcome = try run(
            """
            chmod 755 .; mkdir own; cp "$(command -v skr)" own/; echo '[a]' > home/.gitconfig
            chown 60495:60498 home/.gitconfig; chown 60494:60498 home; chmod 775 home
            setpriv --reuid 60495 --regid 60498 --clear-groups own/skr helper install git --write-config > /dev/null
            grep -c 'helper = skr' home/.gitconfig
            """)
        #expect(outcome.output == "1\n", "\(outcome)")
    }

    @Test("if the user can't enter the folder of skr's executable, install reports it", .enabled(if: geteuid() == 0))
    func closedFolder() throws {
        let outcome = try run(
            """
            mkdir -p closed/open home; cp "$(command -v skr)" closed/open/; chmod 700 closed; cd closed/open
            setpriv --reuid 60495 --regid 60498 --clear-groups ./skr helper install docker 2>&1 | sed "s|$work|W|"; echo ${PIPESTATUS[0]}
            """)
        #expect(
            outcome.output == """
                skr: error: 'W/closed/open/skr' is in a folder that you can't enter
                skr: hint: use an skr that is installed where your programs find it, such as /usr/local/bin
                77

                """, "\(outcome)")
    }

    @Test("if skr's executable was replaced, install creates no link to the removed file")
    func replacedProgram() throws {
        let outcome = try run(
            """
            cp "$(command -v skr)" gone; exec 9< gone; rm gone
            /proc/self/fd/9 helper install docker 2>&1 | cut -d ' ' -f 3-; echo ${PIPESTATUS[0]}
            """)
        #expect(outcome.output.contains("gone (deleted)' does not exist any more"), "\(outcome)")
        #expect(outcome.output.hasSuffix("\n75\n"))
    }

    @Test(
        "many installs at the same time add one entry, and none of them fails",
        arguments: ["git .gitconfig", "docker .docker/config.json"])
    func atOnce(words: String) throws {
        let parts = words.split(separator: " ")
        let outcome = try run(
            """
            for round in 1 2 3 4 5; do
                for n in 1 2 3 4 5 6 7 8; do (skr helper install \(parts[0]) --write-config > log.$n 2>&1 || { echo "failed: $?"; cat log.$n; }) & done; wait
                cat log.* | grep -c '^created the link'; grep -c skr home/\(parts[1]); ls -A home/\(parts[1].contains("/") ? ".docker" : "") | grep -c '^.skr'
                skr helper uninstall \(parts[0]) --write-config > /dev/null; ls home/\(parts[1]) 2> /dev/null
            done
            """)
        #expect(outcome.output == String(repeating: "1\n1\n0\n", count: 5), "\(outcome)")
    }

    @Test("a file whose mode changes while it is edited is read again, and keeps the new mode")
    func modeChanges() throws {
        let outcome = try run(
            #"""
            mkdir own; echo '[a]' > home/.gitconfig; chmod 600 home/.gitconfig
            cat > own/git <<END
            #!/bin/sh
            case "\$*" in *"--file -"*) [ -e "$PWD/once" ] || { : > "$PWD/once"; chmod 640 "$PWD/home/.gitconfig"; } ;; esac
            exec "$(command -v git)" "\$@"
            END
            chmod +x own/git; PATH=$PWD/own:$PATH skr helper install git --write-config > /dev/null
            stat -c %a home/.gitconfig; grep -c 'helper = skr' home/.gitconfig; ls once
            """#)
        #expect(outcome == .init(exitCode: 0, output: "640\n1\nonce\n", errors: ""), "\(outcome)")
    }

    @Test("another program's write is not lost, and our entry is never doubled", .tags(.long))
    func otherWriter() throws {
        let outcome = try run(
            """
            mkdir home/.docker; f=home/.docker/config.json; echo '{}' > $f
            (for n in $(seq 30); do jq ".n$n = 1" $f > home/.docker/new && mv home/.docker/new $f; done) & writer=$!
            setup() { while kill -0 $writer 2> /dev/null; do skr helper install docker --write-config > /dev/null 2>> errors; skr helper uninstall docker --write-config > /dev/null 2>> errors; done; }
            setup & setup & wait; jq -e '[.["n\\(range(1; 31))"]] | all(. == 1)' $f > /dev/null && echo written; grep -o credsStore $f | wc -l | grep -v '^[01]$'; ls -A home/.docker; grep -v 'keep changing\\|not set up\\|hint' errors | head
            """)
        #expect(outcome.output == "written\nconfig.json\n", "\(outcome)")
    }

    @Test("without unnamed files and exchanging renames, only the entry changes")
    func plainFileSystem() async {
        await #expect(processExitsWith: .exitCode(0)) {
            succeed(3, test_filter_install(-6, EINVAL) == 0)
            let outcome = try HelperInstallTests.run(
                #"""
                mkdir home/.docker; printf '[user]\n\tname = x' > home/.gitconfig; echo '{"a":1}' > home/.docker/config.json; cp home/.gitconfig g; cp home/.docker/config.json d
                both() { for client in git docker; do skr helper $1 $client --write-config > log 2>&1 || cat log; done; }
                both install; git config --global credential.helper; jq -r .credsStore home/.docker/config.json
                both uninstall; cmp home/.gitconfig g; cmp home/.docker/config.json d
                rm home/.gitconfig; skr helper install git --write-config > log 2>&1; git config --global credential.helper
                skr helper uninstall git --write-config > log 2>&1; ls -A home home/.docker | grep -v '^.local$'
                """#)
            succeed(4, outcome.output == "skr\nskr\nskr\nhome:\n.docker\n\nhome/.docker:\nconfig.json\n")
            exit(0)
        }
    }

    @Test("the next install removes drafts of killed ones, unless another process is changing a file")
    func orphan() throws {
        let outcome = try run(
            """
            mkdir home/.docker; echo '{"credsStore": "skr"}' > home/.docker/config.json; echo s3cret > home/.docker/.skr-setup-dead
            exec 7< home/.docker; flock -s 7; skr helper install docker --write-config | tail -n 1; ls -A home/.docker
            exec 7<&-; skr helper install docker --write-config | tail -n 1; ls -A home/.docker
            """)
        let isSetUp = "docker is already set up in ~/.docker/config.json\n"
        #expect(outcome.output == "\(isSetUp).skr-setup-dead\nconfig.json\n\(isSetUp)config.json\n", "\(outcome)")
    }

    @Test(
        "a killed install leaves the old or the new file, and the next run removes any copy",
        .tags(.long), arguments: ["TERM", "INT", "HUP", "KILL"])
    func killed(signal: String) throws {
        let outcome = try run(
            """
            # A subshell that is killed before it becomes the command would run the EXIT trap.
            trap - EXIT; mkdir home/.docker; f=home/.docker/config.json; echo '{"auths":{"r":{"auth":"dTpzM2NyZXQ="}}}' > before; copies=0
            for n in $(seq 20); do
                cp before $f; skr helper install docker --write-config > /dev/null 2>&1 & pid=$!
                sleep 0.00$((RANDOM % 10))$((RANDOM % 10)); kill -\(signal) $pid 2> /dev/null; wait $pid 2> /dev/null
                jq -e . $f > /dev/null || echo damaged; ls -A home/.docker | grep -q '^.skr' && copies=$((copies + 1))
                skr helper install docker --write-config > /dev/null 2>&1; ls -A home/.docker | grep -v '^config.json$'
                skr helper uninstall docker --write-config > /dev/null 2>&1; cmp before $f
            done
            [ \(signal) = KILL ] || echo $copies
            rm -r $work
            """)
        #expect(outcome.output == (signal == "KILL" ? "" : "0\n"), "\(outcome)")
    }
}
