import Foundation

/// What came of a run: a file for the next one, and what people read.
struct Report: Codable {
    var noticed: [String: Trials.Verdict] = [:]
    var survived: [String] = []

    static func place(seed: UInt64, in folder: URL) -> URL { folder.appendingPathComponent("report-\(seed).json") }

    init() {}

    init?(from file: URL) {
        guard let data = try? Data(contentsOf: file), let report = try? JSONDecoder().decode(Self.self, from: data) else {
            return nil
        }
        self = report
    }

    func write(to file: URL) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try encoder.encode(self).write(to: file)
    }
}

/// Why some mutants make no difference: a line for each in the file `no-difference`.
struct Explanations {
    private var reasons: [String: String] = [:]

    /// A line is a mutant's name and the reason, separated by ` | `; lines that begin with `#` are comments.
    init(file: URL) throws {
        for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") where !line.hasPrefix("#") {
            guard let end = line.range(of: " | ", options: .backwards) else {
                throw Failure("no-difference: a line without a reason: \(line)")
            }
            reasons[String(line[..<end.lowerBound])] = String(line[end.upperBound...])
        }
    }

    func reason(for mutant: Mutant) -> String? { reasons[mutant.name] }
}
