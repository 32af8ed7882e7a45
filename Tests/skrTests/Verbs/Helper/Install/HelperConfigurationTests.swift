import Foundation
import TestSupport
import Testing

@Suite("skr helper install --write-config")
struct HelperConfigurationTests: ScriptTests {
    let preparation = HelperInstallTests.emptyHome

    @Test("git: our helper is added once, its options can change, and uninstall removes it")
    func git() throws {
        let outcome = try run(
            #"""
            git config --global user.name A; install() { skr helper install git --write-config "$@" | tail -n +3 | shown; }
            install; install; install --timeout 8h; install --timeout 8h; install; install --scope user --timeout 90s
            git config --get-all credential.helper; skr helper uninstall git --write-config | shown
            git config --global --list; skr helper uninstall git --write-config; echo $?
            """#)
        let key = "credential.helper"
        let unset = "git config --file W/home/.gitconfig --fixed-value --unset-all \(key)"
        #expect(
            outcome.output == """
                changed the configuration:
                  git config --global --add \(key) skr
                git is already set up: skr
                git is already set up: skr
                changed the configuration:
                  git config --global --add \(key) 'skr --timeout 8h'
                  \(unset) skr
                git is already set up: skr --timeout 8h
                git is already set up: skr --timeout 8h
                git is already set up: skr --timeout 8h
                changed the configuration:
                  git config --global --add \(key) 'skr --timeout 1m30s --scope user'
                  \(unset) 'skr --timeout 8h'
                skr --timeout 1m30s --scope user
                removed the configuration:
                  \(unset) 'skr --timeout 1m30s --scope user'
                removed the link W/home/.local/bin/git-credential-skr
                user.name=A
                1

                """, "\(outcome)")
        #expect(
            outcome.errors
                == "skr: error: git is not set up\nskr: hint: 'skr helper status' shows which clients are set up\n")
    }

    @Test("git: the printed lines do what --write-config does")
    func pasted() throws {
        try expect(
            #"""
            lines() { skr helper "$@" | sed -n 's/^  //p' > lines; . ./lines; git config --get-all credential.helper; }
            lines install git; lines install git --namespace "a'b"; lines uninstall git; lines uninstall git 2> /dev/null
            """#, prints: "skr\nskr --namespace 'a'\\''b'\n")
    }

    @Test("git: other helpers stay, with a hint for removal, and no shell command is shown")
    func otherHelpers() throws {
        try expect(
            #"""
            git config --global --add credential.helper 'store --file s3cret'; git config --global --add credential.helper $'!f() {\n password=s3cret\n}; f'
            git config --global --add credential.helper /opt/x
            skr helper install git > /dev/null 2> shown
            skr helper install git --write-config 2> errors | tail -n 1; git config --get-all credential.helper; grep -c s3cret errors; cat errors; cmp shown errors
            skr helper status git | grep -c s3cret
            eval "$(sed -n 's/.*to remove it: //p' errors)"; skr helper uninstall git --write-config | grep -c s3cret; git config --get-all credential.helper
            """#,
            prints: """
                  git config --global --add credential.helper skr
                store --file s3cret
                !f() {
                 password=s3cret
                }; f
                /opt/x
                skr
                0
                skr: warning: git has another helper, store, and will continue to give it every secret, which it writes to disk
                skr: hint: to remove it: git config --global --unset-all credential.helper '^store( .*)?$'
                skr: warning: git has another helper, a shell command, and will continue to give it every secret
                skr: hint: to see it: git config --global --edit
                skr: warning: git has another helper, /opt/x, and will continue to give it every secret
                skr: hint: to see it: git config --global --edit
                0
                0
                !f() {
                 password=s3cret
                }; f
                /opt/x

                """)
    }

    @Test("git: a helper that a later empty one resets is added again, and uninstall removes it")
    func reset() throws {
        try expect(
            """
            git config --global credential.helper ''; skr helper status git | cut -f 3; git config --global --unset credential.helper
            for value in skr skr '' other; do git config --global --add credential.helper "$value"; done
            skr helper status git | cut -f 3; for n in 1 2; do skr helper install git --write-config 2> errors | tail -n 1; done
            git config --get-all credential.helper; skr helper uninstall git --write-config > log; git config --get-all credential.helper
            """,
            prints: """
                -
                other: other
                  git config --global --add credential.helper skr
                git is already set up: skr
                skr
                skr

                other
                skr

                other

                """)
    }

    @Test(
        "git: a helper that the user configured in another form stays, and is not shown",
        arguments: [
            ("!skr helper git # s3cret", "a shell command"), ("skr --token s3cret", "skr"),
            ("skr --timeout s3cret; f", "skr"), ("skr  --namespace s3cret", "skr"), ("skr s3cret", "skr"),
            ("/x/skr s3cret", "/x/skr"), ("/x/git-credential-skr --token s3cret", "/x/git-credential-skr"),
        ])
    func otherForm(value: String, shown: String) throws {
        let outcome = try expect(
            #"""
            git config --global credential.helper "$value"
            skr helper status git | cut -f 3; skr helper install git --write-config | tail -n 1
            skr helper uninstall git --write-config | shown; echo ${PIPESTATUS[0]}; [ "$(git config credential.helper)" = "$value" ] && echo same
            """#, environment: ["value": value],
            prints: """
                \(shown)
                git is already set up: \(shown)
                to remove the configuration:
                  git config --global --edit
                65
                same

                """)
        #expect(outcome.errors.contains("its credential.helper is not one that 'skr helper install' has added\n"))
    }

    @Test("git: a command that ends with the path of our link is another helper")
    func otherCommand() throws {
        try expect(
            #"""
            git config --global credential.helper '/usr/bin/env T=s3cret /x/git-credential-skr'; skr helper status git | cut -f 3
            skr helper install git --write-config 2> errors | tail -n 1; skr helper uninstall git --write-config > log
            grep -c s3cret log errors; git config --get-all credential.helper
            """#,
            prints: """
                other: /usr/bin/env
                  git config --global --add credential.helper skr
                log:0
                errors:0
                /usr/bin/env T=s3cret /x/git-credential-skr

                """)
    }

    @Test("git: a repository's configuration doesn't matter")
    func repository() throws {
        try expect(
            """
            git init -q repository; cd repository; git config credential.helper skr; skr helper status git | cut -f 3
            skr helper install git --write-config | tail -n 1; git config credential.helper ''; skr helper status git | cut -f 3
            skr helper uninstall git --write-config > log; GIT_DIR=.git skr helper status git | cut -f 3; cat ~/.gitconfig
            """, prints: "-\n  git config --global --add credential.helper skr\nskr\n-\n")
    }

    @Test(
        "git: if git can't change its configuration, the lines are printed, and the file stays unchanged",
        arguments: [
            (#"printf '[user\n' > home/.gitconfig"#, 65, "git can't read it"),
            ("touch home/.gitconfig.lock", 65, "git has printed the reason"),
            ("path=$work/home/.local/bin:$work/program; mkdir program/git", 127, "git is not in PATH"),
        ])
    func brokenGit(making: String, code: Int, reason: String) throws {
        let outcome = try run(
            """
            path=$PATH; : > home/.gitconfig; \(making); cp home/.gitconfig before
            PATH=$path skr helper install git --write-config > lines 2> errors; echo $?; tail -n 2 lines errors; cmp home/.gitconfig before
            """)
        #expect(
            outcome.output.hasPrefix(
                "\(code)\n==> lines <==\nto finish the setup:\n  git config --global --add credential.helper skr\n"),
            "\(outcome)")
        #expect(
            outcome.output.contains("skr: error: did not edit git's configuration: \(reason)")
                && outcome.output.hasSuffix("skr: hint: edit it by hand, as the printed lines show\n"), "\(outcome)")
    }

    @Test(
        "git: if a folder of its configuration belongs to another user, the lines are printed",
        .tags(.root), .enabled(if: isRoot, "needs root to give a folder away"),
        arguments: [
            ("chown 60434 home", "'W/home'"), ("export XDG_CONFIG_HOME=$work/other", "'W/other'"),
            ("export GIT_CONFIG_GLOBAL=$work/other/config", "'W/other'"),
            ("ln -s $work/new home/.gitconfig; chown -h 60434 home/.gitconfig", "'W/home/.gitconfig'"),
            ("touch home/old; chown 60434 home/old; ln -s old home/.gitconfig", "'W/home/old'"),
        ])
    func foreignGit(making: String, folder: String) throws {
        try expect(
            """
            mkdir other; chown 60434 other; \(making)
            skr helper install git --write-config 2> errors | tail -n 1; echo ${PIPESTATUS[0]}; head -n 1 errors | shown
            find home other -type f -not -empty
            """,
            prints: """
                  git config --global --add credential.helper skr
                77
                skr: error: did not edit git's configuration: \(folder) belongs to another user

                """)
    }

    @Test(
        "git never replaces a device", .tags(.root), .enabled(if: isRoot, "needs root to create a device"),
        arguments: [
            ("export GIT_CONFIG_GLOBAL=$work/null", "W/null"), ("ln -s ../null home/.gitconfig", "W/home/.gitconfig"),
            ("mkdir -p home/.config/git; ln -s $work/null home/.config/git/config", "W/home/.config/git/config"),
        ])
    func device(making: String, file: String) throws {
        try expect(
            """
            mknod null c 1 3; \(making)
            skr helper install git --write-config 2>&1 > /dev/null | sed -n 1p | shown; stat -c %F null
            """,
            prints:
                "skr: error: did not edit git's configuration: '\(file)' is not a regular file\ncharacter special file\n"
        )
    }

    @Test("git: if its configuration can't be read, uninstall refuses, and status reports it")
    func unreadableGit() throws {
        try expect(
            """
            printf '[user\n' > home/.gitconfig; skr helper status git | cut -f 3
            skr helper uninstall git --write-config 2> errors; echo $?; tail -n 2 errors; cat home/.gitconfig
            """,
            prints: """
                can't be read: git config credential.helper
                to remove the configuration:
                  git config --global --edit
                65
                skr: error: did not edit git's configuration: git can't read it
                skr: hint: edit it by hand, as the printed lines show
                [user

                """)
    }

    @Test("git: uninstall removes the helper from the file to which install added it, even if git now prefers another")
    func twoFiles() throws {
        try expect(
            """
            mkdir -p home/.config/git; : > home/.config/git/config; skr helper install git --write-config | tail -n 1
            git config --file home/.gitconfig user.name A; skr helper status git | cut -f 3; skr helper install git | tail -n 1
            skr helper uninstall git --write-config | shown; cat home/.config/git/config; skr helper status git | cut -f 3
            """,
            prints: """
                  git config --global --add credential.helper skr
                skr
                git is already set up: skr
                removed the configuration:
                  git config --file W/home/.config/git/config --fixed-value --unset-all credential.helper skr
                removed the link W/home/.local/bin/git-credential-skr
                -

                """)
    }

    @Test("git changes the file that it would change itself, also through a link")
    func gitFiles() throws {
        try expect(
            """
            cycle() { skr helper install git --write-config > log; grep -lr 'helper = skr' home dots | sort; skr helper uninstall git --write-config > log; grep -lr 'helper = skr' home dots; }
            mkdir -p dots home/.config/git; : > home/.config/git/config; cycle; : > dots/git; ln -s ../dots/git home/.gitconfig; cycle; readlink home/.gitconfig
            GIT_CONFIG_GLOBAL=$work/home/x cycle
            """, prints: "home/.config/git/config\ndots/git\n../dots/git\nhome/x\n")
    }

    @Test("docker: a new file is only for its owner, is written once, and uninstall removes the member")
    func newFile() throws {
        try expect(
            #"""
            skr helper install docker --write-config | tail -n +3; stat -c '%a %F' $HOME/.docker $HOME/.docker/config.json; cat $HOME/.docker/config.json
            skr helper install docker --write-config | tail -n 1; skr helper uninstall docker --write-config | shown; cat $HOME/.docker/config.json; ls -A $HOME/.docker
            """#,
            prints: """
                changed the configuration:
                in ~/.docker/config.json:
                  "credsStore": "skr"
                700 directory
                600 regular file
                {"credsStore": "skr"}
                docker is already set up: credsStore: skr
                removed the configuration:
                from ~/.docker/config.json:
                  "credsStore": "skr"
                removed the link W/home/.local/bin/docker-credential-skr
                {}
                config.json

                """)
    }

    @Test("docker: the file keeps its owner, mode and other members")
    func kept() throws {
        try expect(
            #"""
            mkdir home/.docker; f=home/.docker/config.json; printf '{\n\t"a": 1\n}\n' > $f; chmod 640 $f; stat -c '%a %u:%g' $f > before; cp $f old
            skr helper install docker --write-config > log; cat $f; stat -c '%a %u:%g' $f | cmp - before
            skr helper uninstall docker --write-config > log; cmp $f old; stat -c '%a %u:%g' $f | cmp - before; ls -A home/.docker
            """#, onlyPrints: "{\n\t\"credsStore\": \"skr\",\n\t\"a\": 1\n}\nconfig.json\n")
    }

    @Test(
        "docker: a file that isn't ordinary, or not understood, stays unchanged, and the lines are printed",
        arguments: [
            ("printf '{' > $file", 65), ("printf '[]' > $file", 65), ("mkdir $file", 65), ("mkfifo $file", 65),
            ("printf '{\"credsStore\":\"pass\"}' > $file", 73), ("head -c 2000000 /dev/zero > $file", 65),
            ("printf '{\"credHelpers\":{\"g\":\"skr\",\"r\":\"pass\"}}' > $file", 73),
            ("printf '{}' > $file; ln $file $HOME/other", 65),
            ("printf '\\xef\\xbb\\xbf{}' > $file", 65), ("printf '{\"CREDHELPERS\":1}' > $file", 65),
            ("printf '{\"cred\\xc5\\xbfStore\":\"pass\"}' > $file", 73), (": > $file", 65),
            ("ln -s config.json $file", 65), ("printf '{\"credsStore\":\"a\",\"credsStore\":\"b\"}' > $file", 65),
            ("printf '{}' > $HOME/other; ln -s ../other $file", 65),
        ])
    func refused(making: String, code: Int) throws {
        let outcome = try run(
            #"""
            mkdir $HOME/.docker; file=$HOME/.docker/config.json; \#(making); before=$(stat -c '%i %F %Y %s' $file)
            skr helper install docker --write-config 2> errors | tail -n 3; echo ${PIPESTATUS[0]}; [[ $before = "$(stat -c '%i %F %Y %s' $file)" ]] && echo same
            ls -A $HOME/.docker; grep -c "error: did not edit '$file': it" errors; grep -c 'hint: edit it by hand' errors; cat $HOME/other 2> /dev/null
            """#)
        let other = making.contains("other") ? "{}" : ""
        #expect(
            outcome.output == """
                to finish the setup:
                in ~/.docker/config.json:
                  "credsStore": "skr"
                \(code)
                same
                config.json
                1
                1
                \(other)
                """, "\(outcome)")
    }

    @Test(
        "docker: another user's folder or file stays unchanged",
        .tags(.root), .enabled(if: isRoot, "needs root to give a file away"),
        arguments: [
            ("home", "'W/home' belongs to another user"), ("home/.docker", "'W/home/.docker' belongs to another user"),
            ("home/.docker/config.json", "'W/home/.docker/config.json' belongs to another user"),
            ("-h link", "'W/link' belongs to another user"),
        ])
    func foreignDocker(place: String, reason: String) throws {
        try expect(
            """
            mkdir home/.docker; echo '{}' > home/.docker/config.json; ln -s home link; chown 60434 \(place)
            [[ "\(place)" != *link ]] || export DOCKER_CONFIG=$work/link/.docker
            skr helper install docker --write-config 2> errors | tail -n 1; echo ${PIPESTATUS[0]}; head -n 1 errors | shown | sed 's/.*json.: //'; cat home/.docker/config.json
            """,
            prints: """
                  "credsStore": "skr"
                77
                \(reason)
                {}

                """)
    }

    @Test("docker: a file that can't be written completely stays unchanged")
    func incomplete() throws {
        try expect(
            #"""
            mkdir home/.docker; f=home/.docker/config.json; { printf '{"a":"'; head -c 6000 /dev/zero | tr '\0' x; printf '"}'; } > $f; cp $f before
            (ulimit -f 4; skr helper install docker --write-config 2>&1 > log | sed -n 1p | shown); cmp before $f; ls -A home/.docker
            """#,
            prints: """
                skr: error: did not edit 'W/home/.docker/config.json': can't write 'W/home/.docker/config.json': file too large
                config.json

                """)
    }

    @Test("docker: a linked folder stays unchanged")
    func linkedFolder() throws {
        try expect(
            """
            mkdir home/d; ln -s d home/.docker; skr helper install docker --write-config 2> errors | tail -n 1; head -n 1 errors | shown; ls home/d
            """,
            prints: """
                  "credsStore": "skr"
                skr: error: did not edit 'W/home/.docker/config.json': its folder is a link

                """)
    }

    @Test("docker: uninstall leaves another helper, and a file that it can't read")
    func foreignStore() throws {
        try expect(
            #"""
            mkdir home/.docker; f=home/.docker/config.json; uninstall() { skr helper uninstall docker --write-config > log 2> errors; echo $?; cat $f; }
            echo '{"credsStore":"pass"}' > $f; uninstall; echo '{' > $f; uninstall; grep -c credsStore log; grep -c 'it is not a JSON object' errors
            """#, prints: "1\n{\"credsStore\":\"pass\"}\n65\n{\n1\n1\n")
    }

    @Test("docker: servers with a secret in the file are named, but never the secret")
    func plainSecrets() throws {
        let outcome = try run(
            #"""
            mkdir $HOME/.docker; printf '{"auths":{"r.example":{"auth":"dTpzM2NyZXQ="},"s.example":{}},"credHelpers":{"g.example":"skr"}}' > $HOME/.docker/config.json
            skr helper install docker 2> errors; cat errors; skr helper status docker
            """#)
        #expect(
            outcome.output.contains(
                "contains unencrypted secrets of r.example\nskr: hint: to move one to the keyring: docker logout r.example; docker login r.example\n"
            ))
        #expect(!outcome.output.contains("dTpz"))
    }

    @Test("DOCKER_CONFIG names the folder of docker's file")
    func dockerFolder() throws {
        try expect(
            "DOCKER_CONFIG=$work/d skr helper install docker --write-config > /dev/null; ls -A d home",
            prints: "d:\nconfig.json\n\nhome:\n.local\n")
    }
}
