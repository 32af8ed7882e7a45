import Foundation

/// What the benchmark tool measured, from the file that it writes.
struct OrdoOne {
    struct Result {
        let ratio: Spread
        let floor: Spread
        let work: Spread
    }

    private let results: [String: Result]

    subscript(measurement: Measurement) -> Result {
        get throws {
            guard let result = results[measurement.name] else { throw NotMeasured(name: measurement.name) }
            return result
        }
    }

    /// Has the benchmark tool run all measurements, each in a process of its own.
    static func measure(_ environment: [String: String] = [:]) throws -> OrdoOne {
        Console.note("running ordo-one/benchmark on \(Measurement.all.count) measurements")
        return try Package.withTemporaryDirectory { directory in
            let folder = directory.path(percentEncoded: false)
            let words = [
                "swift", "package", "--package-path", Package.directory.path(percentEncoded: false),
                "--allow-writing-to-directory", folder,
                "benchmark", "--format", "jmh", "--path", folder, "--no-progress",
            ]
            _ = try Package.output(of: words, environment: environment)
            let files = try FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil)
            guard let file = files.first(where: { $0.lastPathComponent.hasSuffix(".jmh.json") }) else {
                throw NotMeasured(name: "anything")
            }
            return try OrdoOne(jmh: Data(contentsOf: file))
        }
    }

    private init(jmh: Data) throws {
        let entries = try JSONDecoder().decode([Entry].self, from: jmh)
        var results: [String: Result] = [:]
        for measurement in Measurement.all {
            let suffix = "." + measurement.name.replacingOccurrences(of: " ", with: "_")
            guard let entry = entries.first(where: { $0.benchmark.hasSuffix(suffix) }),
                let ratio = entry[Measurement.ratio.description],
                let floor = entry[Measurement.floorTime.description],
                let work = entry[Measurement.workTime.description]
            else { throw NotMeasured(name: measurement.name) }
            results[measurement.name] = Result(ratio: ratio.scaled(by: 0.001), floor: floor, work: work)
        }
        self.results = results
    }

    private struct Entry: Decodable {
        struct Metric: Decodable {
            let rawData: [[Double]]
        }

        let benchmark: String
        let secondaryMetrics: [String: Metric]

        subscript(name: String) -> Spread? {
            guard let samples = secondaryMetrics[name]?.rawData.flatMap(\.self), !samples.isEmpty else { return nil }
            return Spread(samples)
        }
    }

    private struct NotMeasured: Error, CustomStringConvertible {
        let name: String
        var description: String { "the benchmark tool did not measure \(name)" }
    }
}

extension OrdoOne.Result: CustomStringConvertible {
    var description: String { "\(ratio); \((work.median / 1_000).fixed(2)) us" }
}
