import Foundation

/// Runs whole commands in turns (Commands/race.c): an installed, static `skr` and the commands to compare it with.
struct Race {
    struct Figure {
        /// The median, in nanoseconds.
        let time: Double
        /// The highest peak memory of all runs.
        let mebibytes: Double
        /// The fewest page faults of all runs.
        ///
        /// There are a few more if the executable lies in smaller pieces of memory.
        let pageFaults: Double
    }

    let skr: String
    let runs: Int
    let folder: String

    /// Prepares a race, and measures it.
    ///
    /// - Parameter options: `[SKR [RUNS]]`.
    static func rows(_ options: [String], _ measure: (Race) throws -> [Row]) throws -> [Row] {
        let runs = options.count == 2 ? Int(options[1]) ?? 0 : 1_000
        guard options.count <= 2, runs > 0 else { Console.fail("usage: benchmarks WORD [SKR [RUNS]]", code: 64) }
        let skr = try Program.find(options.first ?? ProcessInfo.processInfo.environment["SKR"] ?? "skr")
        return try Program.withTemporaryDirectory { folder in
            let race = Race(skr: skr, runs: runs, folder: folder)
            try race.compile("race")
            return try measure(race)
        }
    }

    /// Builds a program in the folder Commands, and returns its path.
    @discardableResult
    func compile(_ name: String) throws -> String {
        let source = Program.directory + "Commands/\(name).c"
        try Program.output(of: [
            "cc", "-O2", "-Wall", "-Wextra", "-Werror", "-static", "-o", folder + name, source, "-lkeyutils",
        ])
        return folder + name
    }

    /// Writes a file for a command to read, and returns its path.
    func write(_ text: String, to name: String) throws -> String {
        try Data(text.utf8).write(to: URL(fileURLWithPath: folder + name))
        return folder + name
    }

    /// Runs the commands in turns.
    ///
    /// Each command begins with a path, or with `<` and the path of its standard input.
    func run(_ commands: [String]...) throws -> [Figure] {
        let words = commands.map { $0.joined(separator: "\n") }.joined(separator: "\n---\n").split(separator: "\n")
        let output = try Program.output(of: [folder + "race", String(runs)] + words.map(String.init))
        return try String(decoding: output, as: UTF8.self).split(separator: "\n").map { line in
            let numbers = line.split(separator: " ").compactMap { Double($0) }
            guard numbers.count == 3 else { throw Failure("race printed an unexpected line") }
            return Figure(time: numbers[0], mebibytes: numbers[1] / 1_024, pageFaults: numbers[2])
        }
    }

    /// Stores a row of x with `skr`, and returns the serial of its key.
    ///
    /// The row is not a secret, but as long as many tokens are.
    func keep(_ words: [String], as name: String, input: String) throws -> String {
        try Program.output(of: [skr] + words, input: input)
        let output = try Program.output(of: ["keyctl", "search", "@s", "user", name])
        return String(decoding: output.dropLast(), as: UTF8.self)
    }

    /// Checks that all commands print the secret.
    func check(_ commands: [String]...) throws {
        for command in commands {
            guard try Program.output(of: command) == Data(Self.secret.utf8) else {
                throw Failure("\(command.joined(separator: " ")) did not print the secret")
            }
        }
    }

    static let secret = String(repeating: "x", count: 200)
}

extension Row {
    /// Creates a row for a value that must not exceed the limit.
    init(_ what: String, _ figure: Double, atMost limit: Double, _ unit: String, _ note: String = "") {
        self.init(
            what, limit: "<= \(limit.formatted()) \(unit)", measured: figure.fixed(3) + note, isReached: figure <= limit
        )
    }
}
