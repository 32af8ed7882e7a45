import Testing

@Suite("skr under the names by which clients start it")
struct ClientLinkTests: ScriptTests {
    /// Makes links to `skr` under the clients' names, in a folder that is first in PATH.
    let preparation = """
        bin=$(mktemp -d); trap 'rm -r "$bin"' EXIT
        for name in {cargo,docker}-credential-skr keyring skr-{askpass,client,vault} terraform-credentials-skr; do
            ln -s "$(command -v skr)" "$bin/$name"
        done; PATH=$bin:$PATH

        """

    @Test("cargo gets each answer line by line, before it closes its end of the pipe")
    func cargo() throws {
        let outcome = try run(
            """
            coproc cargo-credential-skr --cargo-plugin --timeout 8h
            out=${COPROC[1]} pid=$COPROC_PID
            # A copy, because bash closes the original as soon as the command ends.
            exec {in}<&${COPROC[0]}
            read -r line <&$in; echo "$line"
            ask() { echo "{\\"v\\":1,\\"registry\\":{\\"index-url\\":\\"i\\"},$1}" >&$out; read -r line <&$in; echo "$line"; }
            ask '"kind":"get","operation":"read"'
            ask '"kind":"login","token":"t"'
            ask '"kind":"get","operation":"read"'
            ask '"kind":"logout"'
            printf '{"v":1,"kind":"get"}' >&$out
            eval "exec $out>&-"
            cat <&$in
            wait $pid; echo $?
            """)
        #expect(
            outcome.output.replacing(/"expiration":\d{10}/, with: "\"expiration\":END") == """
                {"v":[1]}
                {"Err":{"kind":"not-found"}}
                {"Ok":{"kind":"login"}}
                {"Ok":{"kind":"get","token":"t","cache":"expires","expiration":END,"operation_independent":true}}
                {"Ok":{"kind":"logout"}}
                {"Err":{"kind":"url-not-supported"}}
                0

                """)
    }

    @Test("a cargo request may be longer than a page, but not longer than any key")
    func longCargoRequests() throws {
        let outcome = try expect(
            #"""
            token=$(head -c 5000 /dev/zero | tr '\0' t)
            ask() { echo "{\"v\":1,\"registry\":{\"index-url\":\"i\"},\"kind\":\"$1\",\"token\":\"$token\"}"; }
            { ask login; ask get; } | cargo-credential-skr --cargo-plugin | sed 's/t\{5000\}/TOKEN/'
            head -c 262138 /dev/zero | tr '\0' x > "$bin/long"
            cargo-credential-skr --cargo-plugin < "$bin/long"; echo $?
            """#,
            prints: """
                {"v":[1]}
                {"Ok":{"kind":"login"}}
                {"Ok":{"kind":"get","token":"TOKEN","cache":"session","operation_independent":true}}
                {"v":[1]}
                65

                """)
        #expect(outcome.errors.hasPrefix("skr: error: the request has 262138 bytes or more\n"), "\(outcome)")
    }

    @Test("the last part of a link's path decides which client it is for")
    func path() throws {
        try expect(
            #"""
            "$bin/docker-credential-skr" list; "$bin/../${bin##*/}/docker-credential-skr" list
            exec -a docker-credential-skr "$bin/docker-credential-skr" list
            """#, onlyPrints: "{}\n{}\n{}\n")
    }

    @Test("cargo gets an error if skr can't ask for a token, or has no store")
    func cargoErrors() throws {
        let login = #"{"v":1,"registry":{"index-url":"i"},"kind":"login"}"#
        let outcome = try run(
            """
            echo '\(login)' | setsid -w cargo-credential-skr --cargo-plugin
            echo '\(login)' | SKR_SCOPE=nowhere cargo-credential-skr --cargo-plugin 2>/dev/null; echo $?
            skr list
            """)
        let lines = outcome.output.split(separator: "\n")
        #expect(lines.count == 3 && lines.first == "{\"v\":[1]}" && lines.last == "64")
        #expect(lines[1].hasPrefix(#"{"Err":{"kind":"other","message":"skr: can't ask for the secret"#))
    }

    @Test("cargo sends its configured options with each request, and an unknown one is an error")
    func cargoWords() throws {
        let outcome = try run(
            #"""
            ask() { echo "{\"v\":1,\"registry\":{\"index-url\":\"$1\"},\"kind\":\"$2\",\"token\":\"t\",\"args\":$3}"; }
            {
                ask i login '["--timeout","50d","--namespace=work"]'; ask j login '["--timeout=30d"]'; ask i get '[]'
                ask i get '["--namespace","work"]'
                for args in '["--colour"]' '["--timeout"]' '["--timeout","soon"]' '["--scope","x"]' '["w"]' '["--"]' '[1]'; do ask k login "$args"; done
            } | cargo-credential-skr --cargo-plugin --timeout 90d | cut -c -60; skr list --namespace work | cut -f 2,5; skr list | cut -f 2,5
            """#)
        let lines = outcome.output.split(separator: "\n").map(String.init)
        let login = #"{"Ok":{"kind":"login"}}"#
        #expect(lines.prefix(4) == [#"{"v":[1]}"#, login, login, #"{"Err":{"kind":"not-found"}}"#], "\(outcome)")
        #expect(lines.dropFirst(4).first?.hasPrefix(#"{"Ok":{"kind":"get","token":"t""#) == true)
        #expect(lines.filter { $0.hasPrefix(#"{"Err":{"kind":"other","message":"skr: "#) }.count == 7)
        #expect(lines.suffix(2) == ["i\t7w", "j\t4w"] && lines.count == 14 && outcome.errors == "", "\(outcome)")
    }

    @Test("keyring accepts options where pip and uv write them, and drops one newline")
    func keyring() throws {
        try expect(
            """
            printf 'p w\\n\\n' | keyring set https://h:8 me
            keyring get https://h:8/simple/ me
            keyring --mode=creds --output=json get https://h:8/simple/
            keyring get https://h:8/simple/ --mode creds; echo $?
            printf x | keyring set -- -s ''
            keyring get -- -s ''
            keyring get h:8 me; echo $?
            keyring del https://h:8 me; echo $?
            keyring del https://h:8 me; echo $?
            for words in diagnose --list-backends "get s" "set s" "--mode=all get s u" "--output xml get s u" "get a b c"; do
                keyring $words </dev/null 2>/dev/null; echo -n $?
            done
            """,
            prints: "p w\n\n{\"username\":\"me\",\"password\":\"p w\\n\"}\n1\nx\n1\n0\n1\n"
                + String(repeating: "64", count: 7),
            withErrors: "skr: error: the user or the password has more than one line\n")
    }

    @Test("skr-client, terraform-credentials-skr and skr-vault answer their clients")
    func tokens() throws {
        let outcome = try expect(
            """
            hint=$(skr-client --namespace 'a b' --vault-id=-x 2>&1 | sed -n 's/.*store it: //p'); printf h | eval "$hint"
            skr-client --namespace 'a b' --vault-id=-x; skr clear --namespace 'a b'
            printf d | skr set default; printf p | skr set prod
            skr-client; skr-client --vault-id prod; skr-client --vault-id=dev; echo $?
            terraform-credentials-skr get h; echo '{"token":"t"}' | terraform-credentials-skr --timeout 8h store h
            terraform-credentials-skr get h; terraform-credentials-skr forget h; terraform-credentials-skr get h
            echo v | VAULT_ADDR=https://v/ skr-vault store
            VAULT_ADDR=https://v skr-vault get; VAULT_ADDR= BAO_ADDR=https://v skr-vault get; skr-vault get; echo
            echo w | skr-vault store; VAULT_ADDR=https://127.0.0.1:8200 skr-vault get
            """, prints: "h\nd\np\n2\n{}\n{\"token\":\"t\"}\n{}\nvv\nw")
        #expect(outcome.errors.contains("skr: error: dev: no such item, or it has expired"))
        #expect(outcome.errors.contains("skr: hint: store it: skr set dev\n"))
    }

    @Test("with different values for vault and bao in the environment, neither gets a token")
    func twoServers() throws {
        let outcome = try expect(
            """
            echo v | VAULT_ADDR=https://v skr-vault store; echo b | BAO_ADDR=https://b skr-vault store
            export VAULT_ADDR=https://v BAO_ADDR=https://b
            for word in get store erase; do echo x | skr-vault $word; echo $?; done
            BAO_ADDR=https://v// skr-vault get; echo; BAO_ADDR= skr-vault get; echo; VAULT_ADDR= skr-vault get; echo
            unset BAO_ADDR; echo n | VAULT_NAMESPACE=n/ skr-vault store; BAO_NAMESPACE=n skr-vault get; echo
            VAULT_NAMESPACE= skr-vault get; echo; VAULT_NAMESPACE=/n BAO_NAMESPACE=n/ skr-vault get; echo
            VAULT_NAMESPACE=m skr-vault get; echo $?; VAULT_NAMESPACE=m BAO_NAMESPACE=n skr-vault get; echo $?
            skr get https://v#n
            """, prints: "64\n64\n64\nv\nv\nb\nn\nv\nn\n0\n64\nn")
        #expect(outcome.errors.contains("skr: hint: unset one of them"))
    }

    @Test("a prompt is never an option, and a question never gets a secret")
    func askpass() throws {
        let outcome = try expect(
            """
            export SKR_NAMESPACE=n; printf p | skr set '/k y'; printf s | skr set sudo me
            skr-askpass "Enter passphrase for key '/k y': "
            skr-askpass '[sudo] password for me: '
            SKR_ASKPASS=sudo/me skr-askpass --scope --; echo $?
            SKR_ASKPASS=skr://%2Fk%20y skr-askpass --help; echo $?
            SKR_ASKPASS=sudo/me SSH_ASKPASS_PROMPT=confirm skr-askpass 'Allow use of key?'; echo $?
            SKR_ASKPASS=sudo/me skr-askpass 'Are you sure you want to continue connecting (yes/no)? '; echo $?
            SKR_ASKPASS=sudo/me SSH_ASKPASS_PROMPT=none skr-askpass 'Confirm user presence for key'; echo $?
            SKR_ASKPASS=sudo/ skr-askpass x 2>/dev/null; echo $?
            skr-askpass "you@h's password: "; echo $?
            skr-askpass --scope; echo $?
            export SKR_ASKPASS=sudo/me
            skr-askpass '(u@evil.example) Enter the sudo password you know: '; echo $?
            skr-askpass "root@evil.example's password: "; echo $?
            skr-askpass "Password for 'https://evil.example': "; skr-askpass "Username for 'https://evil.example': "; echo $?
            skr-askpass "Enter passphrase for key '/k y': "; skr-askpass 'Secret: '
            skr-askpass 'Enter PIN for ED25519-SK key /k: '; echo $?
            unset SKR_ASKPASS; skr-askpass '[sudo] Passwort für me: '; skr-askpass '[sudo: authenticate] Password: '
            """, prints: "p\ns\ns\n0\np\n0\n1\n1\n0\n64\n1\n1\n1\n1\n1\np\ns\n1\ns\ns\n")
        #expect(
            outcome.errors.hasPrefix(
                String(
                    repeating: """
                        skr: error: this is a yes-or-no question, so a person has to answer it
                        skr: hint: answer it yourself: SSH_ASKPASS_REQUIRE=never ssh ...

                        """, count: 2) + "skr: Confirm user presence for key\n"), "\(outcome)")
        #expect(outcome.errors.contains("skr: error: this is a question for a PIN or a one-time code"))
        #expect(outcome.errors.contains("SSH_ASKPASS_REQUIRE=never ssh ..., or sudo without -A\n"))
        #expect(outcome.errors.contains("skr: error: a server chose the text of this prompt"))
        #expect(outcome.errors.contains("skr: error: h you: no such item, or it has expired (namespace n)\n"))
        #expect(outcome.errors.contains("skr: hint: store it: skr set h you\n"))
        #expect(outcome.errors.contains("SKR_ASKPASS=SERVICE"))
    }

    @Test("a netrc has the stored items, in quotes where necessary")
    func netrc() throws {
        let outcome = try expect(
            """
            printf '%s\\n' 'p "w" # \\' | keyring set https://h 'a b'
            skr helper netrc h
            skr helper netrc i; echo $?
            echo p | skr helper keyring set https://i USER; skr helper netrc i
            echo q | skr helper keyring set https://j:8080/a USER; skr helper netrc j:8080/a
            """,
            prints: #"machine h login "a b" password "p \"w\" # \\""#
                + "\n1\nmachine i login USER password p\nmachine j login USER password q\n")
        #expect(outcome.errors.contains("skr: hint: store it: skr helper keyring set https://i USER\n"))
    }
}
