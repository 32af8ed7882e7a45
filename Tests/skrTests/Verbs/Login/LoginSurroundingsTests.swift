import Foundation
import TestSupport
import Testing

/// Logins and refreshes in other sessions, networks and terminals.
@Suite("Logins in unusual surroundings", .tags(.kernel))
struct LoginSurroundingsTests {
    @Test(
        "two sessions of a user share a login with --scope user: one refresh serves both, and both are logged out",
        .tags(.root), .enabled(if: isRoot))
    func sessions() throws {
        try OAuthServer.run(
            #"""
            chmod 755 $HOME; install -d -o 60490 $HOME/user; export SKR=$(command -v skr) server
            session() {
                HOME=$HOME/user setpriv --reuid=60490 --regid=60490 --clear-groups keyctl session - bash -c "
                    skr() { \"\$SKR\" \"\$@\" --scope user; }; $1" 2>> $HOME/log
            }
            session 'skr login work --issuer $server --client-id skr --device'; echo $?
            session 'skr get work' | cut -d - -f 1-2
            session 'skr delete work'
            for i in 1 2; do session 'skr get work; echo' > $HOME/out$i & readers+=($!); done; wait "${readers[@]}"
            cat $HOME/out* | cut -d - -f 1-2; cat $HOME/out* | uniq | wc -l; report grants
            HOME=$HOME/user setpriv --reuid=60490 --regid=60490 --clear-groups keyctl session - $SKR get work 2>&1 | tail -1
            session 'skr logout work'; session 'skr get work'; echo $?; report revoked; report reuse
            """#,
            prints: """
                0
                access-1
                access-2
                access-2
                1
                1
                skr: hint: it is in the scope user: add --scope user; 'skr list --all work' shows all places
                1
                1
                0

                """)
    }

    @Test("in a revoked session, login, logout and the list end with 69")
    func revoked() throws {
        try OAuthServer.run(
            #"""
            export server; keyctl session - bash -c 'keyctl revoke @s
                try() { "$@"; echo $?; }
                try skr login work --issuer $server --client-id skr; try skr login --list
                try skr logout work; try skr logout work --scope session' 2>&1 | grep -v -e hint: -e detail: -e Joined
            """#,
            prints: """
                skr: error: this login session has ended and its keyring was revoked
                69
                skr: error: this login session has ended and its keyring was revoked
                69
                skr: error: this login session has ended and its keyring was revoked
                69
                skr: error: work: this login session has ended and its keyring was revoked
                69

                """)
    }

    @Test("a reader that asks all the time gets a token that is valid, however often one ends")
    func expiry() throws {
        try OAuthServer.run(
            #"""
            login; end=$((SECONDS + 6))
            while ((SECONDS < end)); do
                token=$(skr get work) || echo "failed: $?"
                [ $(curl -s -o /dev/null -w '%{http_code}' -H "Authorization: Bearer $token" $server/user) = 200 ] ||
                    echo "refused: $token"
            done
            [ "$(report grants)" -gt 2 ] && echo many; report reuse; report invalid_grant
            """#, "--tokens 2", prints: "many\n0\n0\n")
    }

    @Test(
        "without a network, a login and a refresh fail with 75, and the next refresh succeeds",
        .tags(.root), .enabled(if: isRoot))
    func noNetwork() throws {
        try OAuthServer.run(
            #"""
            login; skr delete work
            { unshare -n skr get work; echo $?
            unshare -n skr login other --issuer https://id.example.com --client-id skr --device; echo $?
            } 2>&1 | sed 's/ to connect.*//; s/: \(id.example.com\).*/: \1/'
            record .mark; skr delete work; skr get work | cut -d - -f 1-2
            """#,
            prints: """
                skr: error: work: curl: (7) Failed
                skr: error: work: its source failed: 'skr-oauth' ended with exit code 75
                75
                skr: error: other: curl: (6) Could not resolve host: id.example.com
                75
                null
                access-2

                """)
    }

    @Test(
        "on a terminal, a login shows a QR code if qrencode is installed, a new code after Enter, and a table",
        arguments: ["--device", ""])
    func newCode(_ option: String) throws {
        let shown = try TerminalRunner().run(
            OAuthServer.prelude() + #"""
                mkdir $HOME/bin; printf '#!/bin/sh\nprintf "QR code of "; cat; echo\n' > $HOME/bin/qrencode
                chmod +x $HOME/bin/qrencode; export PATH=$HOME/bin:$PATH
                next '400 {"error":"expired_token"}'
                SSH_CONNECTION=x skr login work --issuer $server --client-id skr \#(option); echo "end $?"
                report device | sed 's/^/codes: /'; skr get work | cut -d - -f 1-2
                skr login --list | sed "s/^/in a pipe: /"; skr login --list; skr logout work; skr login --list
                """#,
            answering: [.init(prompt: "Press Enter for a new one.", keys: "\n")],
            environment: ["SKR_TEST_JUDGE": OAuthServer.program])
        #expect(shown.contains("/enter?code=ABCD-EFGH\n"), "\(shown)")
        #expect(shown.split(separator: "QR code of http://127.0.0.1:").count == 3, "\(shown)")
        #expect(shown.contains("end 0\ncodes: 2\naccess-1\nin a pipe: work\t\thttp"), "\(shown)")
        #expect(shown.contains("\nSERVICE  ACCOUNT  ISSUER"), "\(shown)")
        #expect(shown.contains("\nskr: no logins\n"), "\(shown)")
    }

    @Test(
        "a redirect of https needs a terminal, on which the last page's address is pasted",
        .enabled(if: OAuthServer.hasBrowser))
    func httpsRedirect() throws {
        try OAuthServer.run(
            #"""
            export server; options='--paste --print-url --redirect https://app.example.com/back'
            setsid -w skr login work --issuer $server --client-id skr $options 2>&1; echo $?
            (
                filled $HOME/url; url=$(sed -n 's/^skr: \(http.*\)/\1/p' $HOME/url)
                curl -s -o /dev/null -w '%{redirect_url}\n' "$url"; filled $HOME/done
            ) | script -qec "skr login work --issuer $server --client-id skr $options 2> $HOME/url; echo > $HOME/done" $HOME/shown > /dev/null 2>&1
            skr get work | cut -d - -f 1-2; report 'requests[0].redirect_uri'
            """#,
            prints: """
                skr: error: work: nothing can return from the browser: no terminal, and no free port for the redirect
                skr: hint: log in on another device: --device
                77
                access-1
                "https://app.example.com/back"

                """)
    }

    @Test("Ctrl-Z stops a login, which reads again in the foreground", .enabled(if: OAuthServer.hasBrowser))
    func stopped() throws {
        let shown = try TerminalRunner().run(
            OAuthServer.prelude() + #"""
                set -m; skr login work --issuer $server --client-id skr --paste; echo "stopped $?"
                fg; echo "again $?"; kill %1; kill -CONT %1; wait -f %1; echo "end $?"
                """#,
            answering: [
                .init(prompt: "Then press Enter.", keys: "\u{1A}"), .init(prompt: "stopped 148", keys: "x\n"),
                .init(prompt: "not the address", keys: "\u{1A}"),
            ], environment: ["SKR_TEST_JUDGE": OAuthServer.program])
        #expect(shown.contains("again 148\n"), "\(shown)")
        #expect(shown.contains("end 143\n"), "\(shown)")
    }
}
