import CommandSupport

/// A client whose configuration we change ourselves in the simple cases.
///
/// In every other case the configuration stays unchanged, and the user edits it by hand.
protocol WritableSetup: ClientSetup {
    /// Returns the name of the configuration for an error.
    func configuration(of user: SetupUser) -> String

    /// Does what the lines of ``instructions(_:)`` or, for a removal, ``removalInstructions(_:)`` describe.
    func change(_ call: SetupCall, isRemoval: Bool) throws(SetupRefusal)

    /// Returns warnings about other settings of the client.
    func remarks(_ call: SetupCall) -> [CommandError]
}

/// The reason why a configuration stays unchanged.
package struct SetupRefusal: Error, Equatable {
    let reason: String
    let exitCode: ExitCode
    /// The way out, if it isn't to make the change by hand.
    let hint: String?

    init(_ reason: String, _ exitCode: ExitCode = .data, hint: String? = nil) {
        (self.reason, self.exitCode, self.hint) = (reason, exitCode, hint)
    }
}

extension SetupCall {
    /// Prints the lines of a change, and makes the change if the user wants that.
    ///
    /// - Parameters:
    ///   - lines: the change, as the user would make it by hand.
    ///   - purpose: the heading if the user has to make the change.
    ///   - isRemoval: whether the change removes the configuration.
    ///   - isWritten: whether to make it.
    func change(
        _ lines: [String], _ purpose: String, isRemoval: Bool, isWritten: Bool
    ) throws(CommandError) {
        var heading = purpose
        var failure: CommandError?
        if let setup = setup as? any WritableSetup {
            do throws(SetupRefusal) {
                if isWritten { try setup.change(self, isRemoval: isRemoval) }
                let done = isRemoval ? "removed the configuration" : "changed the configuration"
                heading = isWritten ? done : "\(purpose) (--write-config does this)"
            } catch {
                failure = CommandError(
                    exitCode: error.exitCode, message: "did not edit \(setup.configuration(of: user)): \(error.reason)",
                    hint: error.hint ?? "edit it by hand, as the printed lines show")
            }
        }
        for line in ["\(heading):"] + lines { try Console.writeLine(line) }
        if let failure { throw failure }
    }
}
