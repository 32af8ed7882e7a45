import Foundation
import TestSupport
import Testing

/// Readers of an account whose token has ended.
@Suite("Refreshes by skr", .tags(.kernel))
struct RefreshRunTests {
    @Test("thirty readers at the same time cause one refresh, and all get its token")
    func readers() throws {
        try OAuthServer.run(
            #"""
            login; skr delete work
            for i in {1..30}; do { skr get work; echo; } > $HOME/out$i & readers+=($!); done; wait "${readers[@]}"
            cat $HOME/out* | cut -d - -f 1-2 | sort | uniq -c | sed 's/^ *//'; report grants; report reuse
            """#, prints: "30 access-2\n1\n0\n")
    }

    @Test("without a login, a reader fails with 1 and names the login; a failure is remembered only if it can pass")
    func failures() throws {
        try OAuthServer.run(
            #"""
            login; skr logout work; skr delete work
            skr get work 2>&1; echo $?; skr get work 2>&1; echo $?
            login; skr delete work; next "503 busy"
            skr get work 2>&1; echo $?; skr get work 2>&1; echo $?; skr delete work
            skr get work | cut -d - -f 1-2
            next '400 {"error":"invalid_grant","error_description":"Token\u001b[31m gone"}'; skr delete work
            skr get work 2>&1; echo $?
            login; skr delete work; next '401 {"error":"invalid_client"}'
            skr get work 2>&1; echo $?; skr get work | cut -d - -f 1-2
            login; next 'close'; skr delete work; skr get work 2>&1 | sed 's/: (.*/: .../'; skr delete work; skr get work 2>&1; echo $?
            """#,
            prints: """
                skr: error: work: not logged in
                skr: hint: skr login work
                1
                skr: error: work: not logged in
                skr: hint: skr login work
                1
                skr: error: work: the server answered with status 503
                skr: error: work: its source failed: 'skr-oauth' ended with exit code 75
                75
                skr: error: work: its source failed: it failed moments ago with exit code 75, and is not run again yet
                skr: hint: 'skr delete work' ends this wait
                75
                access-2
                skr: error: work: the server answered invalid_grant: Token%1B[31m gone
                skr: error: work: not logged in
                skr: hint: skr login work
                1
                skr: error: work: the server answered invalid_client
                skr: error: work: not logged in
                skr: hint: skr login work
                1
                access-2
                skr: error: work: curl: ...
                skr: error: work: its source failed: 'skr-oauth' ended with exit code 75
                skr: error: work: a refresh was interrupted, and the server refuses the old login
                skr: error: work: not logged in
                skr: hint: skr login work
                1

                """)
    }

    @Test("a server that is away, or a missing curl, leaves the login unchanged")
    func away() throws {
        try OAuthServer.run(
            #"""
            login; skr delete work
            mkdir $HOME/bin; for program in bash cut sed rm cat; do ln -s $(command -v $program) $HOME/bin; done
            ln -s $(dirname $(command -v skr))/skr $HOME/bin
            PATH=$HOME/bin skr get work 2>&1; echo $?; skr delete work
            PATH=$HOME/bin skr login hub --issuer https://github.com --client-id a --browser 2>&1; echo $?
            skr get work | cut -d - -f 1-2; skr delete work
            exec {server_end}>&-; for i in {1..100}; do curl -s $server/report > $HOME/next || break; sleep 0.1; done
            skr get work 2>&1 | sed 's/ to 127.*//; s/ to connect.*//'
            record .mark
            """#,
            prints: """
                skr: error: work: no such command: 'curl'
                skr: error: work: its source failed: 'skr-oauth' ended with exit code 75
                75
                skr: error: no such command: 'curl'
                skr: hint: use the name of a program in PATH, or a path
                127
                access-2
                skr: error: work: curl: (7) Failed
                skr: error: work: its source failed: 'skr-oauth' ended with exit code 75
                null

                """)
    }

    @Test("a reader that is interrupted while the request is on its way waits until the answer is stored")
    func interrupted() throws {
        try OAuthServer.run(
            #"""
            begin "delay 1"
            kill -TERM $reader; wait $reader; echo $?
            record '[.generation, .mark]'; report grants
            """#, prints: "0\n[1,null]\n1\n")
    }

    @Test("a reader that is killed while the request is on its way costs nothing on a server with a grace period")
    func killed() throws {
        try OAuthServer.run(
            #"""
            begin "delay 1"
            pkill -9 -f "skr-oauth token .*issuer=$server"; wait $reader; echo $?; skr delete work
            skr get work | cut -d - -f 1; record '[.generation, .mark]'; report reuse
            """#, "--grace 10", prints: "75\naccess\n[1,null]\n0\n")
    }

    @Test("if skr is killed while the request is on its way, the answer is stored in spite of that")
    func orphaned() throws {
        try OAuthServer.run(
            #"""
            begin "late 1"; kill -9 $reader; wait $reader; echo $?
            for i in {1..100}; do [ "$(record .generation)" = 1 ] && break; sleep 0.05; done
            record '[.generation, .mark]'; skr get work | cut -d - -f 1-2; report reuse
            """#, prints: "137\n[1,null]\naccess-3\n0\n")
    }

    @Test("a sources file that others can write to keeps nobody from logging out")
    func untrustedSources() throws {
        try OAuthServer.run(
            #"""
            login; chmod o+w $HOME/.config/skr; skr logout work 2>&1 | sed "s,$HOME,HOME,g" | head -n 1
            skr list; skr list -n oauth; report revoked
            """#,
            prints: """
                skr: warning: not using 'HOME/.config/skr/sources': others can write to its folder 'HOME/.config/skr'
                1

                """)
    }

    @Test("a logout of a name without a login deletes nothing")
    func otherSecret() throws {
        try OAuthServer.run(
            #"""
            printf s3cret | skr set own; skr logout own 2>&1; echo $?; skr get own; echo
            mkdir -p $HOME/.config/skr; echo 'api --timeout 1h -- echo from-source' > $HOME/.config/skr/sources
            skr get api; echo; skr logout api 2>&1; skr list api | cut -f 2
            """#,
            prints: """
                skr: error: own: not logged in
                1
                s3cret
                from-source
                skr: error: api: not logged in
                api

                """)
    }

    @Test("a logout while the request is on its way wins, and revokes the new token")
    func logout() throws {
        try OAuthServer.run(
            #"""
            begin "late 1"; sleep 0.2
            skr logout work; echo $?; wait $reader; echo $?; cat $HOME/out
            skr list; skr list -n oauth; report revoked; skr logout work; echo $?
            """#,
            prints: """
                0
                1
                skr: error: work: logged out during the refresh
                skr: error: work: not logged in
                skr: hint: skr login work
                2
                1

                """)
    }

    @Test("without a refresh token, the login ends with the access token, and can't be revoked")
    func noRefreshToken() throws {
        try OAuthServer.run(
            #"""
            login; grep -A 1 -e "logged in" -e warning $HOME/log | sed "s/for 60m/for 1h/"
            skr login --list | cut -f 1,4,5 | sed 's/59m.*/1h/'; skr get work | cut -d - -f 1-2
            skr delete work; skr get work; echo $?; report received; skr logout work; skr login --list
            """# + "\nlogin; skr clear -n oauth 2> $HOME/log; skr logout work 2>&1; skr list", "--no-refresh",
            prints: """
                skr: work: logged in as alice@example.com for 1h
                skr: warning: work: the server gave no refresh token, so the login ends with the token
                skr: hint: add offline_access to --oauth-scope
                work\talice@example.com\t1h
                access-1
                1
                1
                skr: warning: work: logged out here, but not on the server: only a token was left, which it accepts until its end

                """)
    }

    @Test("a logout deletes the tokens in all namespaces of the account, and needs no server")
    func namespaces() throws {
        try OAuthServer.run(
            #"""
            login; echo "work --oauth $server --client-id skr --namespace other" >> $HOME/.config/skr/sources
            skr get -n other work | cut -d - -f 1-2; skr list -n other | cut -f 2
            exec {server_end}>&-; for i in {1..100}; do curl -s $server/report > $HOME/next || break; sleep 0.1; done
            skr logout work 2>&1 | sed 's/ to 127.*//; s/ to connect.*//'; skr list; skr list -n other; skr list -n oauth
            """#,
            prints: """
                access-2
                work
                skr: warning: work: logged out here, but not on the server: curl: (7) Failed

                """)
    }

    @Test("a client with a secret reads it from skr, and shows it on each request")
    func secret() throws {
        try OAuthServer.run(
            #"""
            printf s3cret | skr set client
            login --client-secret skr://client; skr delete work; skr get work | cut -d - -f 1-2
            record .authentication; record . | grep -c s3cret
            skr delete client; skr delete work; skr get work 2>&1 | tail -2
            """#,
            prints: """
                access-2
                basic
                0
                skr: hint: store it: skr set SERVICE, and name it: --client-secret skr://SERVICE
                skr: error: work: its source failed: 'skr-oauth' ended with exit code 75

                """)
    }

    @Test("no secret is on a command line or in an environment")
    func hidden() throws {
        try OAuthServer.run(
            #"""
            secret=$RANDOM$RANDOM; printf $secret | skr set client
            login --client-secret skr://client; skr delete work; next "delay 1"
            refresh=$(record .refresh_token)
            skr get work > $HOME/out & reader=$!
            sent 2
            program=$(pgrep -f "skr-oauth token.*issuer=$server")
            for process in $program $(pgrep -P $program); do
                tr '\0' '\n' < /proc/$process/cmdline; tr '\0' '\n' < /proc/$process/environ; done 2> $HOME/log > $HOME/seen
            grep -c "^service=work$" $HOME/seen; grep -c "^LC_ALL=C$" $HOME/seen; grep -c -e $secret -e "$refresh" $HOME/seen
            wait $reader
            """#, prints: "1\n1\n0\n")
    }

    @Test("source, source test and the doctor know a line with --oauth")
    func sourceVerbs() throws {
        try OAuthServer.run(
            #"""
            login; skr source | cut -f 1,3,5 | sed "s,$server,SERVER,"; skr source test work
            skr list | grep -c work; skr get work | cut -d - -f 1-2
            skr doctor --json | jq -r '.. | objects | select(.id == "sources") | .verdict' 2> $HOME/log || cat $HOME/log
            """#,
            prints: """
                work\t--oauth SERVER\tstored
                20 bytes; would be stored for 58m
                0
                access-3
                ok

                """)
    }

    @Test("a reader waits for another one's refresh of the same account for longer than ten seconds", .tags(.long))
    func longWait() throws {
        try OAuthServer.run(
            #"""
            login; skr delete work; echo "work --oauth $server --client-id skr --namespace other" >> $HOME/.config/skr/sources
            next "delay 13"; skr get work > $HOME/out1 & readers+=($!); sent 2
            skr get -n other work > $HOME/out2 & readers+=($!); wait "${readers[@]}"
            cut -d - -f 1-2 $HOME/out[12]; report reuse
            """#, prints: "access-2\naccess-3\n0\n")
    }

    @Test(
        "a line with --oauth has no command and no option for its output, and needs a client",
        arguments: [
            (
                "work --oauth $server --client-id a -- true",
                "the line has --oauth, and also a command or an option for its output"
            ),
            (
                "work --oauth $server --client-id a --raw",
                "the line has --oauth, and also a command or an option for its output"
            ),
            ("work --oauth $server", "an OAuth account needs its issuer and --client-id"),
            ("work --oauth $server --client-id a --namespace oauth", "--namespace has no usable value"),
            ("work --oauth $server --client-id a --client-id b", "--client-id is given twice"),
            ("work --client-id a -- true", "an OAuth account needs its issuer and --client-id"),
        ])
    func lines(_ line: String, _ error: String) throws {
        try OAuthServer.run(
            #"""
            mkdir -p $HOME/.config/skr; printf '%s\n' "\#(line)" > $HOME/.config/skr/sources
            skr get work $([[ "\#(line)" == *namespace* ]] && echo --namespace=oauth) 2>&1 | sed -n '1s/.*sources:1: //p'
            """#, prints: "\(error)\n")
    }

    /// Sixteen readers for 40 seconds, one of which also deletes the token and logs in again if that is needed.
    ///
    /// The last lines of the output are the exit codes, and the judge's counts.
    private static let crowd = #"""
        login; end=$((SECONDS + 40))
        for i in {1..16}; do
            while ((SECONDS < end)); do
                skr get work > $HOME/out$i 2> $HOME/err$i; code=$?; echo $code
                [ $i$code != 11 ] || login
                [ $i != 1 ] || { sleep 0.4; skr delete work; }
                sleep 0.1
            done > $HOME/codes$i & readers+=($!)
        done
        wait "${readers[@]}"; cat $HOME/codes* | sort -n | uniq | paste -sd ' '
        skr delete work 2> $HOME/log; sleep 5

        """#

    @Test(
        "sixteen readers and a judge that kills every fifth refresh, on a server with a grace period: no token is refused",
        .tags(.long, .paced))
    func crowdWithGrace() throws {
        try OAuthServer.run(
            Self.crowd + #"""
                for i in 1 2; do skr get work > $HOME/out 2> $HOME/log && break; skr delete work 2> $HOME/log; done
                cut -d - -f 1 $HOME/out
                curl -s $server/report | jq -c '[.invalid_grant, .reuse, .killed == .graced, .killed > 3]'
                """#, "--tokens 5 --grace 30 --kill 5", prints: "0 75\naccess\n[0,0,true,true]\n")
    }

    @Test(
        "sixteen readers and a judge that kills every fifth refresh: each kill costs one login, and nothing else does",
        .tags(.long, .paced))
    func crowdWithoutGrace() throws {
        try OAuthServer.run(
            Self.crowd + #"""
                login; skr get work | cut -d - -f 1
                curl -s $server/report | jq -c '[.reuse == .killed or .reuse == .killed - 1, .killed > 1, .invalid_grant == .reuse]'
                """#, "--tokens 5 --kill 5", prints: "0 1 75\naccess\n[true,true,true]\n")
    }
}
