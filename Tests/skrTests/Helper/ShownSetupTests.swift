import Testing

import skr

@Suite("Clients that their users set up")
struct ShownSetupTests {
    @Test(
        "kubernetes: a user's command is skr, in YAML or JSON",
        arguments: [
            "users:\n- name: x\n  user:\n    exec:\n      command: skr\n", "    command: skr", "command:  \"skr\"\r\n",
            "command: /usr/bin/skr\n", "- command: '/a b/skr'\n", #"{"exec":{"command":"skr","args":[]}}"#,
            #"{"command" : "/opt/skr"}"#, "command: aws\ncommand: skr \n",
        ])
    func command(text: String) {
        let isOurs = KubernetesCommand.isOurs(Array(text.utf8).span.bytes)
        #expect(isOurs)
    }

    @Test(
        "kubernetes: the letters s, k and r elsewhere are nothing",
        arguments: [
            "", "command", "command:", "# skr\n", "command: aws\nargs: [skr]\n", "command: skr2\n",
            "command: /usr/skr/aws\n",
            "mycommand: skr\n", "client-certificate-data: xskrx\n", "current-context: skr\n", "command: xskr\n",
        ])
    func noCommand(text: String) {
        let isOurs = KubernetesCommand.isOurs(Array(text.utf8).span.bytes)
        #expect(!isOurs)
    }

    private static let state = "skr helper status | grep -E '^(aws|kubernetes|npm)' | cut -f 1,3 | shown; "

    @Test("the files are those that the clients' variables name")
    func variables() throws {
        let outcome = try HelperInstallTests.run(
            """
            mkdir home/.kube home/.aws; echo 'name: skr' > home/.kube/config; unset KUBECONFIG AWS_CONFIG_FILE NPM_CONFIG_USERCONFIG
            \(Self.state)echo 'command: skr' > k; echo 'credential_process = skr helper aws work' > a; echo '//r/:tokenHelper=/x/skr-npm-w' > n
            export KUBECONFIG=$work/none:$work/k AWS_CONFIG_FILE=$work/a NPM_CONFIG_USERCONFIG=$work/n
            \(Self.state)skr helper install aws | shown | sed -n 2p; skr helper uninstall kubernetes | shown
            """)
        #expect(
            outcome.output == """
                aws\t-
                kubernetes\t-
                npm\t-
                aws\tW/a
                kubernetes\tW/k
                npm\tW/n
                in W/a, for each profile:
                what is left to do:
                take out of W/k what names skr

                """, "\(outcome)")
    }

    @Test("each word of what is shown is quoted by itself")
    func words() throws {
        let outcome = try HelperInstallTests.run(
            """
            skr helper install kubernetes --namespace 'a b' | tail -n 1; skr helper install go --namespace 'a b' | tail -n 1
            skr helper install kubernetes --namespace 'a,"b' | tail -n 1 | grep -o "'.*"
            """)
        #expect(
            outcome.output
                == "    --exec-command=skr --exec-arg=helper --exec-arg=kubernetes --exec-arg=work --exec-arg=--namespace '--exec-arg=a b'\n"
                + #"  go env -w GOAUTH='skr helper go --namespace '\''a b'\'''"# + "\n"
                + #"'--exec-arg="a,""b"'"# + "\n", "\(outcome)")
    }

    @Test(
        "a path that would have to be quoted where the client knows no quotes is refused, and nothing is made",
        arguments: [
            #"install vault --write-config --dir $work/'a"b'"#, #"install vault --write-config --dir $work/'a${b}'"#,
            #"install vault --write-config --dir $work/'a\b'"#, #"install vault --dir $work/$'a\nb'"#,
            "install vault --dir $work/'a b'", "install google --namespace 'a b'", #"install git --dir $work/$'a\nb'"#,
        ])
    func unquotable(words: String) throws {
        let outcome = try HelperInstallTests.run("skr helper \(words); echo $?; find . -mindepth 1 | sort")
        #expect(outcome.output == "64\n./bin\n./home\n./program\n./program/skr\n", "\(outcome)")
        #expect(outcome.errors.contains("can't be told of '") && outcome.errors.contains("skr: hint: "), "\(outcome)")
    }
}
