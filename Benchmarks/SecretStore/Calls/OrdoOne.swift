import Foundation

/// The results of the benchmark tool, from the file that it writes.
enum OrdoOne {
    /// The benchmark tool starts the measurements and does not pass on our options, so this is an environment variable.
    private static let variable = "SKR_BENCHMARKS_SHORT"
    static let isShort = ProcessInfo.processInfo.environment[variable] != nil

    /// Lets the benchmark tool run all measurements, each in a separate process, and returns a row for each.
    static func rows(short: Bool) throws -> [Row] {
        Console.note("running ordo-one/benchmark on \(Measurement.all.count) measurements")
        return try Program.withTemporaryDirectory { folder in
            let words = [
                "swift", "package", "--package-path", Program.directory, "--allow-writing-to-directory", folder,
                "benchmark", "--format", "jmh", "--path", folder, "--no-progress",
            ]
            try Program.output(of: words, environment: short ? [variable: "1"] : [:])
            let files = try FileManager.default.contentsOfDirectory(atPath: folder)
            guard let file = files.first(where: { $0.hasSuffix(".jmh.json") }) else {
                throw Failure("the benchmark tool did not measure anything")
            }
            let data = try Data(contentsOf: URL(filePath: folder).appending(path: file))
            let entries = try JSONDecoder().decode([Entry].self, from: data)
            return try Measurement.all.map { try row($0, entries) }
        }
    }

    private static func row(_ measurement: Measurement, _ entries: [Entry]) throws -> Row {
        let suffix = "." + measurement.name.replacingOccurrences(of: " ", with: "_")
        guard let entry = entries.first(where: { $0.benchmark.hasSuffix(suffix) }),
            let ratios = entry[Measurement.ratio.description], let times = entry[Measurement.workTime.description]
        else { throw Failure("the benchmark tool did not measure \(measurement.name)") }
        let ratio = Spread(ratios, scale: 0.001)
        return Row(
            measurement.name, limit: measurement.limit.map { "<= \($0.fixed(2)) \(measurement.reference)" } ?? "",
            measured: "\(ratio); \((times.quantile(0.5) / 1_000).fixed(2)) us",
            measurement.limit.map { ratio.median <= $0 ? .reached : .missed } ?? .information)
    }

    private struct Entry: Decodable {
        struct Metric: Decodable {
            let rawData: [[Double]]
        }

        let benchmark: String
        let secondaryMetrics: [String: Metric]

        subscript(name: String) -> [Double]? {
            guard let samples = secondaryMetrics[name]?.rawData.flatMap(\.self), !samples.isEmpty else { return nil }
            return samples
        }
    }
}
