import CommandSupport
import Keyutils
import SecretText
import Testing

@testable import skr

@Suite("skr cached: how long")
struct CachedLifetimeTests: ScriptTests {
    let preparation = CommandRunner.waits + CachedTests.counting

    @Test("the lifetime can be in the output, as seconds or as a date, and the shorter one counts")
    func fromOutput() throws {
        let outcome = try run(
            #"""
            left() { skr list a --json | grep -Eo '"timeLeft" : [0-9]+' | grep -Eo '[0-9]+'; skr cached --forget a; }
            out() { out=$1; shift; skr cached a --timeout-from-json "$@" -- echo "$out" > /dev/null; left; }
            out '{"expires_in":7300}' .expires_in; out '{"expires_in":"7300"}' expires_in; out '{"a":[{"b":7300.9}]}' .a.0.b
            out "{\"Credentials\":{\"Expiration\":\"$(date -ud '+7300 seconds' +%FT%TZ)\"}}" .Credentials.Expiration
            out "{\"e\":\"$(date -ud '+7300 seconds' +%FT%T.123+00:00)\"}" e
            out "{\"e\":$(($(date +%s) + 7300))}" .e; out "{\"e\":\"$(($(date +%s) + 7300)).5\"}" e
            out '{"e":7300}' e --timeout 5m; out '{"e":60}' e --timeout 5m
            """#)
        let left = outcome.output.split(separator: "\n").compactMap { Int($0) }
        #expect(left.count == 9)
        // The kernel rounds down to its largest unit.
        #expect(left.prefix(7).allSatisfy { $0 == 7_200 } && left.dropFirst(7).first.map { 180...300 ~= $0 } == true)
        #expect(left.last.map { 10...60 ~= $0 } == true)
        #expect(outcome.errors == "")
    }

    @Test(
        "an unusable field is named in the error",
        arguments: [
            ("{}", "no such field"), ("no", "not JSON"), (#"{"e":0}"#, "has passed"), (#"{"e":-5}"#, "has passed"),
            (#"{"e":"2001-01-01T00:00:00Z"}"#, "has passed"), (#"{"e":"soon"}"#, "neither"),
            (#"{"e":null}"#, "neither"),
            (#"{"e":"2031-01-01T00:00:00"}"#, "neither"), (#"{"e":1000000001}"#, "has passed"),
            (#"{"e":"1700000000"}"#, "has passed"), (#"{"e":1700000000.5}"#, "has passed"), (#"{"e":1e9}"#, "10 years"),
            (#"{"e":999999999}"#, "10 years"), (#"{"e":315576001}"#, "10 years"), (#"{"e":4102444800}"#, "10 years"),
            (#"{"e":1795274131000}"#, "10 years"), (#"{"e":"9999-12-31T23:59:59Z"}"#, "10 years"),
            (#"{"e":1e400}"#, "neither"), (#"{"e":"nan"}"#, "neither"),
        ])
    func unusable(output: String, problem: String) throws {
        let error = #expect(throws: CommandError.self) {
            try OutputLifetime.limit(.seconds(300), by: ".e", of: SecretBox(SecretBytes(utf8: output)))
        }
        #expect(error?.exitCode == .data)
        #expect(error?.message.hasPrefix("--timeout-from-json '.e': ") == true)
        #expect(error?.message.contains(problem) == true, "\(error?.message ?? "")")
    }

    @Test("an output with an unusable field is neither kept nor printed")
    func unusableOutput() throws {
        let outcome = try expect(
            #"""
            for out in no '{"e":0}'; do skr cached a --timeout-from-json .e --timeout 5m -- echo "$out"; echo $?; done
            skr cached --forget a 2>/dev/null; echo $?
            """#, prints: "65\n65\n1\n")
        #expect(outcome.errors.hasPrefix("skr: error: --timeout-from-json '.e': the output is not JSON\n"))
    }

    @Test("an output that is valid for one more second or for ten years is cached", arguments: [1, 315_576_000])
    func lastSecond(seconds: Int) throws {
        let output = "{\"e\":\(seconds)}"
        try expect("skr cached a --timeout-from-json .e -- echo '\(output)'", onlyPrints: "\(output)\n")
    }

    @Test("a number above 1,000,000,000 is a Unix time")
    func unixTimes() {
        let now = 1_795_270_531.0
        #expect(OutputLifetime.seconds("1795274131", now: now) == 3_600)
        #expect(OutputLifetime.seconds("1000000000", now: now) == 1_000_000_000)
        #expect(OutputLifetime.seconds("1000000001", now: now) == 1_000_000_001 - now)
        #expect(OutputLifetime.seconds("-1", now: now) == -1)
    }

    @Test("dates are read as RFC 3339 defines them")
    func dates() {
        #expect(DateTimeText.parse("1970-01-01T00:00:00Z") == 0)
        #expect(DateTimeText.parse("2000-02-29T12:00:00+01:00") == 951_822_000)
        #expect(DateTimeText.parse("2031-01-02T03:04:05.5-0130") == 1_925_094_845.5)
        #expect(DateTimeText.parse("2031-01-02 03:04:05.25z") == DateTimeText.parse("2031-01-02T04:04:05.25+01:00"))
        #expect(DateTimeText.parse("2031-01-02T03:04:05UTC") == DateTimeText.parse("2031-01-02T03:04:05Z"))
        #expect(DateTimeText.parse("2031-01-02 03:04:05.5 UTC") == DateTimeText.parse("2031-01-02T03:04:05.5Z"))
        // A leap second, and more digits than necessary.
        #expect(DateTimeText.parse("2016-12-31T23:59:60Z") == 1_483_228_800)
        #expect(DateTimeText.parse("1970-01-01T00:00:01.123456789012Z") == 1.123456789012)
        for text in [
            "2031-01-02T03:04:05+01", "2031-01-02T03:04:05+01abc", "2031-01-02T03:04:05+01 PM",
            "2031-01-02T03:04:05+0100Z", "2031-01-02T03:04:05UTC+01", "2031-01-02T03:04:05GMTxx",
            "2031-01-02T03:04:05UTCZ", "2031-01-02T03:04:05+01 UTC", "2031-01-02T03:04:05UT",
            "2031-01-02T03:04:05", "2031-01-02T03:04:05Zx", "2031-01-02T03:04:05.Z", "2031-01-02T03:04Z",
            "2031-01-02T03:60:05Z", "x2031-01-02T03:04:05Z",
        ] {
            #expect(DateTimeText.parse(text) == nil, "\(text)")
        }
        for text in ["", "2031-02-29T00:00:00Z", "2031-13-01T00:00:00Z", "2031-01-01T24:00:00Z", "2031-01-01", "x"] {
            #expect(DateTimeText.parse(text) == nil, "\(text)")
        }
    }

    @Test("--refresh-before fetches the output again, and keeps the current one if that fails")
    func refresh() throws {
        try expect(
            #"""
            same a --timeout 5m -- echo old
            same a --timeout 5m --refresh-before 1m -- bash -c "run 'echo sorry >&2; exit 3'" 2>&1; echo $?; runs
            same a --timeout 5m --refresh-before 1m --timeout-from-json .e -- echo 'no json' 2>/dev/null; echo $?
            same a --timeout 5m --refresh-before 1m -- echo new; same a --timeout 5m --refresh-before 1m -- echo newer
            """#, onlyPrints: "old\nsorry\nold\n0\n1\nold\n0\nnew\nnew\n")
    }

    @Test("an output that lives for less than --refresh-before is fetched again by the next call")
    func dueAtOnce() throws {
        try expect(
            #"""
            print='echo x >> $COUNTER; echo "$0"'
            try() { same a --timeout-from-json .e --refresh-before 2m -- bash -c "$print" "{\"e\":$1}"; }
            try 30; try 600; try 600; runs
            """#, onlyPrints: "{\"e\":30}\n{\"e\":600}\n{\"e\":600}\n2\n")
    }

    @Test("while one call fetches the output again, other calls get the current one")
    func othersGoOn() throws {
        try expect(
            #"""
            same a --timeout 5m -- echo old; mkfifo $COUNTER.go
            same a --timeout 5m --refresh-before 1m -- bash -c 'echo x >> $COUNTER; cat $COUNTER.go' & 
            filled $COUNTER; same a --timeout 5m --refresh-before 1m -- echo never; echo new > $COUNTER.go; wait
            same a --timeout 5m --refresh-before 1m -- echo never; rm $COUNTER.go
            """#, onlyPrints: "old\nold\nnew\nnew\n")
    }

    @Test("--stale-while-refreshing answers immediately, holds no pipe open and refreshes afterwards")
    func stale() throws {
        try expect(
            #"""
            same a --timeout 5m -- echo old; mkfifo $COUNTER.go
            x=$(same a --timeout 5m --refresh-before 1m --stale-while-refreshing -- bash -c 'cat $COUNTER.go; echo err >&2' 2>&1)
            echo "got $x"; echo new > $COUNTER.go
            for ((i = 0; i < 600; i++)); do x=$(same a --timeout 5m -- false); [[ $x == new ]] && break; sleep 0.05; done
            echo "$x"; rm $COUNTER.go
            """#, onlyPrints: "old\ngot old\nnew\n")
    }

    @Test("--cache-failures remembers one failure for all calls, until an output or --forget drops it")
    func rememberedFailures() throws {
        let outcome = try run(
            #"""
            try() { same a --timeout 5m "$@"; echo $?; }
            for i in 1 2 3; do try --cache-failures 5m -- bash -c "run 'echo out; echo err >&2; exit 9'" 2>/dev/null; done; runs
            skr list; try --refresh-before 1m -- echo never; try --force -- echo good; try -- false
            skr cached --forget a; try -- echo fresh; skr cached --forget a; try --cache-failures 5m -- false
            skr cached --forget a; echo $?; try -- echo last
            """#)
        let failure = "out\n9\n"
        #expect(
            outcome.output == failure + failure + failure + "1\n" + failure
                + "good\n0\ngood\n0\nfresh\n0\n1\n0\nlast\n0\n")
        #expect(outcome.errors == "")
    }
}
