/// How long a whole `skr get` takes, and how much memory it uses at most.
///
/// The comparison is with `keyctl pipe`, and with a static C program that does only what is necessary.
enum ColdStart {
    static func rows(_ options: [String]) throws -> [Row] {
        try Race.rows(options) { race in
            let item = "password:cold-start:alice"
            let serial = try race.keep(
                ["set", "cold-start", "alice", "--timeout", "1h"], as: item, input: Race.secret)
            let get = [race.skr, "get", "cold-start", "alice"]
            let usual = get + ["--namespace", "default"]
            let pipe = [try Program.find("keyctl"), "pipe", serial]
            let least = [try race.compile("get"), item]
            try race.check(get, pipe, least, usual)
            let figures = try race.run(get, pipe, least, usual)
            let times = figures.map { ($0.time / 1_000).fixed(0) + " us" }
            return [
                Row(
                    "cold skr get", figures[0].time / figures[1].time, atMost: 0.75, "x keyctl pipe",
                    "; \(times[0]) to \(times[1])"),
                Row(
                    "cold skr get, compared with C", figures[0].time / figures[2].time, atMost: 1.08,
                    "x a minimal static C program", "; \(times[0]) to \(times[2])"),
                Row(
                    "cold skr get --namespace default", figures[3].time / figures[1].time, atMost: 1.4, "x keyctl pipe",
                    "; \(times[3]) to \(times[1])"),
                Row("cold skr get, peak RSS", figures[0].mebibytes, atMost: 3, "MiB"),
            ]
        }
    }
}
