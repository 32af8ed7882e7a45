import Testing

import skr

@Suite("skr cached: keys and wrong usage")
struct CachedUsageTests {
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
            (["a", "--timeout", "0", "--", "x"], "--timeout: '0' is not a duration"),
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
