import CommandSupport

/// All that `skr doctor` found.
struct DoctorReport {
    let findings: [Finding]
    /// Whether at least one scope keeps secrets.
    let isUsable: Bool

    /// One line a check, and where something is to be mended a second one.
    func text(styled style: TextStyle) -> String {
        let width = findings.map(\.check.id.count).max() ?? 0
        var lastMend: Mend?
        return findings.map { finding in
            let check = finding.check
            let verdict =
                style.paint(check.verdict.rawValue, check.verdict.colour) + padding(check.verdict.rawValue, to: 7)
            var text = "\(verdict)  \(check.id)\(padding(check.id, to: width))  \(Display.plain(check.text))\n"
            // What one command mends need not be said again and again.
            if let mend = check.mend, mend != lastMend {
                text += "         mend: \(Display.plain(mend.command))\n"
                lastMend = mend
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
                "mend": JSONValue(check.mend?.command),
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
