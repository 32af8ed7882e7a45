import Foundation
import TestSupport
import Testing

/// Shell functions: `credentials END` prints what `aws sts assume-role` prints.
///
/// `run` and `runs` count runs, as in the tests of `skr cached`.
private let functions =
    CachedTests.counting + #"""
        credentials() {
            printf '{"token":"t","expires":%s,"Credentials":{"AccessKeyId":"AK","SecretAccessKey":"s","Expiration":"%s"}}\n' \
                $(date -ud "$1" '+%s %FT%TZ')
        }
        export -f credentials; left() { skr list | grep "$1" | cut -f 5; }

        """#

@Suite("skr helper CLIENT NAME -- COMMAND")
struct TokenHelperTests: ScriptTests {
    let preparation = functions
    private static let plain = #"{"Version":1,"AccessKeyId":"AK","SecretAccessKey":"s"}"#

    @Test(
        "processes that ask at the same time run the command once, and all get the answer",
        arguments: [("aws", 20), ("kubernetes", 5), ("google", 5), ("npm", 5), ("go --prefix https://h", 5)])
    func crowd(client: String, count: Int) throws {
        try expect(
            #"""
            for ((i = 0; i < $COUNT; i++)); do
                skr helper $CLIENT x -- bash -c "run 'sleep 0.3; credentials +1hour'" &
            done | grep . | sort | uniq -c | awk '{ print $1 }' | uniq
            wait; runs
            """#, environment: ["CLIENT": client, "COUNT": "\(count)"], onlyPrints: "\(count)\n1\n")
    }

    @Test("an output is kept until five minutes before its expiry, then the command runs again")
    func kept() throws {
        let outcome = try run(
            #"""
            for end in '+7minutes' '+5minutes' '+1minute' '+1hour'; do
                for i in 1 2; do skr helper aws x -- bash -c "run 'credentials $end'" | cut -c 1-60; done; runs; left aws
                skr cached --forget x --key aws 2>/dev/null; echo $?; : > $COUNTER
            done
            """#)
        let lines = outcome.output.split(separator: "\n").map {
            $0.hasPrefix(#"{"Version":1,"AccessKeyId":"AK","SecretAccessKey":"#) ? "answer" : String($0)
        }
        let warnings = outcome.errors.split(separator: "\n").filter { $0.hasPrefix("skr: warning: ") }
        #expect(warnings.count == 4, "\(outcome)")
        #expect(Set(warnings) == ["skr: warning: x --key aws: it ends too soon; the output is not kept"])
        #expect(lines.count == 18, "\(lines)")
        #expect(lines.filter { $0 == "answer" }.count == 8)
        #expect(lines.prefix(3) == ["answer", "answer", "1"])
        #expect(lines.suffix(2).first.map { ["54m", "55m", "0h"].contains($0) } == true, "\(lines)")
    }

    @Test(
        "an output is kept until the earlier of its expiry and --timeout, or else for the session")
    func timeouts() throws {
        let outcome = try run(
            #"""
            print='echo '\''{"AccessKeyId":"AK","SecretAccessKey":"s"}'\'
            skr helper aws a -- bash -c "$print"; skr helper aws b --timeout 90d -- bash -c "$print"
            SKR_TIMEOUT=50d skr helper aws c me -- bash -c "$print"
            skr helper aws d --timeout 40d -- credentials; skr helper aws d --timeout 20d -- bash -c 'credentials +90days' >/dev/null
            skr list | cut -f 2,3,5; skr cached --forget c --key aws --key me; echo $?
            """#)
        let lines = outcome.output.split(separator: "\n").map(String.init)
        #expect(lines.first == Self.plain)
        let dated = String(Self.plain.dropLast()) + #","Expiration":"20"#
        #expect(lines.dropFirst().prefix(2).allSatisfy { $0.hasPrefix(dated) }, "\(lines)")
        #expect(lines.dropFirst(3) == ["a\taws\t-", "b\taws\t12w", "c\taws,me\t7w", "d\taws\t2w", "0"])
        #expect(outcome.errors.hasPrefix("skr: error: no such command: 'credentials'"))
    }

    @Test(
        "an unusable output is error 65 with the reason, and nothing is printed or kept",
        arguments: ["aws", "kubernetes", "npm"])
    func unusable(client: String) throws {
        let outcome = try expect(
            #"""
            for output in '{"AccessKeyId":"s3cret"}' '' '{"token":"s3cret","expires":"s3cret"}'; do
                skr helper $CLIENT x -- printf %s "$output"; echo $?
            done
            skr helper $CLIENT x -- bash -c 'credentials -1hour'; echo $?; skr list
            """#, environment: ["CLIENT": client], prints: "65\n65\n65\n65\n")
        let errors = outcome.errors.split(separator: "\n")
        #expect(errors.filter { $0.hasPrefix("skr: error: the command's output can't be used: ") }.count == 4)
        #expect(errors.count == 8 && !outcome.errors.contains("s3cret"))
    }

    @Test("a failing command passes on its exit code and errors, and nothing is printed or kept")
    func failing() throws {
        let outcome = try run(
            #"""
            skr helper aws x -- bash -c 'credentials +1hour; echo sorry >&2; exit 9'; echo $?
            skr helper npm x -- bash -c 'echo token; kill -TERM $$'; echo $?
            skr helper google x -- skr-no-such-command 2>/dev/null; echo $?; skr list
            """#)
        #expect(outcome == .init(exitCode: 0, output: "9\n143\n127\n", errors: "sorry\n"))
    }

    @Test("an output that no key can hold is an error, because a client would use a part of it")
    func tooLarge() throws {
        let outcome = try expect("skr helper npm x -- head -c 2000000 /dev/zero; echo $?; skr list", prints: "70\n")
        #expect(
            outcome.errors.hasPrefix("skr: error: the output has more than 32767 bytes, the most that a key can hold")
        )
    }

    @Test("a kept output that can't be used is fetched again, no matter who stored it")
    func forged() throws {
        try expect(
            #"""
            for forged in junk '{}' "$(credentials +299seconds)" "$(credentials +300seconds)" "$(credentials -1hour)"; do
                RUN="printf %s '$forged'" skr cached x --key aws --timeout 1h --force -- bash -c 'eval "$RUN"' >/dev/null
                RUN="run 'credentials +1hour'" skr helper aws x -- bash -c 'eval "$RUN"' | grep -c AK
            done; runs
            # A usable output is taken from the store.
            RUN='credentials +2hours' skr cached x --key aws --timeout 1h --force -- bash -c 'eval "$RUN"' >/dev/null
            RUN=false skr helper aws x -- bash -c 'eval "$RUN"' | grep -c AK
            # A cached failure is never an answer, even if its output is a valid token.
            RUN='credentials +2hours; exit 3' skr cached y --key aws --timeout 1h --cache-failures 1h -- bash -c 'eval "$RUN"' >/dev/null
            RUN="run 'credentials +1hour'" skr helper aws y -- bash -c 'eval "$RUN"' | grep -c AK; runs
            """#, onlyPrints: "1\n1\n1\n1\n1\n5\n1\n1\n6\n")
    }

    @Test("a token with one second left is returned, and a token that ends now is refused")
    func lastSecond() throws {
        try expect(
            #"""
            # Retries, because the second may pass before skr answers or before the command prints.
            for i in {1..50}; do skr helper npm x -- bash -c 'credentials "+1 second"' 2>/dev/null && break; done
            n=0; for i in {1..9}; do skr helper npm x -- bash -c 'credentials now' >/dev/null 2>&1; [ $? = 65 ] && n=$((n + 1)); done
            [ $n -ge 3 ] && echo 65
            """#, onlyPrints: "Bearer t\n65\n")
    }

    @Test("a lifetime in seconds starts when the command runs, not when its output is read again")
    func lifetime() throws {
        try expect(
            #"""
            ask() {
                for client in kubernetes google; do skr helper $client x -- echo '{"token":"t","expires_in":3600}'; done
            }
            first=$(ask); sleep 1.1; [ "$(ask)" = "$first" ] && wc -l <<< "$first"
            for end in $(grep -oE '[0-9T:-]{19}Z|[0-9]{10}' <<< "$first"); do
                [[ $end == *Z ]] && end=$(date -d $end +%s)
                left=$((end - $(date +%s))); echo $((left > 3540 && left < 3660))
            done
            """#, onlyPrints: "2\n1\n1\n")
    }

    @Test("an account with the name of a server gets another token than the server")
    func accountLikeServer() throws {
        try expect(
            #"""
            skr helper kubernetes n https://k1 -- echo account | grep -o account
            export KUBERNETES_EXEC_INFO='{"spec":{"cluster":{"server":"https://k1"}}}'
            skr helper kubernetes n -- echo server | grep -o server
            export GOOGLE_EXTERNAL_ACCOUNT_AUDIENCE=x; skr helper google n -- echo audience | grep -o audience
            unset GOOGLE_EXTERNAL_ACCOUNT_AUDIENCE; export GOOGLE_EXTERNAL_ACCOUNT_IMPERSONATED_EMAIL=x
            skr helper google n -- echo email | grep -o email
            """#, prints: "account\nserver\naudience\nemail\n")
    }

    @Test(
        "each server, prefix or audience has its own output, which is forgotten by its own name",
        arguments: [
            (
                "kubernetes x", "KUBERNETES_EXEC_INFO",
                [#"{"spec":{"cluster":{"server":"https://a"}}}"#, #"{"spec":{"cluster":{"server":"https://b"}}}"#],
                "--key kubernetes --key '' --key https://a"
            ),
            (
                "google x", "GOOGLE_EXTERNAL_ACCOUNT_AUDIENCE", ["//a", "//b"],
                "--key google --key '' --key //a --key ''"
            ),
            (
                "google x me", "GOOGLE_EXTERNAL_ACCOUNT_IMPERSONATED_EMAIL", ["a@h", "b@h"],
                "--key google --key me --key '' --key a@h"
            ),
            ("go https://x", "PREFIX", ["https://a", "https://b"], "--key go --key '' --key https://a"),
        ])
    func recipients(client: String, variable: String, values: [String], keys: String) throws {
        try expect(
            #"""
            said=("" "$FIRST" "$SECOND")
            ask() { export $VARIABLE="${said[$1]}"; skr helper $CLIENT ${PREFIX:+--prefix $PREFIX} -- bash -c "run 'echo kept$1'" | grep -o kept.; }
            for i in 0 1 2 2 1 0; do ask $i; done; runs
            eval "skr cached --forget x $KEYS || skr cached --forget https://x $KEYS"
            for i in 2 1 0; do ask $i; done; runs
            """#,
            environment: [
                "CLIENT": client, "VARIABLE": variable, "FIRST": values[0], "SECOND": values[1], "KEYS": keys,
            ], prints: "kept0\nkept1\nkept2\nkept2\nkept1\nkept0\n3\nkept2\nkept1\nkept0\n4\n")
    }

    @Test("a request that isn't UTF-8 is an error, and nothing is run or answered")
    func recipientWithoutText() throws {
        try expect(
            #"""
            KUBERNETES_EXEC_INFO=$'\xff' skr helper kubernetes x -- echo t; echo $?
            GOOGLE_EXTERNAL_ACCOUNT_AUDIENCE=$'\xff' skr helper google x -- echo t; echo $?; skr list
            """#, prints: "64\n64\n")
    }

    @Test("go's command that ends in a URL is not run for another place, and nothing is kept")
    func ownURL() throws {
        try expect(
            "skr helper go x --prefix https://h -- bash -c 'run \"echo t\"' https://i/token; echo $?; runs; skr list",
            onlyPrints: "0\n0\n")
    }

    @Test("kubectl's and Google's variables decide the answer's form, also of a kept output")
    func variables() throws {
        let outcome = try expect(
            #"""
            for version in v1 v1beta1 v2; do
                export KUBERNETES_EXEC_INFO="{\"apiVersion\":\"client.authentication.k8s.io/$version\"}"
                skr helper kubernetes k -- bash -c 'run "echo t"' | cut -d, -f 2; done; runs
            export GOOGLE_EXTERNAL_ACCOUNT_TOKEN_TYPE=urn:ietf:params:oauth:token-type:saml2
            skr helper google g -- echo t; skr helper google none; echo $?
            """#,
            prints: """
                "apiVersion":"client.authentication.k8s.io/v1"
                "apiVersion":"client.authentication.k8s.io/v1beta1"
                1
                {"version":1,"success":true,"token_type":"urn:ietf:params:oauth:token-type:saml2","saml_response":"t"}
                {"version":1,"success":false,"code":"401","message":"skr: the item does not exist or has expired; store it with 'skr set'"}
                0

                """)
        #expect(outcome.errors.hasPrefix("skr: error: KUBERNETES_EXEC_INFO asks for an unknown apiVersion"))
    }

    @Test(
        "in another user's session, the command runs each time and nothing is kept",
        .tags(.root), .enabled(if: isRoot, "needs root to become another user"))
    func foreignSession() throws {
        let outcome = try run(
            #"""
            skr cached x --key google --timeout 5m -- echo roots >/dev/null
            setpriv --reuid 60414 --regid 60414 --clear-groups bash -c \
                'for i in 1 2; do skr helper google x -- echo "t$i" 2>&1; done; skr helper npm x -- echo n; skr list'
            """#)
        let answer =
            #"{"version":1,"success":true,"token_type":"urn:ietf:params:oauth:token-type:id_token","id_token":"#
        #expect(outcome.output.hasPrefix("\(answer)\"t1\"}\n\(answer)\"t2\"}\nBearer n\ncached\tx\tgoogle\t6\t"))
        #expect(outcome.errors.hasPrefix("skr: warning: nothing is kept: the session belongs to user 0"))
    }
}

@Suite("skr helper for clients with a token")
struct KeptTokenTests: ScriptTests {
    let preparation = functions

    @Test("the stored item is the answer, and a missing one is error 1 with a hint where it is")
    func items() throws {
        let outcome = try expect(
            #"""
            credentials +1hour | skr set prod; skr helper aws prod | cut -c 1-32; skr delete prod; skr helper aws prod; echo $?
            printf t | skr set other --namespace work; skr helper npm other; echo $?; skr helper kubernetes none; echo $?
            """#, prints: #"{"Version":1,"AccessKeyId":"AK","# + "\n1\n1\n1\n")
        let errors = outcome.errors.split(separator: "\n")
        #expect(errors.count == 7)
        #expect(errors.dropFirst(4).first == "skr: hint: it is in the namespace work: add --namespace work")
    }

    @Test("the links that Bazel and npm look for work")
    func names() throws {
        let outcome = try expect(
            #"""
            copy=$(mktemp -d); trap 'rm -rf $copy $COUNTER' EXIT
            ln -s $(command -v skr) $copy/skr-bazel; for name in reg none ''; do ln -s $(command -v skr) $copy/skr-npm-$name; done
            printf tok | skr set reg; printf tok | skr set https://h
            $copy/skr-npm-reg; $copy/skr-npm-none 2>/dev/null; echo $?; $copy/skr-npm- 2>/dev/null; echo $?
            $copy/skr-bazel get <<< '{"uri":"https://h/x"}'; $copy/skr-bazel get <<< '{"uri":"https://i/x"}'; echo $?
            $copy/skr-bazel get <<< junk; echo $?; $copy/skr-bazel put <<< '{"uri":"https://h/x"}'; echo $?
            """#,
            prints: """
                Bearer tok
                1
                64
                {"headers":{"Authorization":["Bearer tok"]}}
                {"headers":{}}
                0
                1
                1

                """)
        #expect(outcome.errors.split(separator: "\n").count == 2)
    }

    @Test("go's URL is the last word, even after a command, and standard input is not awaited")
    func go() throws {
        let outcome = try expect(
            #"""
            mkfifo $COUNTER.pipe; exec 3<> $COUNTER.pipe; rm $COUNTER.pipe
            ask() { timeout 20 skr helper go "$@" <&3 | tr '\n' '|'; echo " ${PIPESTATUS[0]}"; }
            printf tok | skr set https://h/p; printf named | skr set n
            ask; ask https://h/p/x; ask https://h/q; ask n --prefix https://i/p; ask n --prefix=https://i/p https://i/p/x
            ask n --prefix https://i/p https://h/p/x
            list() { ask c --prefix https://j -- bash -c 'run "printf %s, $*"' x a b "$@"; }; list https://j/x; list; runs
            ask c --prefix https://j -- false https://k/x; ask https://l -- echo t https://l/x
            ask n; ask n --prefix http://h; ask -- echo t; ask n --prefix https://h -- https://h
            ask n m --prefix https://h -- https://h
            """#,
            prints: """
                 0
                https://h/p||Authorization: Bearer tok|| 0
                 0
                https://i/p||Authorization: Bearer named|| 0
                https://i/p||Authorization: Bearer named|| 0
                 0
                https://j||Authorization: Bearer a,b,|| 0
                https://j||Authorization: Bearer a,b,|| 0
                1
                 0
                https://l||Authorization: Bearer t|| 0
                 64
                 64
                 64
                 64
                 64

                """)
        #expect(outcome.errors.split(separator: "\n").count == 10)
    }

    @Test("a call with too few or too many words is a usage error")
    func usage() throws {
        try expect(
            #"""
            for client in aws kubernetes google npm; do
                for words in '' 'a b c' '--prefix x a' '-- echo t'; do skr helper $client $words 2>/dev/null; echo $?; done
            done | uniq -c | tr -d ' '
            skr helper bazel get -- echo t 2>/dev/null; echo $?; skr helper git get -- echo t 2>/dev/null; echo $?
            """#, prints: "1664\n64\n64\n")
    }
}
