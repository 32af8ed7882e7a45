/// The measured values, their limits, and a verdict on each.
enum Table {
    /// Measures everything and prints the table.
    ///
    /// With `--short`, it measures only a little, which shows that the benchmarks work.
    static func run(_ options: [String]) throws -> CInt {
        let isShort = options == ["--short"]
        guard isShort || options.isEmpty else { Console.fail("usage: benchmarks table [--short]", code: 64) }
        if isShort {
            for row in try OrdoOne.rows(short: true) { Console.line("\(row.what): \(row.measured)") }
            return 0
        }
        var rows = try OrdoOne.rows(short: false) + [Freshness.row()] + Throughput.rows() + SyscallCounts.rows()
        rows.append(try FirstStore.row())
        let commands = [
            ("cold-start", ColdStart.rows), ("helpers", HelperStart.rows), ("commands", RunningCommands.rows),
            ("verbs", VerbStart.rows),
            ("sources", Sources.rows),
        ]
        for (name, measure) in commands {
            Console.note(name)
            do {
                rows += try measure([])
            } catch {
                // The earlier results are still worth showing.
                rows.append(.notMeasured(name, limit: "", because: "\(error)"))
            }
        }
        return show(rows)
    }

    /// Prints the rows.
    ///
    /// - Returns: 0 if every limit is reached; 1 if one is missed; 2 if none is missed, but something was not measured.
    static func show(_ rows: [Row]) -> CInt {
        let header = ["what", "must reach", "measured: median (middle half)", "verdict"]
        let cells = [header] + rows.map { [$0.what, $0.limit, $0.measured, $0.verdict.rawValue] }
        let widths = header.indices.map { column in cells.map { $0[column].count }.max() ?? 0 }
        func line(_ row: [String]) -> String {
            let padded = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
            return "| " + padded.joined(separator: " | ") + " |"
        }
        Console.line(line(header))
        Console.line("|" + widths.map { String(repeating: "-", count: $0 + 2) }.joined(separator: "|") + "|")
        for row in cells.dropFirst() { Console.line(line(row)) }
        if rows.contains(where: { $0.verdict == .missed }) { return 1 }
        return rows.contains { $0.verdict == .notMeasured } ? 2 : 0
    }
}
