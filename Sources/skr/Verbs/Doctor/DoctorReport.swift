import CommandSupport

/// The result of one check.
struct Finding {
    /// How bad the result is.
    enum Verdict: String {
        case ok
        /// It works, but has a weakness that the user should know.
        case warning
        case problem
    }

    /// A name that scripts can rely on.
    let id: String
    let verdict: Verdict
    let text: String
    /// What to do about it; `nil` only if the verdict is `ok`.
    let hint: DoctorHint?
    /// The details, for programs.
    let facts: JSONValue

    static func ok(_ id: String, _ text: String, _ facts: JSONValue) -> Finding {
        Finding(id: id, verdict: .ok, text: text, hint: nil, facts: facts)
    }

    static func warning(_ id: String, _ text: String, hint: DoctorHint, _ facts: JSONValue) -> Finding {
        Finding(id: id, verdict: .warning, text: text, hint: hint, facts: facts)
    }

    static func problem(_ id: String, _ text: String, hint: DoctorHint, _ facts: JSONValue) -> Finding {
        Finding(id: id, verdict: .problem, text: text, hint: hint, facts: facts)
    }
}

/// Everything that `skr doctor` has found.
struct DoctorReport {
    let findings: [Finding]
    /// Whether at least one scope keeps secrets.
    let isUsable: Bool

    /// Returns a line for each check, and its hint on a second line.
    func text(styled style: TextStyle) -> String {
        let width = findings.map(\.id.count).max() ?? 0
        var lastHint: String?
        return findings.map { finding in
            let verdict = style.paint(finding.verdict.rawValue, finding.verdict.colour)
            let padding = (verdict: padding(finding.verdict.rawValue, to: 7), id: padding(finding.id, to: width))
            var text = "\(verdict)\(padding.verdict)  \(finding.id)\(padding.id)  \(Display.plain(finding.text))\n"
            // The same hint is not repeated.
            if let hint = finding.hint?.command, hint != lastHint {
                text += "         hint: \(Display.plain(hint))\n"
                lastHint = hint
            }
            return text
        }.joined()
    }

    /// Returns the report as JSON, for programs.
    ///
    /// Scripts rely on the names, which `skr help doctor` documents.
    func json() throws -> String {
        let checks = findings.map { finding in
            JSONValue.object([
                "id": .string(finding.id), "verdict": .string(finding.verdict.rawValue), "text": .string(finding.text),
                "hint": JSONValue(finding.hint?.command),
            ])
        }
        let facts = Dictionary(findings.map { ($0.id, $0.facts) }) { first, _ in first }
        return try JSONOutput.text(
            of: JSONValue.object(["checks": .array(checks), "facts": .object(facts), "usable": .bool(isUsable)]))
    }

    private func padding(_ text: String, to width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count))
    }
}

extension Finding.Verdict {
    fileprivate var colour: TextStyle.Colour {
        switch self {
        case .ok: .green
        case .warning: .yellow
        case .problem: .red
        }
    }
}
