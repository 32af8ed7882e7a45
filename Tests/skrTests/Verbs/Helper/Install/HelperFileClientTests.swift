import Testing

/// Clients whose configuration only their users change.
@Suite("skr helper install for clients whose lines are only shown")
struct HelperFileClientTests: ScriptTests {
    let preparation = HelperInstallTests.emptyHome

    @Test(
        "cargo, terraform, vault: the shown lines are found once pasted, and no file is changed",
        arguments: [("cargo", ".cargo/config.toml"), ("terraform", ".terraformrc"), ("vault", ".vault")])
    func pasted(client: String, file: String) throws {
        let outcome = try run(
            #"""
            file=$HOME/\#(file); mkdir -p ${file%/*}; skr helper install \#(client) > lines; echo $?; ls $file 2> /dev/null
            grep -c "~/\#(file)" lines; sed -n 's/^  //p' lines > $file; skr helper status \#(client) | cut -f 3,4
            cp $file before; skr helper install \#(client) | grep 'set up'; skr helper uninstall \#(client) | tail -n 2 | shown; cmp before $file
            sed -i 's/^/# /' $file; skr helper status \#(client) | cut -f 3,4
            """#)
        let parts = outcome.output.split(separator: "\n")
        #expect(
            parts.starts(with: [
                "0", "1", "~/\(file)\t-", "\(client) is already set up: ~/\(file)", "to set up more:",
            ]), "\(outcome)")
        #expect(
            parts.last == "-\tskr helper install \(client)"
                && parts.dropLast().last?.hasPrefix("removed the link") ?? false)
    }

    @Test("terraform's link is in the folder where terraform looks")
    func terraform() throws {
        try expect(
            "skr helper install terraform > /dev/null; find home -type l; skr helper install terraform --dir bin 2>&1 | grep -c 'does not look in'",
            onlyPrints: "home/.terraform.d/plugins/terraform-credentials-skr\n1\n")
    }

    @Test("npm has a link for each registry")
    func npm() throws {
        try expect(
            #"""
            skr helper install npm work | grep tokenHelper= | shown; skr helper install npm home > /dev/null; skr helper status | grep ^npm | cut -f 2
            skr helper uninstall npm work > /dev/null; ls $HOME/.local/bin; skr helper install npm 2> /dev/null; echo $?; skr helper install npm a/b 2> /dev/null; echo $?
            """#,
            prints: """
                  //registry.example.com/:tokenHelper=W/home/.local/bin/skr-npm-work
                ~/.local/bin/skr-npm-home
                ~/.local/bin/skr-npm-work
                skr-npm-home
                64
                64

                """)
    }

    @Test(
        "--write-config is refused for a client that we don't edit, and creates nothing",
        arguments: [
            "aws", "kubernetes", "ansible", "askpass", "go", "bazel", "google", "netrc", "kubectl", "podman", "ssh",
        ])
    func shown(client: String) throws {
        let outcome = try run(
            """
            for verb in install uninstall; do skr helper $verb \(client) --write-config; echo $?; done; ls -A home
            skr helper install \(client) > lines; echo $?; find home -type f; grep -c skr lines | grep -vx 0
            """)
        #expect(outcome.output.hasPrefix("64\n64\n0\n") && !outcome.output.contains("home"), "\(outcome)")
        #expect(outcome.output.split(separator: "\n").count == 4, "\(outcome)")
        #expect(outcome.errors.hasPrefix("skr: error: skr doesn't edit the configuration of \(client)\n"), "\(outcome)")
    }

    @Test("a client that uses another client's helper gets that client's link, and its own lines")
    func aliases() throws {
        try expect(
            #"""
            for client in kubectl pip uv twine podman buildah skopeo helm ssh sudo gcloud buck2; do echo "$client: $(skr helper install $client | grep '^  ' | grep -v '^  skr set' | head -n 1 | shown)"; done
            skr helper install pnpm work > /dev/null; ls $HOME/.local/bin
            skr helper install helm --write-config | tail -n 1; skr helper install docker | grep 'set up'; skr helper uninstall pip | shown
            """#,
            prints: """
                kubectl:   kubectl config set-credentials work --exec-api-version=client.authentication.k8s.io/v1 \\
                pip:   pip config set global.keyring-provider subprocess
                uv:   pip config set global.keyring-provider subprocess
                twine:   export PYTHON_KEYRING_BACKEND=skr_keyring.Keyring
                podman:   { "credHelpers": { "registry.example.com": "skr" } }
                buildah:   { "credHelpers": { "registry.example.com": "skr" } }
                skopeo:   { "credHelpers": { "registry.example.com": "skr" } }
                helm:   "credsStore": "skr"
                ssh:   SSH_ASKPASS=W/home/.local/bin/skr-askpass SSH_ASKPASS_REQUIRE=force ssh-add ~/.ssh/id_ed25519
                sudo:   SSH_ASKPASS=W/home/.local/bin/skr-askpass SSH_ASKPASS_REQUIRE=force ssh-add ~/.ssh/id_ed25519
                gcloud:   "credential_source": {"executable": {"command": "SKR helper google work", "timeout_millis": 30000}}
                buck2:   common --credential_helper=*.example.com=W/home/.local/bin/skr-bazel
                docker-credential-skr
                keyring
                skr-askpass
                skr-bazel
                skr-npm-work
                  "credsStore": "skr"
                docker is already set up: credsStore: skr
                removed the link W/home/.local/bin/keyring

                """)
    }
}
