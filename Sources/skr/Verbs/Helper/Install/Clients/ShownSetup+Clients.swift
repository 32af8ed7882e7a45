import CommandSupport

extension ShownSetup {
    static let aws = ShownSetup("helper aws", in: [.file(".aws/config", variable: "AWS_CONFIG_FILE")]) { call in
        let program = Display.shellWord(call.user.executable)
        return [
            "in \(call.user.shownFile(".aws/config", variable: "AWS_CONFIG_FILE")), for each profile:",
            "  [profile work]", "  credential_process = \(program) helper aws work\(call.shellOptions)",
        ]
    }

    static let kubernetes = ShownSetup(
        "skr", in: [.files(".kube/config", variable: "KUBECONFIG")], names: KubernetesCommand.isOurs
    ) { call in
        let words = ["helper", "kubernetes", "work"] + call.options
        return [
            "for each user of \(call.user.shownFile(".kube/config", variable: "KUBECONFIG")):",
            "  kubectl config set-credentials work --exec-api-version=client.authentication.k8s.io/v1 \\",
            "    --exec-command=skr "
                + words.map { Display.shellWord("--exec-arg=\(kubectlWord($0))") }.joined(separator: " "),
        ]
    }

    static let keyring = ShownSetup("skr", in: [.variable("PYTHON_KEYRING_BACKEND")]) { _ in
        [
            "pip and uv ask the first 'keyring' in PATH, once they are told to:",
            "  pip config set global.keyring-provider subprocess", "  export UV_KEYRING_PROVIDER=subprocess",
        ]
    }

    static let ansible = ShownSetup("skr-client", in: [.variable("ANSIBLE_VAULT_IDENTITY_LIST")]) { call in
        let program = Display.shellWord(call.linkPath)
        return [
            "store the password as 'prod', and name us for it:", "  skr set prod",
            "  ansible-playbook --vault-id prod@\(program) site.yml",
        ]
    }

    static let askpass = ShownSetup(
        "skr-askpass", in: [.variable("SSH_ASKPASS"), .variable("SUDO_ASKPASS"), .variable("GIT_ASKPASS")]
    ) { call in
        let program = Display.shellWord(call.linkPath)
        return [
            "for ssh and ssh-add, and for sudo -A:", "  export SSH_ASKPASS=\(program) SSH_ASKPASS_REQUIRE=force",
            "  export SUDO_ASKPASS=\(program)",
        ]
    }

    static let go = ShownSetup("skr helper go", in: [.variable("GOAUTH"), .file(".config/go/env", variable: "GOENV")]) {
        call in
        ["go 1.24 or later:", "  go env -w GOAUTH=\(Display.shellWord("skr helper go\(call.shellOptions)"))"]
    }

    static let bazel = ShownSetup("skr-bazel", in: [.file(".bazelrc", variable: nil)]) { call in
        ["in ~/.bazelrc:", "  common --credential_helper=*.example.com=\(call.linkPath)"]
    }

    static let npm = ShownSetup("skr-npm-", in: [.file(".npmrc", variable: "NPM_CONFIG_USERCONFIG")]) { call in
        [
            "in \(call.user.shownFile(".npmrc", variable: "NPM_CONFIG_USERCONFIG")), for the registry that is meant:",
            "  //registry.example.com/:tokenHelper=\(call.linkPath)",
        ]
    }

    static let google = ShownSetup("helper google", in: []) { call in
        let command = #""command": "\#(call.user.executable) helper google work\#(call.shellOptions)""#
        return [
            "in the file that GOOGLE_APPLICATION_CREDENTIALS names:",
            #"  "credential_source": {"executable": {\#(command), "timeout_millis": 5000}}"#,
            "and in the environment:", "  export GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES=1",
        ]
    }

    static let netrc = ShownSetup("helper netrc", in: []) { call in
        [
            "for what reads a netrc file:",
            "  curl --netrc-file <(skr helper netrc\(call.shellOptions) example.com) https://example.com/",
        ]
    }
}

extension ShownSetup {
    /// A word as kubectl reads it: as a line of CSV, which it would split at a comma.
    private static func kubectlWord(_ word: String) -> String {
        let quote = UInt8(ascii: "\"")
        guard word.isEmpty || word.utf8.contains(where: { "\",\n\r".utf8.contains($0) }) else { return word }
        let parts = word.utf8.split(separator: quote, omittingEmptySubsequences: false)
        return "\"\(parts.map { String(Substring($0)) }.joined(separator: "\"\""))\""
    }
}

extension SetupUser {
    /// The file that a client reads, as people write it.
    fileprivate func shownFile(_ name: String, variable: String) -> String {
        shown(self.variable(variable) ?? path(name))
    }
}
