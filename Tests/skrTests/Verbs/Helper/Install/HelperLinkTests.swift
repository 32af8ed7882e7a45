import Foundation
import TestSupport
import Testing

@testable import skr

@Suite("skr helper install, the link's folder")
struct HelperLinkTests: ScriptTests {
    let preparation = HelperInstallTests.emptyHome

    @Test("PATH decides between the user's folder and the machine's, and the user's is the default")
    func choice() throws {
        let work = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        try FileManager.default.createDirectory(atPath: work + "/machine", withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: work) }
        let (own, machine) = (work + "/home/.local/bin", work + "/machine")
        func usual(_ ofMachine: String?, _ path: String...) -> String? {
            LinkFolder.usual(own: own, ofMachine: ofMachine, searchPath: path)
        }
        for _ in 1...2 {
            #expect(usual(machine, machine, "/usr/bin") == machine)
            #expect(usual(machine, machine, own) == own)
            #expect(usual(nil, machine) == own)
            #expect(usual(machine, "/usr/bin") == own)
            // The choice is the same once the folder exists.
            try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: true)
        }
        #expect(LinkFolder.usual(own: "/dev/null/bin", ofMachine: nil, searchPath: []) == nil)
        #expect(LinkFolder.usual(own: "skr-none/bin", ofMachine: nil, searchPath: []) == nil)
        #expect(LinkFolder.usual(own: "/dev/null/bin", ofMachine: machine, searchPath: [machine]) == machine)
    }

    @Test("only root puts links into the machine's folder")
    func ofMachine() async {
        await #expect(processExitsWith: .exitCode(0)) {
            // A home that does not exist yet can be made.
            let home = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
            setenv("HOME", home, 1)
            setenv("PATH", "/usr/local/bin", 1)
            let user = try SetupUser()
            let mayWrite = access("/usr/local/bin", W_OK | X_OK) == 0
            let expected = geteuid() == 0 && mayWrite ? "/usr/local/bin" : "\(home)/.local/bin"
            exit(LinkFolder.usual(for: user) == expected ? 0 : 1)
        }
    }

    @Test(
        "git gets the link's path if its folder is not in PATH",
        arguments: [
            ("home", "W/home/.local/bin/git-credential-skr"),
            ("a b'c", #"W/a b'\''c/.local/bin/git-credential-skr'"#),
        ])
    func absolute(home: String, program: String) throws {
        let outcome = try CommandRunner().inSession(
            #"""
            work=$(mktemp -d); mkdir "$work/$NAME"; export HOME="$work/$NAME" GIT_CONFIG_NOSYSTEM=1; cd "$HOME"
            unset XDG_CONFIG_HOME GIT_CONFIG_GLOBAL; mkdir $work/program
            ln -s "$(readlink -f "$(command -v skr)")" $work/program/skr; PATH=$work/program:/usr/bin:/bin
            skr helper install git --timeout 90s --write-config 2>&1 | sed -n 2p | sed "s|$work|W|g"; git config credential.helper | sed "s|/'*${work#/}|W|g"
            skr helper install git --write-config | tail -n 1
            printf 'protocol=https\nhost=h\nusername=u\npassword=s3cret\n\n' | git credential approve
            printf 'protocol=https\nhost=h\n\n' | git credential fill | tail -n 1; skr list | cut -f 1,2,3
            skr helper status | grep -c '^git.*git-credential-skr.* --timeout 1m30s.-$'; skr helper uninstall git | grep '^  ' > command
            git config --global --add credential.helper /x/git-credential-other; bash command; git config --get-all credential.helper
            skr helper install git --write-config > log 2>&1; skr helper uninstall git --write-config | tail -n 1 | sed "s|$work|W|g"
            git config --get-all credential.helper; find . -type l; rm -r $work
            """#, environment: ["NAME": home])
        #expect(
            outcome.output.hasPrefix("W/\(home)/.local/bin is not in PATH\n\(program) --timeout 1m30s\n"), "\(outcome)")
        #expect(
            outcome.output.contains(
                " --timeout 1m30s\npassword=s3cret\ninternet\thttps://h\tu\n1\n/x/git-credential-other\n"),
            "\(outcome)")
        #expect(outcome.output.hasSuffix("git-credential-skr\n/x/git-credential-other\n"), "\(outcome)")
    }

    @Test("a configuration that no longer fits PATH is changed, and keeps its options")
    func changed() throws {
        try expect(
            #"""
            git config --global credential.helper 'skr --timeout 8h'; PATH=$work/program:/usr/bin:/bin
            skr helper install git --write-config > /dev/null; git config --get-all credential.helper | shown
            PATH=$HOME/.local/bin:$PATH; skr helper install git --write-config > /dev/null; git config --get-all credential.helper
            """#, onlyPrints: "W/home/.local/bin/git-credential-skr --timeout 8h\nskr --timeout 8h\n")
    }

    @Test("docker looks only in PATH, so install warns")
    func warning() throws {
        let outcome = try run("PATH=$work/program:/usr/bin:/bin; skr helper install docker > /dev/null")
        #expect(outcome.errors.hasPrefix("skr: warning: docker won't find its helper\n"))
    }

    @Test("another link to this skr in PATH is as good as ours, and uninstall leaves it")
    func others() throws {
        let outcome = try expect(
            #"""
            ln -s $skr bin/git-credential-skr; export PATH=$work/bin:$work/bin:$PATH
            skr helper install git --write-config | shown; ls -A home; skr helper uninstall git --write-config | shown
            ls bin; git config credential.helper; skr helper uninstall git --write-config; ls bin
            """#,
            prints: """
                the link W/bin/git-credential-skr already exists
                W/bin is in PATH
                changed the configuration:
                  git config --global --add credential.helper skr
                .gitconfig
                removed the configuration:
                  git config --file W/home/.gitconfig --fixed-value --unset-all credential.helper skr
                git-credential-skr
                git-credential-skr

                """)
        #expect(outcome.errors.hasPrefix("skr: error: git is not set up\n"))
    }

    @Test("a package's link stays, even if its folder is given")
    func packaged() throws {
        try expect(
            #"""
            ln -s $skr bin/skr; ln -s skr bin/docker-credential-skr; export PATH=$work/bin:$PATH
            skr helper install docker --write-config | shown | sed -n 1p
            skr helper uninstall docker --dir $work/bin --write-config | sed -n 1p; ls bin; cat home/.docker/config.json
            """#,
            prints: """
                the link W/bin/docker-credential-skr already exists
                removed the configuration:
                docker-credential-skr
                skr
                {}

                """)
    }

    @Test(
        "in the machine's folders, uninstall removes our link, but not another skr's or a package's",
        .tags(.root), .enabled(if: isRoot, "mounts over folders of programs"))
    func ofMachineOrPackage() throws {
        try expect(
            #"""
            # A copy, because the installed skr lies in one of the folders that are mounted over.
            cp --remove-destination "$skr" program/skr; export skr=$work/program/skr work
            mkdir local system other; cp /bin/true other/skr; ln -s "$skr" system/docker-credential-skr
            PATH=$work/program:/usr/local/bin:/usr/bin:/bin unshare -m bash -c '
                mount --bind local /usr/local/bin; skr helper install git > log; head -n 1 log; skr helper uninstall git; echo $?
                ln -s $work/other/skr /usr/local/bin/git-credential-skr; skr helper uninstall git; echo $?
                mount --bind system /usr/bin; "$skr" helper uninstall docker --dir /usr/bin; echo $?' 2> /dev/null | shown
            """#,
            prints: """
                created the link /usr/local/bin/git-credential-skr -> W/program/skr
                removed the link /usr/local/bin/git-credential-skr
                0
                1
                1

                """)
    }

    @Test("install and uninstall keep a link to another program on the same disk")
    func otherProgram() throws {
        try expect(
            #"""
            mkdir -p own home/.local/bin; cp $skr own/skr; cp /bin/true own/true; ln -s $work/own/true $link
            own/skr helper install git > /dev/null 2> errors; echo $?; own/skr helper uninstall git 2> /dev/null; echo $?
            readlink $link | shown
            """#, prints: "73\n1\nW/own/true\n")
    }

    @Test("uninstall removes the configuration even if it can't remove the link", .tags(.root), .enabled(if: isRoot))
    func readOnly() throws {
        try expect(
            #"""
            chmod 755 $work; chown 60435 home; mkdir new; ln -s $skr new/docker-credential-skr
            as() { setpriv --reuid 60435 --regid 60435 --clear-groups "$@"; }
            as skr helper install docker --dir new --write-config > /dev/null 2>&1; ls -A home
            as skr helper uninstall docker --dir new --write-config | sed -n 1p; echo ${PIPESTATUS[0]}; ls new; cat home/.docker/config.json
            """#, prints: ".docker\nremoved the configuration:\n77\ndocker-credential-skr\n{}\n")
    }

    @Test(
        "in a home that another user has or can change, install and uninstall print the commands, and write nothing",
        .tags(.root), .enabled(if: isRoot, "needs root to give a folder away"),
        arguments: [
            ("chown 60435 home", "'H' belongs to another user"),
            ("ln -s ../other home/.local; chown -h 60435 home/.local", "'H/.local' belongs to another user"),
            ("ln -s ../none/new home/.local; chown -h 60435 home/.local", "'H/.local' belongs to another user"),
            ("ln -s home own; chown -h 60435 own; HOME=$work/own", "'H' belongs to another user"),
            ("chmod g+w home", "others can write to 'H'"),
            ("chmod 1777 home", "others can write to 'H'"), ("chmod 777 .", "others can write to 'W'"),
        ])
    func foreignHome(making: String, reason: String) throws {
        let hint =
            reason.hasSuffix("user")
            ? "run skr as that user, or with 'sudo -H'" : "create it by hand, as the printed lines show"
        try expect(
            #"""
            mkdir other; \#(making); find home other > before
            skr helper install docker > lines 2> errors; echo $?; cat lines errors | sed "s|$HOME|H|g" | shown; find home other | diff - before
            """#,
            prints: """
                77
                to create the link:
                  mkdir -p H/.local/bin
                  ln -s SKR H/.local/bin/docker-credential-skr
                to finish the setup (--write-config does this):
                in ~/.docker/config.json:
                  "credsStore": "skr"
                skr: error: did not create the link 'H/.local/bin/docker-credential-skr': \(reason)
                skr: hint: \(hint)

                """)
    }

    @Test(
        "uninstall removes no link in a home that belongs to another user, and prints the command",
        .tags(.root), .enabled(if: isRoot, "needs root to give a folder away"))
    func foreignLink() throws {
        try expect(
            """
            skr helper install docker > log; chown 60435 home; skr helper uninstall docker 2>&1 | shown; echo ${PIPESTATUS[0]}
            mkdir -p home/.docker; echo '{"credsStore":"skr"}' > home/.docker/config.json; skr helper uninstall docker --write-config 2>&1 | grep '^  ' | shown
            rm -r home/.docker
            ls home/.local/bin; chown 0 home; skr helper uninstall docker > log; ls home/.local/bin
            """,
            prints: """
                to remove the link:
                  rm W/home/.local/bin/docker-credential-skr
                skr: error: did not remove the link 'W/home/.local/bin/docker-credential-skr': 'W/home' belongs to another user
                skr: hint: run skr as that user, or with 'sudo -H'
                77
                  rm W/home/.local/bin/docker-credential-skr
                  "credsStore": "skr"
                docker-credential-skr

                """)
    }

    @Test(
        "an ordinary user's home may be below an administrator's folder, and in a user namespace",
        .tags(.root), .enabled(if: isRoot, "needs root to become another user"))
    func administrator() throws {
        try expect(
            """
            chmod 755 .; chown 60435 home; chown 60436 .; as() { setpriv --reuid 60435 --regid 60435 --clear-groups "$@"; }
            as skr helper install docker --write-config > log; readlink $link home/.local/bin/docker-credential-skr | wc -l; ls -A home; rm -r home/.local home/.docker
            chown 0 .; as unshare --map-root-user skr helper install docker --write-config > log; ls -A home
            """, onlyPrints: "1\n.docker\n.local\n.docker\n.local\n")
    }

    @Test(
        "if the user can't enter the folder of skr's executable, install reports it", .tags(.root), .enabled(if: isRoot)
    )
    func closedFolder() throws {
        try expect(
            """
            mkdir -p closed/open home; cp "$(command -v skr)" closed/open/; chmod 700 closed; cd closed/open
            setpriv --reuid 60495 --regid 60498 --clear-groups ./skr helper install docker 2>&1 | sed "s|$work|W|"; echo ${PIPESTATUS[0]}
            """,
            prints: """
                skr: error: 'W/closed/open/skr' is in a folder that you can't enter
                skr: hint: use an skr that is installed where your programs find it, such as /usr/local/bin
                77

                """)
    }

    @Test("install creates no link to an skr that others could replace, as in /tmp")
    func sharedFolder() throws {
        try expect(
            """
            mkdir shared; cp $skr shared/skr; chmod 1777 shared; shared/skr helper install docker 2>&1 | shown; echo ${PIPESTATUS[0]}
            find home -type l; chmod 755 shared; shared/skr helper install docker > log; find home -type l
            """,
            prints: """
                skr: error: others could replace 'W/shared/skr', which the client would start
                skr: hint: move skr to a folder of programs, such as /usr/local/bin or ~/.local/bin
                77
                home/.local/bin/docker-credential-skr

                """)
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
}
