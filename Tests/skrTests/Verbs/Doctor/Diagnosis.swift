import Foundation
import Testing

typealias JSON = [String: Any]

/// The output of `skr doctor --json`, and how the command ended.
struct Diagnosis {
    let outcome: CommandRunner.Outcome
    let whole: JSON

    init(_ outcome: CommandRunner.Outcome) throws {
        self.outcome = outcome
        whole = try #require(try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? JSON)
    }

    var checks: [JSON] { whole["checks"] as? [JSON] ?? [] }

    /// Expects that the doctor ended with this exit code, and that these checks have these verdicts.
    func expect(_ exitCode: Int32, _ verdicts: [String: String], sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(outcome.exitCode == exitCode, "\(outcome)", sourceLocation: sourceLocation)
        #expect(verdicts.allSatisfy { verdict($0.key) == $0.value }, "\(outcome)", sourceLocation: sourceLocation)
    }

    func verdict(_ id: String) -> String? { checks.first { $0["id"] as? String == id }?["verdict"] as? String }
    func text(_ id: String) -> String { checks.first { $0["id"] as? String == id }?["text"] as? String ?? "" }
    func hint(_ id: String) -> String? { checks.first { $0["id"] as? String == id }?["hint"] as? String }
    func facts(_ id: String) -> JSON { (whole["facts"] as? JSON)?[id] as? JSON ?? [:] }
}

func doctor(_ script: String, environment: [String: String] = [:]) throws -> Diagnosis {
    try Diagnosis(CommandRunner().shell(script, environment: environment))
}
