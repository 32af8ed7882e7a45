import TestSupport
import Testing

import Threads
import skr

/// Like ``PlainCallTests``, for `skr cached`.
@Suite("Plain calls of cached and the argument parser agree")
struct PlainCachedTests {
    private func compare(_ words: [String]) throws -> Bool {
        let arguments = CommandLineWords(leaking: words)
        guard let plain = Skr.plain(arguments) else { return false }
        #expect(try Skr.parse(arguments).map { isSame(plain, $0) } == true, "\(words)")
        return true
    }

    @Test(
        "calls as people type them are plain calls",
        arguments: [
            "cached a --timeout 5m -- x", "cached --timeout 5m a --key b --key c -- x --help -- y",
            "cached a --timeout-from-json .a.b --scope user --namespace n --force -- x",
            "cached a --timeout 5m --refresh-before 1m --stale-while-refreshing --cache-failures 9 -- x",
        ])
    func plain(line: String) throws {
        #expect(try compare(line.split(separator: " ").map(String.init)))
    }

    @Test(
        "unusual or wrong calls are left to the argument parser",
        arguments: [
            "cached", "cached a", "cached a -- x", "cached --timeout 5m -- x", "cached a --timeout 5m",
            "cached a --timeout 5m --",
            "cached a --timeout 0 -- x", "cached a --timeout 5m --refresh-before 5m -- x",
            "cached a b --timeout 5m -- x",
            "cached a --timeout 5m --stale-while-refreshing -- x", "cached a --timeout 5m --timeout 5m -- x",
            "cached --forget a", "cached a --timeout=5m -- x", "cached a --timeout 5m --help -- x",
            "cached a --timeout-from-json a..b -- x", "cached a --timeout 5m --cache-failures 0 -- x",
            "cached a --timeout-from-json a --timeout-from-json b -- x", "cached a --timeout 5m --force --force -- x",
            "cached a --timeout 5m --cache-failures 9 --cache-failures 9 -- x",
            "cached a --timeout 5m --refresh-before 1m --refresh-before 1m -- x",
            "cached a --timeout 5m --refresh-before 1m --stale-while-refreshing --stale-while-refreshing -- x",
            "cached a --timeout 5m --refresh-before 0 -- x",
        ])
    func unusual(line: String) {
        #expect(Skr.plain(CommandLineWords(leaking: line.split(separator: " ").map(String.init))) == nil)
    }

    @Test("both parsers read a random command line alike, or only the argument parser accepts it", .tags(.anyUser))
    func random() throws {
        let pieces = [
            ["--timeout", "5m"], ["--timeout-from-json", ".a"], ["--refresh-before", "1m"], ["--key", ""],
            ["--key", "a,\\"],
            ["--cache-failures", "9"], ["--force"], ["--stale-while-refreshing"], ["--scope", "user"],
            ["--namespace", "n"],
            ["--forget"], ["--help"], ["b"], [""], ["-"], ["--key"], ["é"],
        ]
        print("seed \(testSeed)")
        var random = Choices(seed: testSeed)
        var taken = 0
        for _ in 0..<3_000 {
            var line = ["cached", "a", "--timeout", "8m"]
            for _ in 0..<Int.random(in: 0...4, using: &random) {
                line += pieces.randomElement(using: &random) ?? []
            }
            if try compare(line + ["--", "x"]) { taken += 1 }
        }
        #expect(taken > 200)
    }

    @Test("no two lists of keys give the same variant")
    func variants() {
        let words = ["", "e", "\\", ",", "\\e", "a,b", "a\\,b"]
        let lists = [[]] + words.map { [$0] } + words.flatMap { left in words.map { [left, $0] } }
        #expect(Set(lists.map(CachedVariant.text)).count == lists.count)
        #expect(CachedVariant.text(of: ["a", "", "b,\\"]) == #"a,\e,b\,\\"#)
    }

    @Test(
        "usage errors have a hint",
        arguments: [
            (["a", "--", "x"], "cached needs a timeout for the output"),
            (["a", "--timeout", "5m"], "no command to run"),
            (["a", "--timeout", "0", "--", "x"], "--timeout and --cache-failures must be 1 to 4294967295 seconds"),
            (["a", "--timeout", "1m", "--refresh-before", "1m", "--", "x"], "--refresh-before must be"),
            (["a", "--timeout", "1m", "--stale-while-refreshing", "--", "x"], "--stale-while-refreshing needs"),
            (["a", "--timeout-from-json", "a..b", "--", "x"], "--timeout-from-json: 'a..b' is not"),
            (["--forget", "a", "--", "x"], "--forget can't be used"),
            (["--forget", "a", "--force"], "--forget can't be used"), (["", "--timeout", "1m", "--", "x"], ""),
        ])
    func mistakes(words: [String], message: String) throws {
        // With sudo, the tests' own session can be another user's, which is an error, too.
        let outcome = try CommandRunner().shell(
            #"exec keyctl session - skr cached "$@" 2> >(grep -v "^Joined session" >&2)"#, words: words)
        #expect(outcome.exitCode == 64 && outcome.output == "")
        #expect(outcome.errors.contains("error: \(message)") && outcome.errors.contains("skr: hint: "))
    }
}
