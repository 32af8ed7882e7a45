import Foundation

/// The cost of the commands that run other commands.
///
/// Three costs are measured: `skr cached` on a hit; the time that `skr exec` adds before its command starts; and how
/// soon 100 processes get their answer if they all miss at the same time and the command takes one second.
enum RunningCommands {
    static func rows(_ options: [String]) throws -> [Row] {
        try Race.rows(options) { race in try hits(race) + [exec(race)] + misses(race) }
    }

    private static func hits(_ race: Race) throws -> [Row] {
        let hit = [race.skr, "cached", "kept", "--timeout", "1h", "--", "printf", "%s", Race.secret]
        let serial = try race.keep(Array(hit.dropFirst()), as: "cached:kept:", input: "")
        let pipe = [try Program.find("keyctl"), "pipe", serial]
        try race.check(hit, pipe)
        let figures = try race.run(hit, pipe)
        return [
            Row("skr cached on a hit", figures[0].time / figures[1].time, atMost: 1.10, "x keyctl pipe"),
            // A single type whose metadata is built at run time costs about ten page faults.
            Row("skr cached on a hit, page faults", figures[0].pageFaults, atMost: 70, "faults"),
        ]
    }

    private static func exec(_ race: Race) throws -> Row {
        var command = [race.skr, "exec"]
        for number in 1...5 {
            try Program.output(of: [race.skr, "set", "service\(number)", "--timeout", "1h"], input: Race.secret)
            command += ["--env", "V\(number)=skr://service\(number)"]
        }
        let figures = try race.run(command + ["--", "/bin/true"], ["/bin/true"])
        let overhead = (figures[0].time - figures[1].time) / 1e6
        return Row("skr exec with 5 variables, before CMD starts", overhead, atMost: 1, "ms")
    }

    private static func misses(_ race: Race) throws -> [Row] {
        let script = """
            for number in $(seq 100); do
                "$0" cached slow --timeout 1m -- sh -c 'echo run >>"$0"; sleep 1; echo answer' "$1" &
            done
            wait
            """
        let runs = race.folder + "runs"
        var answers = Data()
        let time = try ContinuousClock().measure {
            answers = try Program.output(of: ["sh", "-c", script, race.skr, runs])
        }
        guard answers == Data(String(repeating: "answer\n", count: 100).utf8) else {
            throw Failure("not all 100 processes got the answer")
        }
        let count = try String(contentsOfFile: runs, encoding: .utf8).split(separator: "\n").count
        return [
            Row("runs of a command that 100 processes need at the same time", Double(count), atMost: 1, "run"),
            Row("time until all 100 have the answer, for a command of 1 s", time.nanoseconds / 1e9, atMost: 1.2, "s"),
        ]
    }
}
