import Foundation
import Synchronization

/// The mutants that a test noticed with one seed, in a file that a later run can continue.
final class Report: Sendable {
    private let file: URL
    private let noticed: Mutex<[String: Trials.Verdict]>

    static func place(seed: UInt64, in folder: URL) -> URL { folder.appendingPathComponent("noticed-\(seed).json") }

    /// - Parameter continues: whether the verdicts of an earlier run still count.
    init(at file: URL, continuing continues: Bool) {
        self.file = file
        let data = continues ? try? Data(contentsOf: file) : nil
        noticed = Mutex(data.flatMap { try? JSONDecoder().decode([String: Trials.Verdict].self, from: $0) } ?? [:])
    }

    func verdict(of mutant: Mutant) -> Trials.Verdict? { noticed.withLock { $0[mutant.name] } }

    /// Adds a verdict to the file.
    func save(_ mutant: Mutant, _ verdict: Trials.Verdict) {
        noticed.withLock { noticed in
            noticed[mutant.name] = verdict
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            do {
                try encoder.encode(noticed).write(to: file, options: .atomic)
            } catch {
                say("the verdict can't be saved: \(error)")
            }
        }
    }
}

/// The reasons why some mutants make no difference, one line each in the file `no-difference`.
struct Explanations {
    private var reasons: [String: String] = [:]

    /// Reads lines of a mutant's name and the reason, separated by ` | `; lines that begin with `#` are comments.
    init(file: URL) throws {
        for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") where !line.hasPrefix("#") {
            guard let end = line.range(of: " | ", options: .backwards) else {
                throw Failure("no-difference has a line without a reason: \(line)")
            }
            reasons[String(line[..<end.lowerBound])] = String(line[end.upperBound...])
        }
    }

    func reason(for mutant: Mutant) -> String? { reasons[mutant.name] }
}
