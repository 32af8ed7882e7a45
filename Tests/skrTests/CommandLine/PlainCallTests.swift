import CommandSupport
import Testing

import skr

/// The frequent verbs have their own parser.
///
/// Whenever that parser accepts a call, the argument parser must read the call in the same way. The fuzz tests compare
/// both with random command lines.
@Suite("Plain calls and the argument parser agree")
struct PlainCallTests {
    @Test(
        "calls as people type them are plain calls",
        arguments: [
            "get api", "get api me", "get --scope user api", "get api --namespace n me", "get api --field a.0.b",
            "set api",
            "set api me --timeout 8h", "set --new api", "set --raw --new api --timeout 1h30m", "set api --allow-empty",
            "set api --timeout 90", "set api --timeout never",
            "set api -t 8h -n work", "get -n work api me", "delete api -n work",
            "delete api", "delete api me --scope persistent", "set api --timeout 0",
            "exec -- env", "exec -n work -e A=skr://api -e B -- env -e", "exec --env A=skr://api -- env",
            "exec --env A=skr://a/b?field=c --env B=skr://d -- sh -c x",
            "exec --env-file .env -- npm start", "exec --file A=skr://api --env-file a --env-file b -- x --env -- y",
            "exec --scope user --namespace n --env A=skr://api -- ls --help",
            "exec --env A=skr://api --env A=skr://b -- x", "exec --inherited -- x", "exec --env A --env B=skr://b -- x",
            "exec --env A=skr://api --inherited -- x",
            "cached a --timeout 5m -- x", "cached --timeout 5m a --key b --key c -- x --help -- y",
            "cached a --timeout-from-json .a.b --scope user --namespace n --force -- x",
            "cached a --timeout 5m --refresh-before 1m --stale-while-refreshing --cache-failures 9 -- x",
        ]
    )
    func plain(line: String) throws {
        let arguments = CommandLineWords(leaking: line.split(separator: " ").map(String.init))
        let plain = try #require(Skr.plain(arguments))
        #expect(String(reflecting: plain) == String(reflecting: try #require(try Skr.parse(arguments))))
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
            "exec", "exec --", "exec env", "exec --env A=skr://api", "exec --env A=skr://api --", "exec --env -- x",
            "exec --env A=b -- x", "exec --file A -- x", "exec --env 1=skr://api -- x",
            "exec --env A=skr:// -- x",
            "exec x -- y", "exec --help -- x", "exec --env=A=skr://api -- x", "exec --scope x -- y",
            "exec --scope user --scope user -- x", "exec --env A=skr://a --file A=skr://a -- x", "execs -- x",
            "get -- x", "exec --inherited --inherited -- x",
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
        ]
    )
    func unusual(line: String) {
        #expect(Skr.plain(CommandLineWords(leaking: line.split(separator: " ").map(String.init))) == nil)
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
