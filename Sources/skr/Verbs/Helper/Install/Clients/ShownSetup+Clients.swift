import CommandSupport

extension ShownSetup {
    static let aws = ShownSetup("helper aws", files: [("AWS_CONFIG_FILE", ".aws/config")]) { call, file in
        let program = Display.shellWord(call.user.executable)
        return [
            "in \(file), for each profile:", "  [profile work]",
            "  credential_process = \(program) helper aws work\(call.shellOptions)",
        ]
    }

    static let kubernetes = ShownSetup("command: skr", files: [("KUBECONFIG", ".kube/config")]) { call, file in
        let words = ["helper", "kubernetes", "work"] + call.options
        return [
            "for each user of \(file):",
            "  kubectl config set-credentials work --exec-api-version=client.authentication.k8s.io/v1 \\",
            "    --exec-interactive-mode=IfAvailable --exec-command=skr \\",
            "    " + words.map { Display.shellWord("--exec-arg=\(kubectlWord($0))") }.joined(separator: " "),
            "kubectl before 1.30 can't set that mode, which v1 needs: leave --exec-interactive-mode out, and use v1beta1",
        ]
    }

    static let cargo = ShownSetup(
        "cargo-credential-skr",
        files: [("CARGO_HOME/config", ".cargo/config"), ("CARGO_HOME/config.toml", ".cargo/config.toml")],
        readsOneFile: true
    ) { _, file in
        [
            "in \(file):", "  [registry]", "  global-credential-providers = [\"cargo-credential-skr\"]",
            "cargo then ignores a token that it has stored itself; 'cargo login' stores it in the session",
        ]
    }

    static let terraform = ShownSetup(
        #"credentials_helper "skr""#, files: [("TF_CLI_CONFIG_FILE", ".terraformrc")],
        linkFolder: ".terraform.d/plugins"
    ) { _, file in ["in \(file):", #"  credentials_helper "skr" {}"#] }

    static let vault = ShownSetup("skr-vault", files: [("VAULT_CONFIG_PATH", ".vault")]) { call, file in
        ["in \(file):", #"  token_helper = "\#(call.linkPath)""#]
    }

    /// podman, buildah and skopeo.
    static let containers = ShownSetup(
        #""skr""#,
        files: [
            ("REGISTRY_AUTH_FILE", ".config/containers/auth.json"),
            ("XDG_RUNTIME_DIR/containers/auth.json", ".config/containers/auth.json"),
        ]
    ) { call, file in
        let usual = "${XDG_RUNTIME_DIR}/containers/auth.json"
        return [
            "in \(call.user.variable("REGISTRY_AUTH_FILE") == nil ? usual : file), for each registry:",
            #"  { "credHelpers": { "registry.example.com": "skr" } }"#,
        ]
    }

    /// Programs that use Python's keyring.
    static let python = ShownSetup("skr", variables: ["PYTHON_KEYRING_BACKEND"]) { _, _ in
        [
            "with the backend for Python's keyring, which the Debian package of skr has:",
            "  export PYTHON_KEYRING_BACKEND=skr_keyring.Keyring",
        ]
    }

    static let keyring = ShownSetup(
        "subprocess",
        files: [
            ("PIP_CONFIG_FILE", ".config/pip/pip.conf"), ("XDG_CONFIG_HOME/pip/pip.conf", ".config/pip/pip.conf"),
        ],
        variables: ["UV_KEYRING_PROVIDER", "PIP_KEYRING_PROVIDER"]
    ) { _, _ in
        [
            "have pip and uv ask the first 'keyring' in PATH:",
            "  pip config set global.keyring-provider subprocess", "  export UV_KEYRING_PROVIDER=subprocess",
        ]
    }

    static let ansible = ShownSetup("skr-client", variables: ["ANSIBLE_VAULT_IDENTITY_LIST"]) { call, _ in
        let program = Display.shellWord(call.linkPath)
        return [
            "store the password as 'prod', and name us for it:", "  skr set prod",
            "  ansible-playbook --vault-id prod@\(program) site.yml",
        ]
    }

    static let askpass = ShownSetup("skr-askpass", variables: ["SSH_ASKPASS", "SUDO_ASKPASS", "GIT_ASKPASS"]) {
        call, _ in
        let program = Display.shellWord(call.linkPath)
        return [
            "for ssh and ssh-add, and for sudo -A:", "  export SSH_ASKPASS=\(program) SSH_ASKPASS_REQUIRE=force",
            "  export SUDO_ASKPASS=\(program)",
        ]
    }

    static let go = ShownSetup("skr helper go", files: [("GOENV", ".config/go/env")], variables: ["GOAUTH"]) {
        call, _ in
        ["go 1.24 or later:", "  go env -w GOAUTH=\(Display.shellWord("skr helper go\(call.shellOptions)"))"]
    }

    static let bazel = ShownSetup("skr-bazel", files: [("", ".bazelrc")]) { call, file in
        ["in \(file):", "  common --credential_helper=*.example.com=\(call.linkPath)"]
    }

    static let npm = ShownSetup("skr-npm-", files: [("NPM_CONFIG_USERCONFIG", ".npmrc")]) { call, file in
        ["in \(file), for that registry:", "  //registry.example.com/:tokenHelper=\(call.linkPath)"]
    }

    static let google = ShownSetup(
        "helper google",
        files: [("GOOGLE_APPLICATION_CREDENTIALS", ".config/gcloud/application_default_credentials.json")]
    ) { call, _ in
        let command = #""command": "\#(call.user.executable) helper google work\#(call.shellOptions)""#
        return [
            "in the file that GOOGLE_APPLICATION_CREDENTIALS names:",
            #"  "credential_source": {"executable": {\#(command), "timeout_millis": 30000}}"#,
            "and in the environment:", "  export GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES=1",
        ]
    }

    static let netrc = ShownSetup("helper netrc") { call, _ in
        [
            "for programs that read a netrc file:",
            "  curl --netrc-file <(skr helper netrc\(call.shellOptions) example.com) https://example.com/",
        ]
    }

    /// A word as kubectl reads it: as a line of CSV, which it would split at a comma.
    private static func kubectlWord(_ word: String) -> String {
        let quote = UInt8(ascii: "\"")
        guard word.isEmpty || word.utf8.contains(where: { "\",\n\r".utf8.contains($0) }) else { return word }
        let parts = word.utf8.split(separator: quote, omittingEmptySubsequences: false)
        return "\"\(parts.map { String(Substring($0)) }.joined(separator: "\"\""))\""
    }
}
