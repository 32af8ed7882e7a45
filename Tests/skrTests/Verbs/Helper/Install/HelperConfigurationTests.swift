import Foundation
import Testing

@Suite("skr helper install --write-config")
struct HelperConfigurationTests {
    private func run(_ script: String) throws -> CommandRunner.Outcome { try HelperInstallTests.run(script) }

    @Test("git: our helper is added once, its options can change, and uninstall restores every byte")
    func git() throws {
        let outcome = try run(
            #"""
            printf '[user]\n\tname = A Rather Long Name\n# end\n' > $HOME/.gitconfig; cp $HOME/.gitconfig before
            install() { skr helper install git --write-config "$@" | tail -n +3; git config --get-all credential.helper; }
            install; install; install --timeout 8h; install --timeout 8h; install --scope user --timeout 90s
            skr helper uninstall git --write-config | shown; cmp before $HOME/.gitconfig; skr helper uninstall git --write-config; echo $?
            """#)
        #expect(
            outcome.output == """
                added to ~/.gitconfig:
                  [credential]
                      helper = skr
                skr
                git is already set up in ~/.gitconfig
                skr
                changed in ~/.gitconfig:
                      helper = skr --timeout 8h
                skr --timeout 8h
                git is already set up in ~/.gitconfig
                skr --timeout 8h
                changed in ~/.gitconfig:
                      helper = skr --timeout 1m30s --scope user
                skr --timeout 1m30s --scope user
                removed the helper from ~/.gitconfig
                removed the link W/home/.local/bin/git-credential-skr
                1

                """)
        #expect(
            outcome.errors
                == "skr: error: git is not set up\nskr: hint: 'skr helper status' shows which clients are set up\n")
    }

    @Test(
        "git: other helpers stay, with a hint for removal, and no shell command is shown"
    )
    func otherHelpers() throws {
        let outcome = try run(
            #"""
            git config --global --add credential.helper 'store --file s3cret'; git config --global --add credential.helper $'!f() {\n password=s3cret\n}; f'
            git config --global --add credential.helper /opt/x
            skr helper install git > /dev/null 2> shown
            skr helper install git --write-config 2> errors | tail -n 1; git config --get-all credential.helper; grep -c s3cret errors; cat errors; cmp shown errors
            skr helper status git | grep -c s3cret
            eval "$(sed -n 's/.*to remove it: //p' errors)"; git config --get-all credential.helper
            """#)
        #expect(
            outcome.output == """
                      helper = skr
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
                !f() {
                 password=s3cret
                }; f
                /opt/x
                skr

                """)
    }

    @Test("git: a helper that a later empty one resets is added again, and uninstall removes both")
    func reset() throws {
        let outcome = try run(
            """
            git config --global credential.helper ''; skr helper status | grep ^git | cut -f 3; git config --global --unset credential.helper
            for value in skr '' other; do git config --global --add credential.helper "$value"; done
            skr helper status | grep ^git | cut -f 3; skr helper install git --write-config 2> errors | tail -n 1
            skr helper install git --write-config 2> errors | tail -n 1; git config --get-all credential.helper
            skr helper uninstall git --write-config > /dev/null; git config --get-all credential.helper
            """)
        #expect(
            outcome.output == """
                -
                other: other
                      helper = skr
                git is already set up in ~/.gitconfig
                skr

                other
                skr

                other

                """, "\(outcome)")
    }

    @Test("git: a configuration that git can't read stays unchanged")
    func brokenGit() throws {
        let outcome = try run(
            #"""
            printf '[user\n' > $HOME/.gitconfig; skr helper install git --write-config > /dev/null 2> errors; echo $?; tail -n 2 errors | shown
            printf '[user\n' | cmp - $HOME/.gitconfig; skr helper status 2> /dev/null | grep ^git | shown
            """#)
        #expect(
            outcome.output == """
                65
                skr: error: did not edit 'W/home/.gitconfig': git can't read it
                skr: hint: git has printed the reason; to edit the file: git config --global --edit
                git\t~/.local/bin/git-credential-skr\tcan't be read: git config credential.helper\tskr helper install git --write-config

                """)
    }

    @Test("docker: a new file is only for its owner, is written once, and uninstall removes it")
    func newFile() throws {
        let outcome = try run(
            #"""
            skr helper install docker --write-config | tail -n +3; stat -c '%a %F' $HOME/.docker $HOME/.docker/config.json; cat $HOME/.docker/config.json
            skr helper install docker --write-config | tail -n 1; skr helper uninstall docker --write-config | tail -n 1 | shown; ls -A $HOME/.docker
            """#)
        #expect(
            outcome.output == """
                created ~/.docker/config.json:
                  { "credsStore": "skr" }
                700 directory
                600 regular file
                { "credsStore": "skr" }
                docker is already set up in ~/.docker/config.json
                removed the link W/home/.local/bin/docker-credential-skr

                """)
    }

    @Test(
        "docker: uninstall restores the file byte for byte",
        arguments: [
            #"printf '{}'"#, #"printf ''"#, #"printf '{\r\n\t"auths": {\r\n\t}\r\n}'"#,
            #"printf '\xef\xbb\xbf{ "a" : 1 }\n\n'"#,
            #"printf '{"a":"'; head -c 500000 /dev/zero | tr '\0' x; printf '"}'"#,
        ])
    func roundTrip(making: String) throws {
        let outcome = try run(
            #"""
            mkdir $HOME/.docker; file=$HOME/.docker/config.json; (\#(making)) > $file; chmod 640 $file; cp $file before
            skr helper install docker --write-config > /dev/null; cmp -s before $file || echo changed; stat -c %a $file
            grep -c '"credsStore": "skr"' $file; skr helper uninstall docker --write-config > /dev/null; cmp before $file; stat -c %a $file; ls -A $HOME/.docker
            """#)
        #expect(outcome == .init(exitCode: 0, output: "changed\n640\n1\n640\nconfig.json\n", errors: ""))
    }

    @Test("docker: a symbolic link stays a link, even to a file that does not exist yet")
    func symbolicLink() throws {
        let outcome = try run(
            #"""
            mkdir $HOME/.docker dots; printf '{}' > dots/docker.json; ln -s ../../dots/docker.json $HOME/.docker/config.json
            skr helper install docker --write-config > /dev/null; readlink $HOME/.docker/config.json; cat dots/docker.json; ls -A dots; echo
            rm dots/docker.json; skr helper install docker --write-config > /dev/null; readlink $HOME/.docker/config.json; wc -l < dots/docker.json
            """#)
        #expect(
            outcome.output
                == "../../dots/docker.json\n{\"credsStore\": \"skr\"}docker.json\n\n../../dots/docker.json\n1\n")
    }

    @Test(
        "docker: a file that can't be read, or not with certainty, stays unchanged",
        arguments: [
            ("printf '{' > $file", 65), ("printf '[]' > $file", 65), ("mkdir $file", 65), ("mkfifo $file", 65),
            ("printf '{\"credsStore\":\"pass\"}' > $file", 73), ("head -c 2000000 /dev/zero > $file", 65),
            ("printf '{\"credsStore\":\"\"}' > $file", 73), ("printf '{}' > $file; ln $file $HOME/other", 65),
            ("printf '{\"cred\\xc5\\xbfStore\":\"pass\"}' > $file", 73),
            ("ln -s config.json $file", 65), ("printf '{\"credsStore\":\"a\",\"credsStore\":\"b\"}' > $file", 65),
        ])
    func refused(making: String, code: Int) throws {
        let outcome = try run(
            #"""
            mkdir $HOME/.docker; file=$HOME/.docker/config.json; \#(making); before=$(stat -c '%i %F %Y %s' $file)
            skr helper install docker --write-config > /dev/null 2> errors; echo $?; [[ $before = "$(stat -c '%i %F %Y %s' $file)" ]] && echo same
            ls -A $HOME/.docker; grep -c 'did not edit ' errors; grep -c hint: errors
            """#)
        #expect(outcome.output == "\(code)\nsame\nconfig.json\n1\n1\n")
    }

    @Test(
        "docker: a file that can't be read or can't be replaced stays unchanged",
        .enabled(if: geteuid() == 0, "needs root to become another user"))
    func permissions() throws {
        let outcome = try run(
            #"""
            chmod 755 $work; mkdir -p $HOME/.docker; file=$HOME/.docker/config.json; printf '{}' > $file; chmod 600 $file
            as() { setpriv --reuid 60434 --regid 60434 --clear-groups "$@"; }; mkdir -m 777 open
            as skr helper install docker --dir open --write-config 2>&1 > /dev/null | grep error: | shown
            chmod 644 $file; as skr helper install docker --dir open --write-config 2>&1 > /dev/null | grep error: | shown; cat $file; ls -A $HOME/.docker
            as skr helper status | grep docker
            """#)
        #expect(
            outcome.output == """
                skr: error: did not edit 'W/home/.docker/config.json': permission denied
                skr: error: can't write 'W/home/.docker/config.json': permission denied
                {}config.json
                docker\t-\t-\tskr helper install docker --write-config

                """)
    }

    @Test("docker: servers with a secret in the file are named, but never the secret")
    func plainSecrets() throws {
        let outcome = try run(
            #"""
            mkdir $HOME/.docker; printf '{"auths":{"r.example":{"auth":"dTpzM2NyZXQ="},"s.example":{}},"credHelpers":{"g.example":"gcloud"}}' > $HOME/.docker/config.json
            skr helper install docker --write-config 2> errors; cat errors; skr helper status
            """#)
        #expect(
            outcome.output.contains(
                "contains unencrypted secrets of r.example\nskr: hint: to move one to the keyring: docker logout r.example; docker login r.example\n"
            ))
        #expect(
            outcome.output.contains("added to ~/.docker/config.json:\n  \"credsStore\": \"skr\",\n"))
        #expect(!outcome.output.contains("dTpz"))
    }

    @Test("DOCKER_CONFIG names the folder of docker's file")
    func dockerFolder() throws {
        let outcome = try run(
            "DOCKER_CONFIG=$work/d skr helper install docker --write-config > /dev/null; ls -A d home")
        #expect(outcome.output == "d:\nconfig.json\n\nhome:\n.local\n")
    }
}
