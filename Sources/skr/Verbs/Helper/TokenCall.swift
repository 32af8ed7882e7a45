import CommandSupport
import CredentialHelpers
import SecretText
import SessionKeyring

/// The words of a client whose configuration names an item, or a command that prints it.
struct TokenWords {
    static let nameHelp = "The item, or the name under which skr keeps CMD's output."
    static let accountHelp = "The item's account; required if the service has several."
    /// The part of the help that these clients share.
    static let details = """
        With CMD, skr keeps CMD's output under NAME until 5 minutes before it expires, and for --timeout at most. If \
        several processes ask at the same time, one runs CMD and all get its output.
        """

    private let options: HelperOptions
    private let limit: Duration?
    private let command: CommandLineWords?
    private let name: String
    private let account: String?

    init(_ words: inout CommandWords) {
        limit = words.tokenLimit()
        options = HelperOptions(&words)
        command = words.tokenCommand()
        name = words.word("NAME", Self.nameHelp, .services)
        account = words.optionalWord("ACCOUNT", Self.accountHelp, .accounts)
    }

    func call(of client: any HelperClient.Type) throws(CommandError) -> TokenCall {
        TokenCall(try options.call(of: client), name: name, account: account, command: command, limit: limit)
    }
}

extension CommandWords {
    mutating func tokenLimit() -> Duration? { limit("How long CMD can run. By default 2m.") }

    /// Returns the command; `nil` if it has no words.
    mutating func tokenCommand() -> CommandLineWords? {
        command("The command that prints the secret, and its arguments.").flatMap { $0.count > 0 ? $0 : nil }
    }
}

/// A call of a helper whose words name the answer: an item, or a command that prints it.
///
/// This type alone decides whose answer is kept, for which recipient, and until when.
struct TokenCall {
    private let call: HelperCall
    private let target: Target
    private let command: CommandLineWords?
    private let limit: Duration

    init(_ call: HelperCall, name: String, account: String?, command: CommandLineWords?, limit: Duration?) {
        (self.call, self.command, self.limit) = (call, command, limit ?? .seconds(120))
        target = Target(place: call.place, service: name, account: account)
    }

    /// Answers with the item, or with the new or kept output of the command, and ends this process.
    ///
    /// - Parameters:
    ///   - recipient: the recipient of the secret, as far as the client names it. A kept answer is for this
    ///     recipient only.
    ///   - format: creates the form in which the client expects the answer.
    func answer(
        for recipient: [String?] = [], in format: () throws(UnusableToken) -> any TokenFormat
    ) throws -> Never {
        let made: any TokenFormat
        do throws(UnusableToken) {
            made = try format()
        } catch {
            throw CommandError.data(error.message, hint: error.hint)
        }
        guard let command else { try answer(in: made) }
        let token = KeptToken(
            format: made, account: target.account ?? "", warns: call.client.errors != .mixedWithAnswer)
        try OutputRequest(
            place: call.place, item: .cached(target.service, variant: CachedVariant.text(of: keys(for: recipient))),
            timeout: call.timeout.map { .after($0) } ?? .never, limit: limit, command: command, policy: token.policy
        ).run()
    }

    /// Answers with the item.
    private func answer(in format: any TokenFormat) throws -> Never {
        let helper = try call.helper(isStoring: false, isReading: true)
        var failure: CommandError?
        let answer: HelperAnswer
        do {
            answer = try helper.answering(failure: &failure) {
                try $0.answer(target.service, account: target.account, in: format)
            }
        } catch let error as SecretStoreError where error.code == .notFound {
            if call.client.errors != .mixedWithAnswer, let failure {
                // The client gets the exit code for a missing item.
                throw CommandError(exitCode: .noItem, message: failure.message, hint: failure.hint)
            }
            throw target.missing(target.exactItem, in: try call.place.store())
        }
        try answer.showAndExit(for: call, failure: call.client.errors == .mixedWithAnswer ? nil : failure)
    }

    /// Returns the value of an environment variable that the client sets, or `nil` if it is unset or empty.
    ///
    /// If no answer is kept, a value that isn't UTF-8 counts as unset. Otherwise it is an error, because its answer
    /// would be kept for requests without a recipient.
    func environment(_ name: String) throws(CommandError) -> String? {
        do throws(CommandError) {
            return try Variable.value(name)
        } catch {
            guard command == nil else { throw error }
            return nil
        }
    }

    /// Returns the keys that distinguish kept answers.
    private func keys(for recipient: [String?]) -> [String] {
        guard recipient.contains(where: { $0 != nil }) else {
            return [call.client.name] + (target.account.map { [$0] } ?? [])
        }
        // Each key has its own position, because an account can have the same name as a server.
        return [call.client.name, target.account ?? ""] + recipient.map { $0 ?? "" }
    }
}
