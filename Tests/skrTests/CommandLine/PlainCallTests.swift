import CommandSupport
import TestSupport
import Testing

import Threads
import skr

/// Returns whether both actions are the same.
///
/// Compares bytes, because strings in different Unicode forms are equal.
func isSame(_ action: any VerbAction, _ other: any VerbAction) -> Bool {
    String(reflecting: action).utf8.elementsEqual(String(reflecting: other).utf8)
}

/// The frequent verbs have their own parser.
///
/// Whenever that parser accepts a call, the argument parser must read the call in the same way.
@Suite("Plain calls and the argument parser agree")
struct PlainCallTests {
    private func compare(_ words: [String]) throws -> Bool {
        let arguments = CommandLineWords(leaking: words)
        guard let plain = Skr.plain(arguments) else { return false }
        let parsed = try Skr.parse(arguments)
        #expect(parsed.map { isSame(plain, $0) } == true, "\(words)")
        return true
    }

    @Test(
        "calls as people type them are plain calls",
        arguments: [
            "get api", "get api me", "get --scope user api", "get api --namespace n me", "get api --field a.0.b",
            "set api",
            "set api me --timeout 8h", "set --new api", "set --raw --new api --timeout 1h30m", "set api --allow-empty",
            "set api --timeout 90", "set api --timeout never",
            "set api -t 8h -n work", "get -n work api me", "delete api -n work",
            "delete api", "delete api me --scope persistent", "set api --timeout 0",
        ]
    )
    func plain(line: String) throws {
        #expect(try compare(line.split(separator: " ").map(String.init)))
    }

    @Test(
        "unusual or wrong calls are left to the argument parser",
        arguments: [
            "", "get", "get -h", "get a b c", "get api --scope", "get api --scope nowhere", "get api --scope=user",
            "get -- api",
            "list", "set api --timeout soon", "set api --timeout -1", "get api --timeout 5", "delete api --new",
            "get api --raw",
            "set api --new --new", "set api --raw --raw", "set api --allow-empty --allow-empty",
            "set api --timeout 5m --timeout 5m", "get api --allow-empty",
            "get api --field a --field b",
            "get --help",
            "set --help api", "help get",
            "gets api", "get api --namespace a --namespace b", "get api -n a --namespace b", "get skr://api",
            "delete skr://api",
            "set skr:/api", "set api -", "get api -t 5", "set api -t 5m --timeout 5m", "get api -n=a",
            "get api --scope user --scope user",
        ]
    )
    func unusual(line: String) {
        #expect(Skr.plain(CommandLineWords(leaking: line.split(separator: " ").map(String.init))) == nil)
    }

    @Test("both parsers read a random command line alike, or only the argument parser accepts it", .tags(.anyUser))
    func random() throws {
        let words = [
            "get", "set", "delete", "api", "me", "", "-", "--", "--new", "--allow-empty", "--raw", "--timeout", "8h",
            "0", "never", "x",
            "--scope", "user",
            "session", "--namespace", "n", "-n", "-t", "skr://api", "--field", "a.b", "--help", "-h", "--timeout=5",
            "é",
        ]
        print("seed \(testSeed)")
        var random = Choices(seed: testSeed)
        var taken = 0
        for _ in 0..<3_000 {
            let verb = ["get", "set", "delete"].randomElement(using: &random) ?? "get"
            let line = (0..<Int.random(in: 0...6, using: &random)).compactMap { _ in words.randomElement(using: &random)
            }
            if try compare([verb] + line) { taken += 1 }
        }
        #expect(taken > 50)
    }
}

@Suite("Durations")
struct DurationTextTests {
    @Test(
        "durations as people type them are read",
        arguments: [
            ("90", 90), ("90s", 90), ("15m", 900), ("8h", 28_800), ("2d", 172_800), ("1h30m", 5_400),
            ("1d2h3m4s", 93_784), ("0", 0),
        ]
    )
    func good(text: String, seconds: Int) {
        #expect(DurationText.parse(text) == .seconds(seconds))
    }

    @Test(
        "anything else is not a duration",
        arguments: [
            "", "s", "1x", "1.5h", "-1", "+1", "1h30", "30m1h", "1m1m", " 1", "1 ", "1H", "٣", "9223372036854775808",
            "99999999999999999d",
        ]
    )
    func bad(text: String) {
        #expect(DurationText.parse(text) == nil)
    }
}
