import CommandSupport

/// A client whose configuration we change ourselves in the simple cases.
///
/// In every other case the configuration stays unchanged, and the user edits it by hand.
protocol WritableSetup: ClientSetup {
    /// Does what the lines of ``instructions(_:)`` describe.
    func write(_ call: SetupCall) throws(CommandError)

    /// Does what the lines of ``removalInstructions(_:)`` describe.
    func remove(_ call: SetupCall) throws(CommandError)

    /// Returns warnings about other settings of the client.
    func remarks(_ call: SetupCall) -> [CommandError]
}

/// The reason why a configuration stays unchanged.
package struct SetupRefusal: Error, Equatable {
    static let hint = "edit it by hand, as the printed lines show"

    let reason: String
    let exitCode: ExitCode

    init(_ reason: String, _ exitCode: ExitCode = .data) {
        self.reason = reason
        self.exitCode = exitCode
    }
}

extension CommandError {
    /// The error for a configuration that stays unchanged; the user also sees the lines.
    init(_ refusal: SetupRefusal, of configuration: String) {
        self.init(
            exitCode: refusal.exitCode, message: "did not edit \(configuration): \(refusal.reason)",
            hint: SetupRefusal.hint)
    }
}

extension SetupCall {
    /// Prints the lines of a change, and makes the change if the user wants that.
    ///
    /// - Parameters:
    ///   - lines: the change, as the user would make it by hand.
    ///   - purpose: the heading if the user has to make the change.
    ///   - done: the heading if it is made.
    ///   - isWritten: whether to make it.
    func change(
        _ lines: [String], _ purpose: String, done: String, isWritten: Bool, _ write: () throws(CommandError) -> Void
    ) throws(CommandError) {
        var heading = "\(purpose)\(!isWritten && setup is any WritableSetup ? " (--write-config does this)" : ""):"
        var failure: CommandError?
        do throws(CommandError) {
            if isWritten {
                try write()
                heading = "\(done):"
            }
        } catch {
            failure = error
        }
        for line in [heading] + lines { try Console.writeLine(line) }
        if let failure { throw failure }
    }
}
