import Foundation

/// How long each verb takes from its start to its end.
///
/// The comparison is with a `skr get` that takes the ordinary way, with the command that the verb runs, and with `keyctl`
/// where that can do the same.
enum VerbStart {
    static func rows(_ options: [String]) throws -> [Row] {
        try Race.rows(options) { race in
            // In another namespace, no lease is needed: the update flag of an earlier row would cost one.
            setenv("SKR_NAMESPACE", "verbs", 1)
            defer { unsetenv("SKR_NAMESPACE") }
            // Ten items.
            for number in 0...9 {
                try Program.output(of: [race.skr, "set", "item\(number)"], input: Race.secret)
            }
            let get = [race.skr, "get", "--namespace", "verbs", "item0"]
            return try lists(race, get) + ordinary(race, get) + launching(race, get) + others(race)
        }
    }

    private static func lists(_ race: Race, _ get: [String]) throws -> [Row] {
        let output = try Program.output(of: ["keyctl", "search", "@s", "keyring", "skr:verbs"])
        let ring = String(decoding: output.dropLast(), as: UTF8.self)
        let figures = try race.run([race.skr, "list"], [try Program.find("keyctl"), "list", ring])
        return [
            Row("skr list, 10 items", figures[0].time / figures[1].time, atMost: 1.25, "x keyctl list of the same ring")
        ]
    }

    /// The verbs whose work is one call of the store, or none.
    private static func ordinary(_ race: Race, _ get: [String]) throws -> [Row] {
        let value = try race.write("v", to: "value")
        let template = try race.write("{{ skr://item0 }}\n", to: "template")
        let fresh = ["<", value, race.skr, "set", "gone"]
        let delete = [race.skr, "delete", "gone"]
        let clear = [race.skr, "clear", "gone"]
        setenv("SKR_SOURCES", race.folder + "none", 1)
        defer { unsetenv("SKR_SOURCES") }
        try Program.output(of: [race.skr, "set", "gone"], input: "v")
        let verbs: [(words: [String], limit: Double)] = [
            ([race.skr, "expire", "item1", "--timeout", "5m"], 1.15), (fresh + ["+++"] + delete, 1.15),
            ([race.skr, "clear", "--namespace", "empty"], 1.15), ([race.skr, "env", "--env", "T=skr://item0"], 1.15),
            (["<", template, race.skr, "inject"], 1.15), ([race.skr, "source"], 1.15),
            ([race.skr, "get", "--namespace=verbs", "--no-source", "item0"], 1.15),
            (clear + ["+++"] + fresh, 1.3),
        ]
        return try verbs.map { words, limit in
            let figures = try race.run(words, get)
            let name = words.split(separator: "+++").last?.drop { $0 != race.skr }.dropFirst().first ?? ""
            return Row("skr \(name)", figures[0].time / figures[1].time, atMost: limit, "x skr get --namespace NAME")
        }
    }

    private static func launching(_ race: Race, _ get: [String]) throws -> [Row] {
        let command = ["/bin/true"]
        let session = [try Program.find("keyctl"), "session", "-"] + command
        let figures = try race.run(
            get, command, [race.skr, "exec", "--env", "T=skr://item0", "--"] + command,
            [race.skr, "lock", "--scope", "session", "verbs", "--"] + command, [race.skr, "session", "--"] + command,
            session)
        let least = figures[0].time + figures[1].time
        return [
            Row("skr exec, 1 variable", figures[2].time / least, atMost: 1.1, "x skr get and the command"),
            Row("skr lock", figures[3].time / least, atMost: 2.5, "x skr get and the command"),
            Row("skr session", figures[4].time / figures[5].time, atMost: 1.15, "x keyctl session"),
        ]
    }

    private static func others(_ race: Race) throws -> [Row] {
        let figures = try race.run([race.skr, "---complete", "zsh", "skr", "get", "it"], [race.skr, "doctor"])
        return [
            Row("completion of a service", figures[0].time / 1e6, atMost: 3, "ms"),
            Row("skr doctor", figures[1].time / 1e6, atMost: 5, "ms"),
        ]
    }
}
