import Foundation

/// How long git and docker wait for their credential helper.
///
/// The comparison is with a `skr get` that takes the ordinary way, and with `git credential-cache`, whose daemon keeps
/// the secret in memory.
enum HelperStart {
    /// As many registries as a `docker build` can ask for.
    private static let registries = 20

    static func rows(_ options: [String]) throws -> [Row] {
        try Race.rows(options) { race in
            let get = [race.skr, "get", "cold-start", "alice", "--scope", "session"]
            try Program.output(of: [race.skr, "set", "cold-start", "alice", "--timeout", "1h"], input: Race.secret)
            return try git(race, beside: get) + docker(race, beside: get)
        }
    }

    private static func git(_ race: Race, beside get: [String]) throws -> [Row] {
        let question = "protocol=https\nhost=compare.invalid\n"
        let answer = Data("username=alice\npassword=\(Race.secret)\n".utf8)
        let execPath = try Program.output(of: ["git", "--exec-path"])
        let cache = String(decoding: execPath.dropLast(), as: UTF8.self) + "/git-credential-cache"
        let asked = try race.write(question, to: "question")
        let helper = [race.skr, "helper", "git"]
        setenv("XDG_CACHE_HOME", race.folder, 1)
        defer {
            _ = try? Program.output(of: [cache, "exit"])
            unsetenv("XDG_CACHE_HOME")
        }
        for tool in [helper, [cache]] {
            // This starts a daemon. It would keep the output pipe open, so that we would wait for the output forever.
            let closing = "import subprocess, sys; subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)"
            let store = ["python3", "-c", closing] + tool + ["store"]
            try Program.output(of: store, input: question + String(decoding: answer, as: UTF8.self))
            guard try Program.output(of: tool + ["get"], input: question) == answer else {
                throw Failure("\(tool) did not return the secret")
            }
        }
        let figures = try race.run(get, ["<", asked] + helper + ["get"], ["<", asked, cache, "get"])
        return [
            Row("skr helper git get", figures[1].time / figures[0].time, atMost: 1.3, "x skr get --scope session"),
            Row(
                "skr helper git get, compared with git's", figures[1].time / figures[2].time, atMost: 0.714,
                "x git credential-cache get"),
        ]
    }

    /// Stores all answers first, so that each question is asked with as many answers as at the end.
    private static func docker(_ race: Race, beside get: [String]) throws -> [Row] {
        let helper = [race.skr, "helper", "docker"]
        for number in 1...registries {
            let request = #"{"ServerURL":"registry\#(number).invalid","Username":"me","Secret":"\#(Race.secret)"}"#
            try Program.output(of: helper + ["store"], input: request)
        }
        let asked = try race.write("registry7.invalid\n", to: "server")
        let answer = #"{"ServerURL":"registry7.invalid","Username":"me","Secret":"\#(Race.secret)"}"# + "\n"
        guard try Program.output(of: helper + ["get"], input: "registry7.invalid") == Data(answer.utf8) else {
            throw Failure("skr helper docker did not return the secret")
        }
        let figures = try race.run(get, ["<", asked] + helper + ["get"], helper + ["list"])
        let build = figures[2].time + Double(registries) * figures[1].time
        return [
            Row("skr helper docker get", figures[1].time / figures[0].time, atMost: 1.3, "x skr get --scope session"),
            Row(
                "a list and \(registries) gets, as in a docker build",
                build / (Double(registries + 1) * figures[0].time), atMost: 1.3,
                "x as many skr get --scope session", "; \((build / 1e6).fixed(1)) ms"),
        ]
    }
}
