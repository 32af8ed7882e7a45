import Glibc
import TestSupport
import Testing

@Suite("skr helper: when a secret expires")
struct HelperExpiryTests: ScriptTests {
    @Test(
        "clients get the time left that the kernel shows, and no expiry if /proc/keys is masked",
        .tags(.root), .enabled(if: isRoot, "needs root to mount over /proc/keys"))
    func timeouts() throws {
        try expect(
            #"""
            export CARGO=sparse+https://c.example/; printf '{"AccessKeyId":"A","SecretAccessKey":"s"}' | skr set aws --timeout 90m
            for name in token $CARGO https://b.example; do printf t | skr set $name --timeout 90m; done
            ask() {
                skr helper aws aws | jq -r .Expiration; skr helper kubernetes token | jq -r .status.expirationTimestamp
                skr helper google token | jq -r .expiration_time; echo '{"uri":"https://b.example/x"}' | skr helper bazel get | jq -r .expires
                printf '{"v":1,"registry":{"index-url":"%s"},"kind":"get"}\n' $CARGO | skr helper cargo | jq -r '.Ok | objects | .expiration // .cache'
            }; export -f ask
            ask | while read -r end; do
                [[ $end == *Z ]] && end=$(date -d $end +%s); left=$((end - $(date +%s))); echo $((left > 3590 && left <= 3600))
            done
            unshare -m bash -c 'mount --bind /dev/null /proc/keys; ask'
            """#, onlyPrints: String(repeating: "1\n", count: 5) + "null\nnull\nnull\nnull\nsession\n")
    }

    @Test("an output without an expiry expires with --timeout, and its own expiry takes precedence")
    func commands() throws {
        try expect(
            #"""
            left() { read -r end; [[ $end == *Z ]] && end=$(date -d $end +%s); left=$((end - $(date +%s))); echo $((left > $1 - 10 && left <= $1)); }
            ask() { skr helper kubernetes a --timeout 90m -- echo token | jq -r .status.expirationTimestamp; }
            ask | left 5400; ask | left 3600
            for i in 1 2; do skr helper google b --timeout 90m -- echo '{"token":"t","expires_in":3000}' | jq .expiration_time | left 3000; done
            for i in 1 2; do skr helper google c -- echo token | jq .expiration_time; skr helper npm d --timeout 90m -- echo token; done
            """#, onlyPrints: "1\n1\n1\n1\n" + String(repeating: "null\nBearer token\n", count: 2))
    }

    @Test("storing the same secret with git can shorten its timeout, but not renew it")
    func shortening() throws {
        let outcome = try run(
            #"""
            for timeout in never 8h 9h 1h 2h never; do
                printf 'protocol=https\nhost=h\nusername=u\npassword=p\n' | skr helper git --timeout $timeout store
                skr list --json | jq '.[].timeLeft'
            done
            """#)
        // The kernel rounds down to its largest unit, from the second after the store on.
        let left = outcome.output.split(separator: "\n").map { Int($0) ?? 0 }
        #expect(left.count == 6 && left.first == 0, "\(outcome)")
        #expect(left.dropFirst().prefix(2).allSatisfy { [25_200, 28_800].contains($0) }, "\(outcome)")
        #expect(left.dropFirst(3).allSatisfy { (3_000...3_600).contains($0) }, "\(outcome)")
    }
}
