import Foundation
import TestSupport
import Testing

@Suite("skr helper install")
struct HelperInstallTests: ScriptTests {
    /// Makes an empty home.
    ///
    /// The home's `.local/bin` is in PATH. `/usr/local/bin`, where root's links would go, is not.
    static let emptyHome = #"""
        work=$(mktemp -d); trap 'chmod -R u+rwx $work; rm -rf $work' EXIT; mkdir $work/home $work/bin; cd $work
        skr=$(readlink -f "$(command -v skr)"); mkdir $work/program; ln -s "$skr" $work/program/skr
        export HOME=$work/home PATH=$work/home/.local/bin:$work/program:/usr/bin:/bin GIT_CONFIG_NOSYSTEM=1
        unset XDG_CONFIG_HOME GIT_CONFIG_GLOBAL DOCKER_CONFIG CARGO_HOME TF_CLI_CONFIG_FILE VAULT_CONFIG_PATH AWS_CONFIG_FILE
        unset PIP_CONFIG_FILE PIP_KEYRING_PROVIDER UV_KEYRING_PROVIDER GOOGLE_APPLICATION_CREDENTIALS
        shown() { sed "s|$work|W|g; s|$skr|SKR|g"; }
        link=$HOME/.local/bin/git-credential-skr

        """#

    let preparation = HelperInstallTests.emptyHome

    @Test("install creates the link and its folder once, and shows the remaining steps")
    func link() throws {
        let rest = """
            W/home/.local/bin is in PATH
            to finish the setup (--write-config does this):
              git config --global --add credential.helper skr

            """
        try expect(
            #"""
            skr helper install git | shown; echo $?; readlink $link | shown; skr helper install git | shown
            find home -mindepth 1 | sort
            """#,
            onlyPrints: "created the link W/home/.local/bin/git-credential-skr -> SKR\n\(rest)0\nSKR\n"
                + "the link W/home/.local/bin/git-credential-skr already exists\n\(rest)"
                + "home/.local\nhome/.local/bin\nhome/.local/bin/git-credential-skr\n")
    }

    @Test("a client that is set up finds its helper through the link")
    func used() throws {
        try expect(
            #"""
            skr helper install git --timeout 90s --write-config > log
            printf 'protocol=https\nhost=h\nusername=u\npassword=s3cret\n\n' | git credential approve
            printf 'protocol=https\nhost=h\n\n' | git credential fill; skr list | cut -f 1,2,3,4
            skr helper uninstall git --write-config > log
            printf 'protocol=https\nhost=h\n\n' | GIT_TERMINAL_PROMPT=0 git credential fill 2> /dev/null; echo $?
            """#, prints: "protocol=https\nhost=h\nusername=u\npassword=s3cret\ninternet\thttps://h\tu\t6\n128\n")
    }

    @Test(
        "anything that is already in the link's place stays unchanged",
        arguments: [
            "echo x > $link", "ln -s /bin/true $link", "ln -s nowhere $link", "ln -s nowhere/skr $link", "mkdir $link",
        ])
    func foreign(making: String) throws {
        try expect(
            #"""
            mkdir -p $HOME/.local/bin; \#(making); before=$(stat -c '%i %F %Y' $link)
            skr helper install git --write-config 2> errors; echo $?; [[ $before = "$(stat -c '%i %F %Y' $link)" ]] && echo same
            grep -c 'already exists' errors; grep -c 'hint: .*rm .*git-credential-skr' errors; ls -A home
            """#, prints: "73\nsame\n1\n1\n.local\n")
    }

    @Test("a folder can be given, and install reports whether it is in PATH")
    func folder() throws {
        try expect(
            #"""
            skr helper install docker --dir bin 2>&1 | shown | sed -n 1,4p; readlink bin/docker-credential-skr | shown
            PATH=$work/bin:$PATH skr helper install docker --dir $work/bin | shown | sed -n 1,2p
            skr helper install docker --dir new/folder > /dev/null 2>&1; readlink new/folder/docker-credential-skr | shown; ls -A home
            for folder in $work/bin/ ./bin bin//; do PATH=$work/bin:$PATH skr helper install docker --dir $folder | shown | sed -n 1,2p | tail -n 1; done
            """#,
            prints: """
                created the link W/bin/docker-credential-skr -> SKR
                W/bin is not in PATH
                skr: warning: docker won't find its helper
                skr: hint: add to ~/.profile, and log in again: export PATH=W/bin:"$PATH"
                SKR
                the link W/bin/docker-credential-skr already exists
                W/bin is in PATH
                SKR
                W/bin is in PATH
                W/bin is in PATH
                W/bin is in PATH

                """)
    }

    @Test("a link that was installed with skr is sufficient, and is not removed")
    func packaged() throws {
        try expect(
            #"""
            cp $skr bin/skr; ln -s skr bin/git-credential-skr; export PATH=$work/bin:$work/other:$PATH; hash -r
            mkdir other; cp /bin/true other/skr; ln -s skr other/git-credential-skr
            skr helper install git --write-config | shown | sed -n 1,2p; skr helper uninstall git --write-config | shown; echo $?
            skr helper uninstall git 2>/dev/null | shown; find home bin other -type l
            """#,
            prints: """
                the link W/bin/git-credential-skr already exists
                W/bin is in PATH
                removed the configuration:
                  git config --file W/home/.gitconfig --fixed-value --unset-all credential.helper skr
                0
                bin/git-credential-skr
                other/git-credential-skr

                """)
    }

    @Test("a program with the link's name that comes first in PATH is reported")
    func shadowed() throws {
        let outcome = try run(
            #"""
            printf '#!/bin/sh\n' > bin/git-credential-skr; chmod +x bin/git-credential-skr; export PATH=$work/bin:$PATH
            skr helper install git 2>&1 > /dev/null | shown
            """#)
        #expect(
            outcome.output.hasPrefix(
                "skr: warning: another git-credential-skr comes first in PATH: 'W/bin/git-credential-skr'\n"))
    }

    @Test(
        "a folder that can't be written to is refused",
        .tags(.root), .enabled(if: isRoot, "needs root to become another user"))
    func readOnly() throws {
        let outcome = try run(
            #"""
            chmod 755 $work; mkdir -p $HOME/.local/bin; chmod 555 $HOME/.local/bin
            as() { setpriv --reuid 60433 --regid 60433 --clear-groups "$@"; }
            as skr helper install git 2>&1; echo $?; as skr helper install git --dir /skr-none/x 2>&1 | sed -n 1p; as skr helper install git --dir $work/none 2>&1 | shown; ls -A $HOME/.local/bin
            """#)
        #expect(
            outcome.output.contains(
                "/home/.local/bin'\nskr: hint: choose a folder that you can write to: --dir FOLDER\n77\n"))
        #expect(outcome.output.contains("skr: error: can't create the folder '/skr-none': permission denied\n"))
        #expect(
            outcome.output.hasSuffix(
                "skr: error: can't create the folder 'W/none': permission denied\nskr: hint: choose a folder that you can write to: --dir FOLDER\n"
            ))
    }

    @Test("wrong usage is an error that names the problem or the right usage, with a hint")
    func usage() throws {
        let mistakes = [
            ("install", "no CLIENT is given"), ("install gti", "did you mean 'git'?"),
            ("install kubctl", "did you mean 'kubectl'?"), ("install gh", "skr-secrets -- gh auth login"),
            ("install curl", "| skr inject -- curl -H @- "), ("status gh", "skr-secrets -- gh auth login"),
            ("install git x", "takes no second name"),
            ("install docker --dir ''", "--dir is empty"),
            ("install docker --timeout 8h", "set SKR_TIMEOUT"), ("install npm work --timeout 8h", "set SKR_TIMEOUT"),
            ("status git docker", "unexpected word 'docker'"),
            ("uninstall git --timeout 8h", "unknown option '--timeout'"),
            ("install git --json", "'skr help helper install' shows the options"),
            ("instal git", "did you mean 'install'?"),
            ("--timeout 8h git get", "hint: skr helper git --timeout ..."),
            ("--json status git", "hint: skr helper status --json ...\n"),
            ("--namespace 'a b' docker get", "hint: skr helper docker --namespace ..."),
            ("git --colour get", "unknown option '--colour'"), ("git get --timeout", "--timeout needs a value"),
            ("git get --timeout=soon", "'soon' is not a duration"), ("gti get", "no such client: gti"),
            ("git get --scope galaxy", "no such scope: 'galaxy'"), ("", "no client given"),
        ]
        let calls = mistakes.map { words, _ in
            "skr helper \(words) 2> errors; echo $?; ls -A home; cat errors; echo -- end\n"
        }
        let answers = try run(calls.joined()).output.split(separator: "-- end\n")
        try #require(answers.count == mistakes.count, "\(answers)")
        for ((words, message), answer) in zip(mistakes, answers) {
            #expect(answer.hasPrefix("64\nskr: error: "), "\(words): \(answer)")
            #expect(answer.contains(message) && answer.contains("skr: hint: "), "\(words): \(answer)")
        }
    }

    @Test("install and uninstall exit with 70 if a line of their output can't be written")
    func unwritable() throws {
        try checkUnwritable(step: 3)
    }

    @Test("install and uninstall exit with 70 if any line of their output can't be written", .tags(.long))
    func unwritableLines() throws {
        try checkUnwritable(step: 1)
    }

    private func checkUnwritable(step: Int) throws {
        try expect(
            #"""
            # Runs the command for one in \#(step) output lines, into a file that has room only for the lines before it.
            each() {
                "$@" > all; for ((k = 0; k < $(wc -l < all); k += \#(step))); do
                    head -c $((4096 - $(head -n $k all | wc -c))) /dev/zero > full
                    (ulimit -f 4; "$@" >> full 2> errors); echo $?
                done | sort -u
            }
            git config --global credential.helper skr; each skr helper uninstall git
            skr helper install git --dir bin > log; each skr helper install git --dir bin
            # Each uninstall can run only once: for a configuration, and for a link.
            rm -rf home/.local; skr helper uninstall git --write-config > /dev/full 2> errors; echo $?
            skr helper uninstall git --dir bin > /dev/full 2> errors; echo $?
            for words in "git --write-config" git docker aws; do
                skr helper install $words > log; each skr helper install $words
            done
            """#, onlyPrints: String(repeating: "70\n", count: 8))
    }

    @Test("a HOME that is not a folder is an error", arguments: ["", "relative"])
    func home(home: String) throws {
        let outcome = try run("HOME=\(home) skr helper install git; echo $?")
        #expect(
            outcome.output == "64\n"
                && outcome.errors.hasPrefix("skr: error: HOME is not set, or is not an absolute path\n"))
    }
}
