/// What became of one check.
package struct CheckOutcome: Codable, Sendable, Equatable {
    package enum Verdict: String, Codable, Sendable {
        case passed, failed
        /// It could not be made; the detail says why.
        case skipped
    }

    /// What is checked, as a statement that holds: `no value is torn`.
    package var name: String
    package var verdict: Verdict
    /// What it rests on, such as how many values were looked at; or what was found.
    package var detail: String
    /// The smallest history that shows the failure, a line each call; empty for what passed.
    package var evidence: [String]
    /// At how many it looked, and at how many what.
    package var looked: Int
    package var subject: String

    package init(
        name: String,
        verdict: Verdict,
        detail: String,
        evidence: [String] = [],
        looked: Int = 0,
        subject: String = ""
    ) {
        self.name = name
        self.verdict = verdict
        self.detail = detail
        self.evidence = evidence
        self.looked = looked
        self.subject = subject
    }
}
