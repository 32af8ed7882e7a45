import CommandSupport

extension ShownSetup {
    static let aws = ShownSetup("helper aws", in: [.file(".aws/config")]) { call in
        let program = Display.shellWord(call.user.executable)
        return [
            "in ~/.aws/config, for each profile:", "  [profile work]",
            "  credential_process = \(program) helper aws work\(call.options)",
        ]
    }

    static let kubernetes = ShownSetup("skr", in: [.file(".kube/config")]) { call in
        let words = ["helper", "kubernetes", "work"] + call.options.split(separator: " ").map(String.init)
        return [
            "for each user of ~/.kube/config:",
            "  kubectl config set-credentials work --exec-api-version=client.authentication.k8s.io/v1 \\",
            "    --exec-command=skr \(words.map { "--exec-arg=\($0)" }.joined(separator: " "))",
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

    static let go = ShownSetup("skr helper go", in: [.variable("GOAUTH"), .file(".config/go/env")]) { call in
        ["go 1.24 or later:", "  go env -w GOAUTH='skr helper go\(call.options)'"]
    }

    static let bazel = ShownSetup("skr-bazel", in: [.file(".bazelrc")]) { call in
        ["in ~/.bazelrc:", "  common --credential_helper=*.example.com=\(call.linkPath)"]
    }

    static let npm = ShownSetup("skr-npm-", in: [.file(".npmrc")]) { call in
        ["in ~/.npmrc, for the registry that is meant:", "  //registry.example.com/:tokenHelper=\(call.linkPath)"]
    }

    static let google = ShownSetup("helper google", in: []) { call in
        let command = #""command": "\#(call.user.executable) helper google work\#(call.options)""#
        return [
            "in the file that GOOGLE_APPLICATION_CREDENTIALS names:",
            #"  "credential_source": {"executable": {\#(command), "timeout_millis": 5000}}"#,
            "and in the environment:", "  export GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES=1",
        ]
    }

    static let netrc = ShownSetup("helper netrc", in: []) { call in
        [
            "for what reads a netrc file:",
            "  curl --netrc-file <(skr helper netrc\(call.options) example.com) https://example.com/",
        ]
    }
}
