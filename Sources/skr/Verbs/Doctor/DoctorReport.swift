import CommandSupport

/// All that `skr doctor` found.
struct DoctorReport {
    let findings: [Finding]
    /// Whether at least one scope keeps secrets.
    let isUsable: Bool

    /// One line a check, and a second one where there is something to do.
    func text(styled style: TextStyle) -> String {
        let width = findings.map(\.check.id.count).max() ?? 0
        var lastHint: DoctorHint?
        return findings.map { finding in
            let check = finding.check
            let verdict =
                style.paint(check.verdict.rawValue, check.verdict.colour) + padding(check.verdict.rawValue, to: 7)
            var text = "\(verdict)  \(check.id)\(padding(check.id, to: width))  \(Display.plain(check.text))\n"
            // A hint for several lines is said once.
            if let hint = check.hint, hint != lastHint {
                text += "         hint: \(Display.plain(hint.command))\n"
                lastHint = hint
            }
            return text
        }.joined()
    }

    /// The same for programs.
    ///
    /// The names are a promise to scripts; `skr help doctor` and the README tell them.
    func json() throws -> String {
        let checks = findings.map(\.check).map { check in
            JSONValue.object([
                "id": .string(check.id), "verdict": .string(check.verdict.rawValue), "text": .string(check.text),
                "hint": JSONValue(check.hint?.command),
            ])
        }
        let facts = findings.map { ($0.check.id, $0.facts) }
        let whole = JSONValue.object([
            "checks": .array(checks), "facts": .object(Dictionary(facts) { first, _ in first }),
            "usable": .bool(isUsable),
        ])
        return try JSONOutput.text(of: whole)
    }

    private func padding(_ text: String, to width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count))
    }
}

extension DoctorCheck.Verdict {
    fileprivate var colour: TextStyle.Colour {
        switch self {
        case .ok: .green
        case .warning: .yellow
        case .problem: .red
        }
    }
}
