import Glibc

/// Colours for people at a terminal that shows them, and plain text everywhere else.
enum TextStyle {
    case plain, coloured

    /// As standard output and the environment want it: see `https://no-color.org`.
    static var wanted: TextStyle {
        guard Console.isOutputTerminal, isUnsetOrEmpty("NO_COLOR") else { return .plain }
        guard let terminal = unsafe getenv("TERM") else { return .coloured }
        return unsafe strcmp(terminal, "dumb") == 0 ? .plain : .coloured
    }

    func paint(_ verdict: DoctorCheck.Verdict) -> String {
        guard self == .coloured else { return verdict.rawValue }
        let colour =
            switch verdict {
            case .ok: 32
            case .warning: 33
            case .problem: 31
            }
        return "\u{1B}[\(colour)m\(verdict.rawValue)\u{1B}[0m"
    }

    private static func isUnsetOrEmpty(_ name: String) -> Bool {
        guard let value = unsafe getenv(name) else { return true }
        return unsafe value.pointee == 0
    }
}
