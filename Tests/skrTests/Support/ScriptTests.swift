import Testing

/// A suite of tests that run shell scripts, each in a new session keyring.
protocol ScriptTests {
    /// The lines that run before each script.
    var preparation: String { get }
}

extension ScriptTests {
    var preparation: String { "" }

    func run(_ script: String, environment: [String: String] = [:]) throws -> CommandRunner.Outcome {
        try CommandRunner().inSession(preparation + script, environment: environment)
    }

    /// Expects that a script prints exactly this output, and exactly these errors if they are given; its exit code can
    /// be anything.
    @discardableResult
    func expect(
        _ script: String, environment: [String: String] = [:], prints output: String, withErrors errors: String? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> CommandRunner.Outcome {
        let outcome = try CommandRunner().inSession(
            preparation + script, environment: environment, prints: output, at: sourceLocation)
        if let errors { #expect(outcome.errors == errors, "\(outcome)", sourceLocation: sourceLocation) }
        return outcome
    }

    /// Expects that a script ends with 0, prints exactly this output, and has no errors.
    func expect(
        _ script: String, environment: [String: String] = [:], onlyPrints output: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try CommandRunner().inSession(
            preparation + script, environment: environment, prints: output, errors: "", at: sourceLocation)
    }
}
