import Foundation
import TestSupport
import Testing

/// The command line, input and environment of curl, and the effects of its exit codes.
@Suite("Refreshes with curl", .tags(.kernel))
struct CurlRunTests {
    @Test("curl gets everything but -q on its input, only its own variables, and follows no redirect")
    func curl() throws {
        try OAuthServer.run(
            #"""
            login; skr delete work; curl=$(command -v curl); mkdir $HOME/bin
            printf '#!/bin/sh\necho "$*" > %s/args; env | cut -d = -f 1 | sort > %s/env; tee %s/config | exec %s "$@"\n' $HOME $HOME $HOME $curl > $HOME/bin/curl
            chmod +x $HOME/bin/curl
            unset CURL_CA_BUNDLE SSL_CERT_DIR
            PATH=$HOME/bin:$PATH OTHER=x https_proxy=http://127.0.0.1:9 SSL_CERT_FILE=/dev/null skr get work > $HOME/out
            cat $HOME/args; grep -v -e ^url -e ^data-raw $HOME/config; echo
            grep -vx -e PWD -e _ -e SHLVL -e OLDPWD $HOME/env | paste -sd ' '
            skr delete work; next '302 {"access_token":"x","token_type":"bearer"}'; skr get work 2>&1 | head -1
            """#,
            prints: #"""
                -q -K -
                globoff
                proto = "=http"
                disallow-username-in-url
                http1.1
                connect-timeout = 10
                max-time = 30
                silent
                show-error
                stderr = "-"
                header = "Accept: application/json"
                header = "Expect:"
                write-out = "\n%{http_code}"
                noproxy = "*"

                LC_ALL PATH SSL_CERT_FILE https_proxy
                skr: error: work: the server answered with status 302

                """#)
    }

    @Test("only if curl has certainly sent nothing is the mark cleared; an endless answer is cut")
    func marks() throws {
        try OAuthServer.run(
            #"""
            login; skr delete work; mkdir $HOME/bin; real=$PATH
            for code in 5 6 7 35 60 28 52 56; do
                printf '#!/bin/sh\ncat > /dev/null; exit %s\n' $code > $HOME/bin/curl; chmod +x $HOME/bin/curl
                PATH=$HOME/bin:$real skr get work 2> $HOME/log; echo "$code $? $(record .mark)"; skr delete work
                skr get work > $HOME/out; skr delete work
            done
            printf '#!/bin/sh\ncat > /dev/null; exec cat /dev/zero\n' > $HOME/bin/curl
            PATH=$HOME/bin:$real skr get work 2>&1 | head -n 1; record .mark
            """#,
            prints: """
                5 75 null
                6 75 null
                7 75 null
                35 75 null
                60 75 null
                28 75 in_flight
                52 75 in_flight
                56 75 in_flight
                skr: error: work: the server's answer has more than 1 MiB
                in_flight

                """)
    }

    @Test("Ctrl-C on the terminal of a reader ends neither curl nor the refresh")
    func terminal() throws {
        let shown = try TerminalRunner().run(
            OAuthServer.prelude() + #"""
                trap : INT; login; skr delete work; next "delay 1"; (trap '' INT; sent 2; echo ready) & watcher=$!
                skr get work > $HOME/out; wait $watcher; record '"\(.generation) \(.mark)"'; report reuse | cat
                """#,
            answering: [.init(prompt: "ready", keys: "\u{3}")], environment: ["SKR_TEST_JUDGE": OAuthServer.program])
        #expect(shown.contains("1 null\n0\n"), "\(shown)")
    }
}
