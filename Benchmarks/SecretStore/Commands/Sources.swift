/// The cost of sources: of a miss that runs one, and of calls that don't run any.
enum Sources {
    static func rows(_ options: [String]) throws -> [Row] {
        try Race.rows(options) { race in try misses(race) + hits(race) }
    }

    private static let line = "api --timeout 1m -- printf %s secret"

    /// Returns the beginning of a command that uses a file with this source and many others.
    private static func using(_ others: Int, _ race: Race) throws -> [String] {
        let lines = (0..<others).map {
            "service\($0) account\($0) --timeout 15m --first-line -- pass show work/entry\($0)"
        }
        let path = try race.write((lines + [line, ""]).joined(separator: "\n"), to: "sources\(others)")
        return [try Program.find("env"), "SKR_SOURCES=\(path)"]
    }

    /// On both sides, the same command first makes the secret missing, and its time counts too.
    private static func misses(_ race: Race) throws -> [Row] {
        let source = ["sh", "-c", #""$0" clear; exec "$0" get api"#, race.skr]
        let cached = [
            "sh", "-c", #""$0" clear; exec "$0" cached api --timeout 1m -- printf %s secret"#, race.skr,
        ]
        let few = try using(0, race)
        let figures = try race.run(few + source, few + cached, try using(10_000, race) + source)
        return [
            Row("a miss with a source", figures[0].time / figures[1].time, atMost: 1.1, "x a miss of skr cached"),
            Row(
                "a miss with 10,000 other sources, in addition", (figures[2].time - figures[0].time) / 1e6, atMost: 5,
                "ms"),
        ]
    }

    private static func hits(_ race: Race) throws -> [Row] {
        let question = "protocol=https\nhost=sources.invalid\n"
        let asked = try race.write(question, to: "question")
        try Program.output(
            of: [race.skr, "helper", "git", "store"], input: question + "username=alice\npassword=\(Race.secret)\n")
        try Program.output(of: [race.skr, "set", "hit"], input: Race.secret)
        let none = [try Program.find("env"), "SKR_SOURCES=none"]
        let git = [race.skr, "helper", "git", "get"]
        let get = [race.skr, "get", "hit"]
        let figures = try race.run(
            ["<", asked] + none + git, ["<", asked] + (try using(100, race)) + git, none + get,
            try using(10_000, race) + get)
        return [
            Row("a search with 100 sources, in addition", (figures[1].time - figures[0].time) / 1e6, atMost: 0.2, "ms"),
            Row("a named hit with 10,000 sources", figures[3].time / figures[2].time, atMost: 1.03, "x one without"),
        ]
    }
}
