import Foundation

/// How costs grow: with the items of a namespace, the namespaces of a session, the sessions and users of a machine, and with
/// items that expire together.
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

    /// Writes the tables and plots of `[--output DIR] [PART...]`, each part in a process and a session of its own.
    static func run(_ options: [String]) throws -> CInt {
        var wanted = options
        var output = "scale-results"
        if options.count > 1, options[0] == "--output" {
            output = options[1]
            wanted.removeFirst(2)
        }
        let names = parts.map(\.name)
        guard wanted.allSatisfy(names.contains) else {
            Console.fail("usage: scale [--output DIR] [\(names.joined(separator: "|"))]...", code: 64)
        }
        guard geteuid() == 0 else { Console.fail("run as root: an ordinary user has 200 keys", code: 64) }
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

    /// Prints a line a figure of a part, with tabs between: part, what, size, value, unit, baseline, ratio.
    static func measure(_ options: [String]) throws -> CInt {
        for part in parts where options == [part.name] { try part.measure(Report(part: part.name)) }
        return 0
    }
}

/// Prints figures as they are found.
struct Report {
    let part: String

    func add(_ what: String, size: Int, _ value: Double, _ unit: String = "ns") {
        line(what, size, value, unit, "-\t-")
    }

    /// Half of all values, 99% and the worst.
    func add(_ what: String, _ suffix: String, size: Int, _ nanoseconds: [Double]) {
        for (name, share) in [("p50", 0.5), ("p99", 0.99), ("max", 1)] {
            add("\(what) \(name)\(suffix)", size: size, nanoseconds.quantile(share))
        }
    }

    /// Times of the store beside its baseline, for one call; medians of all rounds, but for the first, which warms up.
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
