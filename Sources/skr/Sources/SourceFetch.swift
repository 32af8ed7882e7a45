import CommandSupport
import SecretText
import SessionKeyring

extension Source {
    /// Returns the secret: the stored one, or else the new one that the command prints for all who ask, with its end.
    func secret(
        in store: SecretStore, of place: Place, warns: Bool = true
    ) throws(CommandError) -> (secret: SecretBox, end: Int64?) {
        let form = SourceOutput(self, settings: try settings(), warns: warns)
        let action = CachedAction(
            place: place, item: item, timeout: timeout, failureTimeout: failureTimeout > .zero ? failureTimeout : nil,
            command: CommandLineWords(leaking: command),
            form: form)
        let fetched = try CommandError.translating {
            do {
                return try action.fetched(in: store)
            } catch let error as CommandError {
                throw failure(error.message, hint: error.hint)
            } catch let error as SecretStoreError where error.code == .leaseHeld {
                throw failure("another process still runs it", hint: "end that process, or try again later")
            }
        }
        if let end = fetched.end, end.isInterrupted { end.endWithSignal() }
        guard let answer = fetched.answer else { throw failure(CapturedOutput.tooLarge.message, hint: nil) }
        guard answer.exitCode == 0 else {
            if fetched.end == nil {
                let name = [item.service, item.account].filter { !$0.isEmpty }.map(Display.shellWord)
                    .joined(separator: " ")
                throw failure(
                    "it failed moments ago with exit code \(answer.exitCode), and is not run again yet",
                    hint: "'skr delete \(name)' ends this wait")
            }
            if fetched.end?.isOverdue == true {
                throw failure(
                    "\(Display.quoted(command[0])) ran for more than \(DurationText.rounded(limit))",
                    hint: "if it needs longer, add --limit 10m to line \(line) of the sources file")
            }
            throw failure(
                "\(Display.quoted(command[0])) ended with exit code \(answer.exitCode)",
                hint: "run it by hand; line \(line) of the sources file has the command")
        }
        return (answer.output, unsafe form.end)
    }

    /// Returns the surroundings of the command.
    ///
    /// A variable has the items for which sources run at the moment. A command that asks for one of them would wait for
    /// itself.
    private func settings() throws(CommandError) -> ChildSettings {
        let variable = "SKR_SOURCE_CHAIN"
        let chain = try Variable.value(variable)?.split(separator: " ") ?? []
        let link = [scope.rawValue, namespace, item.service, item.account].map(SecretReference.encode)
            .joined(separator: "/")
        guard !chain.contains(where: { $0 == link }) else {
            throw .data(
                "\(Display.name(of: item)): the command of its source asks for the item itself",
                hint: "change the command in line \(line) of the sources file")
        }
        let home = try Variable.value("HOME").flatMap { $0.hasPrefix("/") ? $0 : nil }
        var settings = ChildSettings(folder: home ?? "/", limit: limit)
        settings.environment.removed = ["SKR_SCOPE", "SKR_NAMESPACE", "SKR_TIMEOUT"]
        let extended = (chain + [Substring(link)]).joined(separator: " ")
        unsafe settings.environment.set(variable, to: extended.utf8Span.span.bytes)
        return settings
    }

    private func failure(_ reason: String, hint: String?) -> CommandError {
        CommandError(
            exitCode: .tryAgain, message: "\(Display.name(of: item)): its source failed: \(reason)", hint: hint)
    }
}
