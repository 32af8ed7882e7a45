import CommandSupport

/// What could not be had, told all at once, so that nobody has to mend one, try again, and meet the next.
struct SecretFailures {
    private var failures: [(name: String, error: CommandError)] = []

    /// Notes one, unless it is known.
    mutating func add(_ error: CommandError, name: String) {
        if !failures.contains(where: { $0.error == error }) { failures.append((name, error)) }
    }

    /// Throws one error for all of them; nothing where there are none.
    ///
    /// Its exit code is the worst, which is the largest.
    func check() throws(CommandError) {
        guard let worst = failures.map(\.error).max(by: { $0.exitCode.rawValue < $1.exitCode.rawValue }) else { return }
        guard failures.count > 1 else { throw worst }
        if worst.exitCode == .noItem {
            let names = failures.map(\.name).joined(separator: ", ")
            throw CommandError(
                exitCode: .noItem, message: "no such items, or they have expired: \(names)", hint: worst.hint)
        }
        let messages = failures.map(\.error.message).joined(separator: "; ")
        throw CommandError(
            exitCode: worst.exitCode, message: "\(failures.count) secrets can't be had: \(messages)", hint: worst.hint)
    }
}
