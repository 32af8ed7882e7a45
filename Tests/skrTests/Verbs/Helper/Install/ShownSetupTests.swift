import Glibc
import Testing

@testable import skr

@Suite("Clients that their users set up")
struct ShownSetupTests: ScriptTests {
    let preparation = HelperInstallTests.emptyHome
    private static let state = "skr helper status | grep -E '^(aws|kubernetes|npm)' | cut -f 1,3 | shown; "

    @Test("the clients' variables select the files")
    func variables() throws {
        try expect(
            """
            mkdir home/.kube home/.aws; echo 'name: skr' > home/.kube/config; unset KUBECONFIG AWS_CONFIG_FILE NPM_CONFIG_USERCONFIG
            \(Self.state)echo 'command: skr' > k; echo 'credential_process = skr helper aws work' > a; echo '//r/:tokenHelper=/x/skr-npm-w' > n
            export KUBECONFIG=$work/none:$work/k AWS_CONFIG_FILE=$work/a NPM_CONFIG_USERCONFIG=$work/n
            \(Self.state)skr helper install aws | shown | sed -n 1,3p; skr helper uninstall kubernetes | shown
            """,
            prints: """
                aws\t-
                kubernetes\t-
                npm\t-
                aws\tW/a
                kubernetes\tW/k
                npm\tW/n
                aws is already set up: W/a
                to set up more:
                in W/a, for each profile:
                to remove the configuration:
                in W/k, remove the setting that contains: command: skr

                """)
    }

    @Test("a path in the home is shown with ~, even if HOME ends in a slash, but not if HOME is /")
    func homes() throws {
        try expect(
            """
            unset AWS_CONFIG_FILE; mkdir home/.aws; echo 'credential_process = skr helper aws work' > home/.aws/config
            state() { skr helper status aws | cut -f 3 | shown; }; state; HOME=$HOME/ state
            export AWS_CONFIG_FILE=$work/home/.aws/config; state; HOME=/ state
            """, prints: "~/.aws/config\n~/.aws/config\n~/.aws/config\nW/home/.aws/config\n")
    }

    @Test("a configuration names skr if our words are in a line that is not a comment")
    func lines() throws {
        let outcome = try run(
            #"""
            mkdir home/.aws; words='credential_process = skr helper aws'
            state() { printf "$1" > home/.aws/config; skr helper status aws | cut -f 3 | shown; }
            state "# $words"; state " ;$words\n"; state "x\n\t#$words\n\ny\n"; state "x\n \t"; state "${words%s}"; state ""
            state "$words"; state "x\n\n\t$words\n"; state "#x\nx; $words"
            """#)
        let file = "~/.aws/config\n"
        #expect(outcome.output == "-\n-\n-\n-\n-\n-\n\(file)\(file)\(file)", "\(outcome)")
    }

    @Test("a path in the home / starts with one slash")
    func rootHome() async {
        await #expect(processExitsWith: .exitCode(0)) {
            for home in ["/", "//"] {
                setenv("HOME", home, 1)
                guard try SetupUser().path(".aws/config") == "/.aws/config" else { exit(1) }
            }
            exit(0)
        }
    }

    @Test("cargo's older file counts if it exists, and the printed lines set up pip, uv and Google")
    func printedLines() throws {
        try expect(
            #"""
            state() { skr helper status $1 | cut -f 3 | shown; }; named() { skr helper install cargo | grep '^in ' | shown; }
            mkdir -p home/.cargo home/.config/pip; named; echo '[net]' > home/.cargo/config; named
            echo 'global-credential-providers = ["cargo-credential-skr"]' > home/.cargo/config.toml; state cargo
            mv home/.cargo/config.toml home/.cargo/config; state cargo
            state pip; PIP_CONFIG_FILE=/dev/null state pip; UV_KEYRING_PROVIDER=subprocess state uv
            printf '[global]\nkeyring-provider = subprocess\n' > home/.config/pip/pip.conf; state pip
            state google; echo '"command": "/usr/bin/skr helper google work"' > g; GOOGLE_APPLICATION_CREDENTIALS=$work/g state google
            """#,
            prints: """
                in ~/.cargo/config.toml:
                in ~/.cargo/config:
                -
                ~/.cargo/config
                -
                -
                UV_KEYRING_PROVIDER
                ~/.config/pip/pip.conf
                -
                W/g

                """)
    }

    @Test("each word of a shown command is quoted separately")
    func words() throws {
        try expect(
            """
            skr helper install kubernetes --namespace 'a b' | grep exec-arg=work; skr helper install go --namespace 'a b' | grep GOAUTH=
            skr helper install kubernetes --namespace 'a,"b' | grep exec-arg=work | grep -o "'.*"
            skr helper install kubernetes --namespace 'a"' | grep exec-arg=work | grep -o "'.*"
            """,
            prints:
                "    --exec-arg=helper --exec-arg=kubernetes --exec-arg=work --exec-arg=--namespace '--exec-arg=a b'\n"
                + #"  go env -w GOAUTH='skr helper go --namespace '\''a b'\'''"# + "\n"
                + #"'--exec-arg="a,""b"'"# + "\n" + #"'--exec-arg="a"""'"# + "\n")
    }

    @Test(
        "install prints the line that stores the item, and the helper finds it there",
        arguments: [
            ("aws", "skr helper aws work", #"{"Version":1,"AccessKeyId":"...","SecretAccessKey":"..."}"#),
            ("kubectl", "skr helper kubectl work", #""token":"s3cret""#),
            ("google", "skr helper google work", #""id_token":"s3cret""#),
            ("headers", "skr helper headers work", "Bearer s3cret"), ("npm own", "skr-npm-own", "Bearer s3cret"),
            ("go", "skr helper go https://go.example.com/private/a", "Bearer s3cret"),
            ("bazel", #"echo '{"uri":"https://cache.example.com/a"}' | skr-bazel get"#, "Bearer s3cret"),
            ("ansible", "skr-client --vault-id prod", "s3cret"),
            ("ssh", #"skr-askpass "Enter passphrase for key '$HOME/.ssh/id_ed25519': ""#, "s3cret"),
            ("sudo", "skr-askpass '[sudo] password for me: '", "s3cret"),
            ("netrc", "skr helper netrc example.com", "machine example.com login me password s3cret"),
            ("pip", "keyring get https://pypi.example.com/simple/ alice", "s3cret"),
        ])
    func storing(client: String, call: String, answer: String) throws {
        let outcome = try run(
            #"""
            export USER=me; skr helper install \#(client) > lines; secret=$(grep -o '{"Access.*' lines || echo s3cret)
            grep -E '^  (skr set|skr helper keyring|keyring set) ' lines > store; [ -s store ] || cat lines
            while read -r line; do printf '%s\n' "$secret" | eval "$line"; done < store; \#(call)
            """#)
        #expect(outcome.output.contains(answer) && outcome.errors == "", "\(outcome)")
    }

    @Test("the line that stores the item has the options of the client's line")
    func storingElsewhere() throws {
        try expect(
            "skr helper install aws --timeout 8h --namespace 'a b' | tail -n 1; skr helper install kubectl | tail -n 1",
            prints: "  skr set work --timeout 8h --namespace 'a b'\n  skr set work\n")
    }

    @Test(
        "a path that needs quotes is refused if the client reads no quotes, and nothing is created",
        arguments: [
            #"install vault --dir $work/'a"b'"#, #"install vault --dir $work/'a${b}'"#,
            #"install vault --dir $work/'a\b'"#, #"install vault --dir $work/$'a\nb'"#,
            "install vault --dir $work/'a b'", "install google --namespace 'a b'", #"install git --dir $work/$'a\nb'"#,
        ])
    func unquotable(words: String) throws {
        let outcome = try expect(
            "skr helper \(words); echo $?; find . -mindepth 1 | sort",
            prints: "64\n./bin\n./home\n./program\n./program/skr\n")
        #expect(
            outcome.errors.contains("' has characters that the configuration of ")
                && outcome.errors.contains("skr: hint: "), "\(outcome)")
    }
}
