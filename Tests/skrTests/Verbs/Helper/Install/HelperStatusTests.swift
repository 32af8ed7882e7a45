import Foundation
import Testing

@testable import skr

@Suite("skr helper status, uninstall")
struct HelperStatusTests: ScriptTests {
    let preparation = HelperInstallTests.emptyHome

    private let git = "skr helper install git --write-config"
    private let docker = "skr helper install docker --write-config"

    @Test("status shows nothing at first, then links, then configurations")
    func status() throws {
        try expect(
            #"""
            status() { skr helper status | grep -E '^(git|docker)'; }; status; echo $?; skr helper install git > /dev/null; status
            skr helper install docker --write-config > /dev/null; git config --global credential.helper 'store --file x'; status
            git config --global --add credential.helper 'skr --timeout 8h'; status
            """#,
            prints: """
                git\t-\t-\t\(git)
                docker\t-\t-\t\(docker)
                0
                git\t~/.local/bin/git-credential-skr\t-\t\(git)
                docker\t-\t-\t\(docker)
                git\t~/.local/bin/git-credential-skr\tother: store\t\(git)
                docker\t~/.local/bin/docker-credential-skr\tcredsStore: skr\t-
                git\t~/.local/bin/git-credential-skr\tskr --timeout 8h\t-
                docker\t~/.local/bin/docker-credential-skr\tcredsStore: skr\t-

                """)
    }

    @Test("an unrelated program, a link to another skr and a shell command are shown as such")
    func others() throws {
        try expect(
            #"""
            mkdir -p $HOME/.local/bin other; cp /bin/true other/skr; cp /bin/true $HOME/.local/bin/git-credential-skr
            ln -s $work/other/skr $HOME/.local/bin/docker-credential-skr; mkdir $HOME/.docker; echo '{"credsStore":"pass\u001b[2J"}' > $HOME/.docker/config.json
            git config --global credential.helper '!echo password=s3cret'; skr helper status | grep -E '^(git|docker)' | shown
            """#,
            prints: """
                git\t~/.local/bin/git-credential-skr (a file, not a link)\tother: a shell command\t\(git)
                docker\t~/.local/bin/docker-credential-skr (to W/other/skr)\tother: credsStore: pass%1B[2J\t\(docker)

                """)
    }

    @Test("--json prints an object for each client")
    func json() throws {
        try expect(
            "skr helper install git --write-config > /dev/null; skr helper status --json | jq -Sc '.[:2][]' | shown",
            prints: """
                {"client":"git","command":null,"configuration":"skr","isConfigured":true,"isLinkOurs":true,\
                "link":"W/home/.local/bin/git-credential-skr"}
                {"client":"docker","command":"\(docker)","configuration":null,"isConfigured":false,"isLinkOurs":null,"link":null}

                """)
    }

    @Test("a configuration without its link needs a setup, and an empty helper counts as absent")
    func incomplete() throws {
        try expect(
            #"""
            mkdir home/.docker home/.aws; file=home/.docker/config.json; echo '{"credsStore":"skr"}' > $file
            echo 'common --credential_helper=*=/x/skr-bazel' > home/.bazelrc
            echo 'credential_process = skr helper aws work' > home/.aws/config
            for client in docker bazel aws; do skr helper status $client; done
            state() { skr helper status $1 | cut -f 3; }; : > $file; state docker; echo '{"credsStore":""}' > $file; state docker
            for value in skrew skr ''; do git config --global --add credential.helper "$value"; state git; done
            skr helper install git --write-config 2> /dev/null | tail -n 1
            rm home/.gitconfig home/.local/bin/*; git config --global credential.helper '!skr helper git'; skr helper status git
            skr helper install git --write-config | tail -n 1
            """#,
            prints: """
                docker\t-\tcredsStore: skr\t\(docker)
                bazel\t-\t~/.bazelrc\tskr helper install bazel
                aws\t-\t~/.aws/config\t-
                can't be read: ~/.docker/config.json
                -
                other: skrew
                skr
                -
                  git config --global --add credential.helper skr
                git\t-\ta shell command\t\(git)
                git is already set up: a shell command

                """)
    }

    @Test("the JSON distinguishes another helper from a file that can't be read")
    func jsonOfOthers() throws {
        try expect(
            #"""
            mkdir home/.docker; state() { skr helper status docker --json | jq -c '.[0] | [.configuration, .isConfigured, .isLinkOurs]'; }
            for text in '{"credsStore":"pass"}' '{'; do echo "$text" > home/.docker/config.json; state; done
            """#,
            prints: """
                ["credsStore: pass",false,null]
                ["~/.docker/config.json",null,null]

                """)
    }

    @Test("with 80 columns, status shows each command as a whole, next to links and configurations")
    func wholeCommands() throws {
        let shown = try TerminalRunner().runQuietly(
            #"""
            export HOME=$(mktemp -d) GIT_CONFIG_NOSYSTEM=1; cd $HOME; unset XDG_CONFIG_HOME GIT_CONFIG_GLOBAL
            skr=$(type -P skr); PATH=$HOME/.local/bin:$PATH; mkdir -p .local/bin .terraform.d/plugins
            for link in .local/bin/{git,docker}-credential-skr .terraform.d/plugins/terraform-credentials-skr; do ln -s $skr $link; done
            git config --global credential.helper some-other-helper-with-a-long-name; stty cols 80; skr helper status; rm -r $HOME
            """#)
        let lines = shown.split(separator: "\n").map(String.init)
        #expect(lines.allSatisfy { $0.count <= 80 } && lines.first?.hasSuffix("TO SET IT UP") ?? false, "\(shown)")
        for client in HelperClients.all.map({ $0.name }) {
            let end = ["git": " --write-config", "docker": " --write-config", "npm": " REGISTRY"][client] ?? ""
            #expect(lines.contains { $0.hasSuffix("  skr helper install \(client)\(end)") }, "\(client): \(shown)")
        }
        #expect(lines.count == HelperClients.all.count + 1 && shown.contains("  other..."), "\(shown)")
    }

    @Test("a narrow table shortens names first, then omits the least important columns one by one")
    func columns() throws {
        let tables = try TerminalRunner().tables(
            "skr helper status git", widths: [104, 70, 69, 60, 59, 45, 44],
            after: #"""
                export GIT_CONFIG_NOSYSTEM=1; cd $HOME; unset XDG_CONFIG_HOME GIT_CONFIG_GLOBAL
                skr=$(type -P skr); PATH=$HOME/.local/bin:$PATH; mkdir -p .local/bin; ln -s $skr .local/bin/git-credential-skr
                git config --global credential.helper some-other-helper
                """#)
        #expect(
            tables == [
                """
                CLIENT  LINK                             CONFIGURATION             TO SET IT UP
                git     ~/.local/bin/git-credential-skr  other: some-other-helper  skr helper install git --write-config
                """, "CLIENT LINK CONFIGURATION TO SET IT UP", "CLIENT CONFIGURATION TO SET IT UP",
                "CLIENT CONFIGURATION TO SET IT UP", "CLIENT TO SET IT UP", "CLIENT TO SET IT UP", "CLIENT",
            ])
    }

    @Test("uninstall removes our link, shows the remaining steps, and leaves everything else alone")
    func uninstall() throws {
        try expect(
            #"""
            skr helper install git --write-config > /dev/null; skr helper uninstall git | shown; ls -A $HOME/.local/bin; git config credential.helper
            skr helper uninstall docker; echo $?; echo x > $HOME/.local/bin/docker-credential-skr; skr helper uninstall docker; echo $?; cat $HOME/.local/bin/*
            mkdir other; cp /bin/true other/skr; ln -sf $work/other/skr $HOME/.local/bin/docker-credential-skr; skr helper uninstall docker | shown; ls -A $HOME/.local/bin; ls other
            """#,
            prints: """
                to remove the configuration (--write-config does this):
                  git config --file W/home/.gitconfig --fixed-value --unset-all credential.helper skr
                removed the link W/home/.local/bin/git-credential-skr
                skr
                1
                1
                x
                removed the link W/home/.local/bin/docker-credential-skr
                skr

                """)
    }

    @Test("status takes any name of a client, and shows the command that sets it up")
    func oneClient() throws {
        try expect(
            #"""
            unset PYTHON_KEYRING_BACKEND SSH_ASKPASS SUDO_ASKPASS GIT_ASKPASS XDG_RUNTIME_DIR REGISTRY_AUTH_FILE KUBECONFIG
            for client in aws kubectl pip podman pnpm ssh; do PATH=$(dirname "$(command -v skr)") skr helper status $client; done
            mkdir -p home/.config/containers; echo '{"credHelpers":{"r":"skr"}}' > home/.config/containers/auth.json
            skr helper install podman > /dev/null; skr helper status podman; skr helper status nothing; echo $?
            skr helper status | cut -f 4 | grep -vc '^skr helper install'
            """#,
            prints: """
                aws\t-\t-\tskr helper install aws
                kubectl\t-\t-\tskr helper install kubectl
                pip\t-\t-\tskr helper install pip
                podman\t-\t-\tskr helper install podman
                pnpm\t-\t-\tskr helper install pnpm REGISTRY
                ssh\t-\t-\tskr helper install ssh
                podman\t~/.local/bin/docker-credential-skr\t~/.config/containers/auth.json\t-
                64
                0

                """)
    }

    @Test("uninstall --dir looks only in that folder, and also removes a link to another skr")
    func folder() throws {
        try expect(
            #"""
            skr helper install git > /dev/null; skr helper install git --dir bin > /dev/null 2>&1; skr helper uninstall git --dir bin | shown
            ls -A bin; ls -A $HOME/.local/bin; skr helper uninstall git --dir bin; echo $?
            mkdir other; cp /bin/true other/skr; ln -s $work/other/skr bin/docker-credential-skr
            skr helper uninstall docker --dir bin | shown; ls -A bin
            """#,
            prints: """
                removed the link W/bin/git-credential-skr
                git-credential-skr
                1
                removed the link W/bin/docker-credential-skr

                """)
    }

    @Test("completion offers the clients and their words")
    func completion() throws {
        func completed(_ words: String...) throws -> String {
            try CommandRunner().run(["---complete", "zsh", "skr"] + words, input: Data()).output
        }
        let first = try completed("helper", "")
        #expect(first.hasPrefix("words\ninstall\t") && first.contains("\ngit\tPasswords"))
        #expect(try completed("helper", "install", "").hasPrefix("words\ngit\ndocker\n"))
        #expect(try completed("helper", "git", "") == "words\nget\nstore\nerase\ncapability\n")
        #expect(try completed("helper", "status", "").hasPrefix("words\ngit\n"))
        #expect(try completed("help", "helper", "g").contains("\ngoogle\t"))
        #expect(try completed("helper", "pip", "get", "--m").hasPrefix("words\n--mode\t"))
        #expect(try completed("helper", "pip", "") == "words\nget\nset\ndel\n")
        #expect(try completed("helper", "pip", "get", "") == "words\n")
    }
}
