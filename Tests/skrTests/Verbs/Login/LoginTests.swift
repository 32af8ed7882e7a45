import Foundation
import TestSupport
import Testing

/// Logins, with a server on this machine.
@Suite("skr login", .tags(.kernel))
struct LoginTests {
    @Test(
        "a login with a browser declares the account; then every reader gets a token, and refreshes it",
        .enabled(if: OAuthServer.hasBrowser))
    func browser() throws {
        try OAuthServer.run(
            #"""
            login --oauth-scope 'openid email' --resource https://api.example.com --auth-parameter prompt=consent --auth-parameter 'a=b c'
            sed 's/skr: for the next session, .*/declared/; /http/d' $HOME/log; cat $HOME/page
            sed "s,$server,SERVER," $HOME/.config/skr/sources; stat -c %a $HOME/.config/skr/sources
            skr get work | cut -d - -f 1-2
            skr delete work; skr get work | cut -d - -f 1-2; skr get work | cut -d - -f 1-2
            skr list | cut -f 1-2; skr list -n oauth | cut -f 1-2; skr login --list | sed "s,$server,SERVER,"
            report 'requests[0] | [.scope, .resource, .prompt, .a, .code_challenge_method]'; report grants; report reuse
            """#,
            prints: #"""
                Log in with the browser. If none has opened, open this address:


                skr: work: logged in as alice@example.com
                declared
                <!doctype html><meta charset=utf-8><title>skr</title><p>You can close this page.
                work --oauth SERVER --client-id skr --oauth-scope 'openid email' --resource https://api.example.com --auth-parameter prompt=consent --auth-parameter 'a=b c'
                600
                access-1
                access-2
                access-2
                password\#twork
                credential\#twork
                work\#t\#tSERVER\#talice@example.com\#t-
                ["openid email","https://api.example.com","consent","b c","S256"]
                1
                0

                """#)
    }

    @Test(
        "over ssh, the device flow and the browser's address are both offered, and the server can slow us down",
        .enabled(if: OAuthServer.hasBrowser))
    func device() throws {
        try OAuthServer.run(
            #"""
            export SSH_CONNECTION=x DISPLAY=:0 BROWSER=/no/browser
            skr login work me --issuer $server --client-id skr --keep 8h < /dev/null 2> $HOME/log; echo $?
            grep -c "^Open this address" $HOME/log; grep -A 2 "^Or open" $HOME/log | sed "s,$server,SERVER,"
            skr get work me | cut -d - -f 1-2; skr login --list | cut -f 5 | sed 's/^8h$/7h59m/'; report device
            """#, "--slow",
            prints: """
                0
                1
                Or open SERVER/enter on any device, and enter the code:

                    ABCD-EFGH
                access-1
                7h59m
                1

                """)
    }

    @Test("--device and --print-url choose; without the endpoint, --device fails")
    func choices() throws {
        try OAuthServer.run(
            #"""
            skr login work --issuer $server --client-id skr --device --print-url 2> $HOME/log; echo $?
            sed "s,$server,SERVER,; /next session/d" $HOME/log
            skr login a --issuer $server --client-id skr --device --paste 2>&1; echo $?
            """#,
            prints: """
                0
                skr: SERVER/enter ABCD-EFGH
                skr: work: logged in as alice@example.com
                skr: error: --device, --browser and --paste exclude each other
                skr: hint: leave out all but one
                64

                """)
        try OAuthServer.run(
            "skr login work --issuer $server --client-id skr --device 2>&1; echo $?", "--no-device_authorization",
            prints: "skr: error: work: the server has no device flow\nskr: hint: log in with any browser: --paste\n77\n"
        )
    }

    @Test("over ssh, the browser is left if the server refuses the device flow", .enabled(if: OAuthServer.hasBrowser))
    func deviceRefused() throws {
        try OAuthServer.run(
            #"""
            export SSH_CONNECTION=x
            skr login work --issuer $server --client-id skr < /dev/null 2> $HOME/log & login=$!
            for i in {1..100}; do url=$(grep ^http $HOME/log) && break; sleep 0.05; done
            for i in {1..100}; do grep "Only the browser is left" $HOME/log && break; sleep 0.05; done
            curl -sL "$url" > $HOME/page; wait $login; echo $?; skr get work | cut -d - -f 1-2
            """#, "--no-device-client",
            prints: "Only the browser is left: the server answered invalid_client.\n0\naccess-1\n")
    }

    @Test("two logins at the same time declare the account once, and a fixed port can be used again immediately")
    func twice() throws {
        try OAuthServer.run(
            #"""
            for i in 1 2; do skr login work --issuer $server --client-id skr --device 2> $HOME/log$i & logins+=($!); done
            wait "${logins[@]}"; grep -c ^work $HOME/.config/skr/sources; skr get work | cut -d - -f 1
            cat $HOME/log[12] | grep -c -e warning -e "add this line"
            """#, prints: "1\naccess\n0\n")
        guard OAuthServer.hasBrowser else { return }
        try OAuthServer.run(
            #"""
            port=$((20000 + RANDOM)); login --redirect http://localhost:$port/back
            BROWSER=$HOME/browser skr login other --issuer $server --client-id skr --redirect http://localhost:$port/back 2> $HOME/log
            echo $?; skr get other | cut -d - -f 1; report 'requests[1].redirect_uri' | sed "s/$port/PORT/"
            """#, prints: "0\naccess\n\"http://localhost:PORT/back\"\n")
    }

    @Test("SIGTERM ends a login, and the terminal has its modes again", .enabled(if: OAuthServer.hasBrowser))
    func terminated() throws {
        let shown = try TerminalRunner().run(
            OAuthServer.prelude() + #"""
                export SSH_CONNECTION=x
                (for i in {1..200}; do stty -F /dev/tty -a | grep -q -e -icanon && break; sleep 0.05; done
                pkill -TERM -f "skr login work --issuer $server") &
                skr login work --issuer $server --client-id skr --paste; echo "end $?"
                stty -a | grep -ow -e "-*icanon" -e "-*echo"
                """#, environment: ["SKR_TEST_JUDGE": OAuthServer.program])
        #expect(shown.contains("end 143"), "\(shown)")
        #expect(shown.contains("\nicanon\necho\n"), "\(shown)")
    }

    @Test("without a browser's endpoint, a login on a screen uses the device flow")
    func switching() throws {
        try OAuthServer.run(
            "login; skr get work | cut -d - -f 1; report device", "--no-authorization", prints: "access\n1\n")
    }

    @Test(
        "another flow begins only if the server doesn't offer the first one; --browser chooses it over ssh",
        .enabled(if: OAuthServer.hasBrowser))
    func otherFlow() throws {
        for error in ["unauthorized_client", "unsupported_grant_type"] {
            try OAuthServer.run(
                #"next '400 {"error":"\#(error)"}'; login; skr get work | cut -d - -f 1; report device"#,
                prints: "access\n1\n")
        }
        try OAuthServer.run(
            #"""
            printf '%s\n' '#!/bin/bash' 'back=$(curl -s -o /dev/null -w "%{redirect_url}" "$1")' \
                'curl -s -o /dev/null "${back/iss=/iss=x}"' > $HOME/other; chmod +x $HOME/other
            BROWSER=$HOME/other skr login work --issuer $server --client-id skr 2>&1 | grep error; report device
            cat $HOME/.config/skr/sources 2>&1 | grep -c work; SSH_CONNECTION=x login --browser; report device
            """#,
            prints: "skr: error: work: the answer is that of another issuer\n0\n0\n0\n")
    }

    // An ordinary user can't look into a program that keeps its memory private.
    @Test(
        "without a browser's endpoint, no port stays open that another user could connect to", .tags(.root),
        .enabled(if: isRoot))
    func noPort() throws {
        try OAuthServer.run(
            #"""
            next '400 {"error":"authorization_pending"}'
            SSH_CONNECTION=x skr login work --issuer $server --client-id skr 2> $HOME/log & login=$!; sent 1
            program=$(pgrep -f "skr-oauth login.*issuer=$server")
            [ -e /proc/$program/fd/1 ] && echo running; ls -l /proc/$program/fd | grep -c socket:
            wait $login; echo $?
            """#, "--no-authorization", prints: "running\n0\n0\n")
    }

    @Test(
        "another connection to the listener, with a wrong state, doesn't end the login",
        .enabled(if: OAuthServer.hasBrowser))
    func otherConnection() throws {
        try OAuthServer.run(
            #"""
            cat > $HOME/browser <<'END'
            #!/bin/bash
            back=$(curl -s -o /dev/null -w '%{redirect_url}' "$1")
            for url in "${back%%\?*}" "${back%%\?*}?code=x&state=y" "${back/\?/x?}" "$back"; do
                curl -s -D $HOME/fields -o /dev/null -w '%{http_code}\n' "$url"; done > $HOME/codes
            grep -i -e ^cache -e ^referrer $HOME/fields | tr -d '\r' >> $HOME/codes
            END
            login; cat $HOME/codes; skr get work | cut -d - -f 1-2
            """#, prints: "400\n400\n404\n200\nCache-Control: no-store\nReferrer-Policy: no-referrer\naccess-1\n")
    }

    @Test(
        "the address of the last page can be pasted, also if it has more than 4,095 bytes",
        .enabled(if: OAuthServer.hasBrowser))
    func paste() throws {
        try OAuthServer.run(
            #"""
            export SSH_CONNECTION=x server
            (
                filled $HOME/url; url=$(sed -n 's/^skr: \(http.*\)/\1/p' $HOME/url)
                back=$(curl -s -o /dev/null -w '%{redirect_url}' "$url")
                printf 'nonsense\n'
                printf '%s&padding=%s\n' "$back" $(printf 'x%.0s' {1..9000}); filled $HOME/done
            ) | script -qec 'skr login work --issuer $server --client-id skr --paste --print-url 2> $HOME/url; echo "end $?"; stty -a | grep -ow -e "-*icanon" -e "-*echo"; echo > $HOME/done' $HOME/shown > /dev/null 2>&1
            sed 1d $HOME/shown | grep -e "not the address" -e "^end" -e icanon -e echo | tr -d '\r'
            skr get work | cut -d - -f 1-2
            """#,
            prints: "That is not the address of this login's last page.\nend 0\nicanon\necho\naccess-1\n")
    }

    @Test("Ctrl-C ends a login, and the terminal has its modes again", .enabled(if: OAuthServer.hasBrowser))
    func interrupt() throws {
        let shown = try TerminalRunner().run(
            OAuthServer.prelude() + #"""
                export SSH_CONNECTION=x
                trap : INT; skr login work --issuer $server --client-id skr --paste; echo "end $?"
                stty -a | grep -ow -e "-*icanon" -e "-*echo"
                """#,
            answering: [.init(prompt: "Then press Enter.", keys: "\u{3}")],
            environment: ["SKR_TEST_JUDGE": OAuthServer.program])
        #expect(shown.contains("end 130"), "\(shown)")
        #expect(shown.contains("\nicanon\necho"), "\(shown)")
    }

    @Test("bad calls name what is missing, and get no token", .enabled(if: OAuthServer.hasBrowser))
    func usage() throws {
        try OAuthServer.run(
            #"""
            { skr login work; echo $?; skr login work --issuer $server; echo $?; skr login; echo $?
            mkdir -p $HOME/.config/skr; echo 'work --timeout 1h -- echo x' > $HOME/.config/skr/sources
            skr login work --issuer $server --client-id skr; echo $?
            printf secret | skr set own; skr login own --issuer $server --client-id skr; echo $?; skr get own; echo
            skr login a --issuer http://example.com --client-id skr; echo $?
            skr login a --issuer $server/ --client-id skr --device; echo $?
            skr login a --issuer $server --client-id skr --client-secret secret; echo $?
            skr login a --issuer $server --client-id skr --client-secret skr://none; echo $?
            skr login a --issuer $server --client-id skr --redirect ftp://x; echo $?
            skr login a --issuer $server --client-id skr --auth-parameter state=x; echo $?
            skr-oauth; echo $?; } 2>&1 | sed "s,$server,SERVER,g"
            report received
            """#,
            prints: """
                skr: error: work: no line of the sources file declares it
                skr: hint: skr login work --issuer https://... --client-id ID
                64
                skr: error: an OAuth account needs its issuer and --client-id
                skr: hint: name the server, and the client ID that is registered there
                64
                skr: error: no SERVICE is given
                skr: hint: 'skr login SERVICE --issuer URL --client-id ID' logs in; 'exec skr session' starts a session
                64
                skr: error: work: line 1 of the sources file declares it differently
                skr: hint: change or remove that line, or leave out the options
                64
                skr: error: own: there is a secret with this name
                skr: hint: choose another name, or delete the secret
                73
                secret
                skr: error: a: the issuer is not an address of https
                skr: hint: write it as the server does, such as https://id.example.com
                65
                skr: error: a: the server names itself SERVER, and not SERVER/
                skr: hint: use exactly the server's own name as --issuer
                65
                skr: error: --client-secret is not a reference
                skr: hint: store it, and name it: --client-secret skr://SERVICE
                64
                skr: error: none: no such item, or it has expired
                skr: hint: store it with 'skr set'; 'skr list' shows what is stored
                skr: hint: each login has its own session; logins share --scope user, or 'skr session --join': see 'man skr-login-environments'
                skr: error: a: the client secret can't be read
                skr: hint: store it: skr set SERVICE, and name it: --client-secret skr://SERVICE
                75
                skr: error: a: --redirect ftp://x can't be used
                skr: hint: write an address of https, http://127.0.0.1 or http://localhost, as the server knows it
                65
                skr: error: a: the parameter 'state' is already set
                skr: hint: leave out that --auth-parameter
                65
                skr: error: skr runs this program
                skr: hint: 'skr help login' shows how to log in
                64
                0

                """)
    }

    @Test("the line is printed if SKR_SOURCES is set, or the file's last line is half-written")
    func line() throws {
        try OAuthServer.run(
            #"""
            SKR_SOURCES=none login; grep "next session" $HOME/log | sed "s,$server,SERVER,"; skr logout work
            mkdir -p $HOME/.config/skr; printf 'api --timeout 1h -- ec' > $HOME/.config/skr/sources
            login; grep -v http.*authorize $HOME/log | grep -A 3 warning | sed "s,$server,SERVER,; s,$HOME,HOME,"
            cat $HOME/.config/skr/sources; echo; skr logout work
            rm -r $HOME/.config; touch $HOME/.config
            login; grep warning $HOME/log | sed "s,$HOME,HOME,"; grep -c "add this line" $HOME/log
            """#,
            prints: """
                skr: for the next session, add this line to your sources file: work --oauth SERVER --client-id skr
                skr: warning: no line was added to 'HOME/.config/skr/sources': its last line is not complete
                skr: for the next session, add this line to your sources file: work --oauth SERVER --client-id skr
                api --timeout 1h -- ec
                skr: warning: no line was added to 'HOME/.config/skr/sources': not a directory
                1

                """)
    }

    @Test("names and values with blanks, quotes and dashes are declared so that they are read back")
    func quoting() throws {
        try OAuthServer.run(
            #"""
            for name in "a b" "it's" '"$x" \y' 'ä*' '#x'; do
                skr login "$name" 'an account' --device --issuer $server --client-id="-c '" 2> $HOME/log ||
                    cat $HOME/log
                skr delete "$name" 'an account'; skr get "$name" 'an account' | cut -d - -f 1
            done
            sed "s,$server,SERVER," $HOME/.config/skr/sources
            skr login x -- -y --issuer 2>&1 | head -1
            """#,
            prints: #"""
                access
                access
                access
                access
                access
                'a b' 'an account' --oauth SERVER '--client-id=-c '\'''
                'it'\''s' 'an account' --oauth SERVER '--client-id=-c '\'''
                '"$x" '\\'y' 'an account' --oauth SERVER '--client-id=-c '\'''
                'ä*' 'an account' --oauth SERVER '--client-id=-c '\'''
                '#x' 'an account' --oauth SERVER '--client-id=-c '\'''
                skr: error: unexpected word '--issuer'

                """#)
    }

    @Test(
        "an ordinary user whose quota is full can't log in, and nothing is sent", .tags(.root), .enabled(if: isRoot))
    func fullQuota() throws {
        try OAuthServer.run(
            #"""
            chmod 755 $HOME; mkdir -m 777 $HOME/user; skr=$(command -v skr)
            HOME=$HOME/user setpriv --reuid=60489 --regid=60489 --clear-groups keyctl session - bash -c '
                for i in {1..190}; do keyctl add user filler$i x @s > $HOME/key; done
                for i in {190..260}; do keyctl add user filler$i x @s; done > $HOME/key 2>&1
                "$0" login work --issuer $1 --client-id skr --device 2>&1; echo $?' $skr $server 2>&1 |
                grep -v "Joined" | head -n 1 | cut -c 1-40
            report device
            """#, prints: "skr: error: work: the user's key quota i\n0\n")
    }
}
