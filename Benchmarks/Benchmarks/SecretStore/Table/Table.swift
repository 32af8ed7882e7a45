import Foundation

/// What must be reached, what is, and a verdict on each.
enum Table {
    /// Measures everything and prints the table.
    ///
    /// - Returns: 0 if everything is reached, 1 if something is missed, 2 if all that is wrong is that something was not
    ///   measured.
    static func run() -> CInt {
        #if DEBUG
            Package.runInRelease()
        #else
            do {
                Session.joinOwn()
                let rows = try rows()
                print(format(rows))
                if rows.contains(where: { $0.verdict == .missed }) { return 1 }
                return rows.contains { $0.verdict == .notMeasured } ? 2 : 0
            } catch {
                Console.fail("\(error)")
            }
        #endif
    }

    /// Has each measurement done a few times, which shows that it can be done, and no more.
    static func runShort() -> CInt {
        #if DEBUG
            Package.runInRelease([ShortRun.option])
        #else
            do {
                let results = try OrdoOne.measure([ShortRun.variable: "1"])
                for measurement in Measurement.all { print("\(measurement.name): \(try results[measurement])") }
                return 0
            } catch {
                Console.fail("\(error)")
            }
        #endif
    }

    private static func rows() throws -> [Row] {
        let results = try OrdoOne.measure()
        return try singleRows(results) + threadRows() + witnessRows() + ColdStart.rows()
    }

    private static func format(_ rows: [Row]) -> String {
        let header = ["what", "must reach", "measured: median (middle half)", "verdict"]
        let cells = [header] + rows.map { [$0.what, $0.limit, $0.measured, $0.verdict.rawValue] }
        let widths = header.indices.map { column in cells.map { $0[column].count }.max() ?? 0 }
        func line(_ row: [String]) -> String {
            let padded = zip(row, widths).map { $0.padding(toLength: $1, withPad: " ", startingAt: 0) }
            return "| " + padded.joined(separator: " | ") + " |"
        }
        let rule = "|" + widths.map { String(repeating: "-", count: $0 + 2) }.joined(separator: "|") + "|"
        return ([line(header), rule] + cells.dropFirst().map(line)).joined(separator: "\n")
    }
}
