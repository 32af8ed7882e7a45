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
    /// A scope that keeps secrets, and whether skr uses it without an option; `nil` if none does.
    let place: (scope: Place.Scope, isUsual: Bool)?

    /// Returns a paragraph for each check, with its hint, and a last line with the verdict.
    func text(styled style: TextStyle, width: Int) -> String {
        let layout = HelpLayout(width: width)
        let isNarrow = width < 50
        let idWidth = findings.map(\.id.count).max() ?? 0
        let indent = String(repeating: " ", count: isNarrow ? 2 : 9)
        var lastHint: String?
        let paragraphs = findings.map { finding in
            let word = finding.verdict.rawValue
            let label = padded(word, to: 9) + (isNarrow ? "\(finding.id)\n" : padded(finding.id, to: idWidth + 2))
            let plain = Display.plain(finding.text)
            let lines = isNarrow ? label + layout.text(plain, after: indent) : layout.text(plain, after: label)
            var text = style.paint(word, finding.verdict.colour) + lines.dropFirst(word.count) + "\n"
            // The same hint is not repeated.
            if let hint = finding.hint, hint.line != lastHint {
                text += layout.command(Display.plain(hint.command), after: "\(indent)hint: ") + "\n"
                if let remark = hint.remark { text += comment(remark, indent: "\(indent)      ", width: width) }
                lastHint = hint.line
            }
            return text
        }
        return paragraphs.joined() + "\n\(layout.text(verdict, after: ""))\n"
    }

    /// Returns a text as lines of comments, so that a whole hint can be copied to a shell.
    private func comment(_ text: String, indent: String, width: Int) -> String {
        let layout = HelpLayout(width: width - indent.count - 2)
        let lines = layout.text(Display.plain(text), after: "").split(separator: "\n")
        return lines.map { "\(indent)# \($0)\n" }.joined()
    }

    /// The verdict on this login.
    private var verdict: String {
        func count(_ verdict: Finding.Verdict) -> String? {
            let count = findings.count { $0.verdict == verdict }
            return count == 0 ? nil : "\(count) \(verdict.rawValue)\(count == 1 ? "" : "s")"
        }
        let troubles = [count(.problem), count(.warning)].compactMap { $0 }.joined(separator: " and ")
        let rest = troubles.isEmpty ? "all checks are ok" : "see the \(troubles) above"
        guard let place else { return "skr can't keep secrets in this login: \(rest)" }
        let option = place.isUsual ? "" : ", but only with --scope \(place.scope.rawValue)"
        return "skr works in this login\(option): \(rest)"
    }

    /// Returns the report as JSON, for programs.
    ///
    /// Scripts rely on the names, which `skr help doctor` documents.
    func json() throws -> String {
        let checks = findings.map { finding in
            JSONValue.object([
                "id": .string(finding.id), "verdict": .string(finding.verdict.rawValue), "text": .string(finding.text),
                "hint": JSONValue(finding.hint?.line),
            ])
        }
        let facts = Dictionary(findings.map { (Name($0.id), $0.facts) }) { first, _ in first }
        return try JSONOutput.text(
            of: JSONValue.object(["checks": .array(checks), "facts": .object(facts), "usable": .bool(place != nil)]))
    }

    private func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
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
