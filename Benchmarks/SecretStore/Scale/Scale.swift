import Foundation

/// How costs grow with the number of items, namespaces, sessions and users, and if items expire together.
enum Scale {
    static let partWord = "scale-part"
    static let itemBytes = 24

    private static let parts: [(name: String, measure: @Sendable (Report) throws -> Void)] = [
        ("items", ItemsPart.measure), ("namespaces", NamespacesPart.measure),
        ("sessions", { try CrowdPart(firstUser: nil).measure($0) }),
        ("users", { try CrowdPart(firstUser: 200_000).measure($0) }),
        ("neighbours", NeighboursPart.measure), ("expiry", { try ExpiryPart().measure($0) }),
        ("collection", { try ExpiryPart().measureCollection($0) }),
    ]

    /// Writes the tables and plots of `[--output DIR] [PART...]`, measuring each part in its own process and session.
    static func run(_ options: [String]) throws -> CInt {
        var wanted = options
        var output = "scale-results"
        if options.count > 1, options[0] == "--output" {
            output = options[1]
            wanted.removeFirst(2)
        }
        let names = parts.map(\.name)
        guard wanted.allSatisfy(names.contains) else {
            Console.fail("usage: benchmarks scale [--output DIR] [\(names.joined(separator: "|"))]...", code: 64)
        }
        guard geteuid() == 0 else { Console.fail("run it as root: an ordinary user can have only 200 keys", code: 64) }
        try FileManager.default.createDirectory(atPath: output, withIntermediateDirectories: true)
        for part in wanted.isEmpty ? names : wanted {
            Console.note(part)
            let figures = try Program.output(of: [Program.path, partWord, part])
            try figures.write(to: URL(filePath: output).appending(path: part + ".tsv"))
        }
        try Program.output(of: ["python3", "-B", Program.directory + "plot.py", output])
        Console.note("figures and plots are in \(output)")
        return 0
    }

    /// Prints the figures of a part, one line for each, with tabs between the columns.
    ///
    /// The columns are part, what, size, value, unit, baseline and ratio.
    static func measure(_ options: [String]) throws -> CInt {
        for part in parts where options == [part.name] { try part.measure(Report(part: part.name)) }
        return 0
    }
}

/// Prints figures as soon as they are measured.
struct Report {
    let part: String

    func add(_ what: String, size: Int, _ value: Double, _ unit: String = "ns") {
        line(what, size, value, unit, "-\t-")
    }

    /// Adds the median, the 99th percentile and the maximum.
    func add(_ what: String, _ suffix: String, size: Int, _ nanoseconds: [Double]) {
        for (name, share) in [("p50", 0.5), ("p99", 0.99), ("max", 1)] {
            add("\(what) \(name)\(suffix)", size: size, nanoseconds.quantile(share))
        }
    }

    /// Adds the time of one call of the store next to the time of its baseline.
    ///
    /// Both are medians of all rounds except the first one, which warms up.
    func add(_ what: String, size: Int, rounds: Int, calls: Int = 1, _ contest: Contest) throws {
        let samples = try (0...rounds).map { _ in try contest.run(calls: calls, turns: 1) }.dropFirst()
        add(what, size: size, works: samples.map { $0.work / calls }, baselines: samples.map { $0.baseline / calls })
    }

    func add(_ what: String, size: Int, works: [Duration], baselines: [Duration]) {
        let ratio = zip(works, baselines).map { $0 / $1 }.quantile(0.5)
        let baseline = rounded(baselines.map(\.nanoseconds).quantile(0.5))
        let work = works.map(\.nanoseconds).quantile(0.5)
        line(what, size, work, "ns", "\(baseline)\t\((ratio * 100).rounded() / 100)")
    }

    private func line(_ what: String, _ size: Int, _ value: Double, _ unit: String, _ rest: String) {
        Console.line("\(part)\t\(what)\t\(size)\t\(rounded(value))\t\(unit)\t\(rest)")
    }

    private func rounded(_ value: Double) -> Double { (value * 10).rounded() / 10 }
}

extension ContinuousClock.Instant {
    /// The time since then.
    var elapsed: Duration { duration(to: .now) }
}
