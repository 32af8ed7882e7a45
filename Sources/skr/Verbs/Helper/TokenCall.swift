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
    mutating func tokenLimit() -> Duration? { duration("--limit", "How long CMD can run. By default 2m.") }

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
        try CachedAction(
            place: call.place, item: .cached(target.service, variant: CachedVariant.text(of: keys(for: recipient))),
            timeout: call.timeout.map { .after($0) } ?? .never, command: command,
            form: KeptToken(
                format: made, account: target.account ?? "", warns: call.client.errors != .mixedWithAnswer)
        ).run()
    }

    /// Answers with the item.
    private func answer(in format: any TokenFormat) throws -> Never {
        let helper = try call.helper(isStoring: false, isReading: true)
        let answer: HelperAnswer
        do throws(SecretStoreError) {
            answer = try helper.answer(target.service, account: target.account, in: format)
        } catch {
            guard error.code == .notFound else { throw error }
            if call.client.errors != .mixedWithAnswer, let failure = helper.sourceFailure {
                // The client gets the exit code for a missing item.
                throw CommandError(exitCode: .noItem, message: failure.message, hint: failure.hint)
            }
            throw target.missing(target.exactItem, in: try call.place.store())
        }
        try answer.showAndExit(for: call)
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

/// A command's output for a client, which gets it in the client's own form.
final class KeptToken: OutputForm {
    /// A token that expires within this many seconds is fetched again.
    ///
    /// Some clients don't ask for another token until shortly before the end of the one that they have.
    private static let margin: Int64 = 300
    /// The longest lifetime of a key, in seconds.
    private static let longest = Int64(UInt32.max)

    let format: any TokenFormat
    /// The user to whom the token belongs; empty if the token itself states the user.
    let account: String
    let warns: Bool
    let isOfOneCommand = true
    let waitLimit = CachedAction.waitLimit
    var settings: ChildSettings { ChildSettings() }

    func noteWait() {}

    init(format: any TokenFormat, account: String, warns: Bool) {
        self.format = format
        self.account = account
        self.warns = warns
    }

    /// If the output has no expiry, the client gets the end of `timeout` as its expiry.
    func answer(
        fresh printed: CachedAnswer, keptFor timeout: Duration?
    ) throws(CommandError) -> (CachedAnswer, Duration?) {
        let now = CredentialHelper.time()
        let token: TokenAnswer
        do throws(UnusableToken) {
            token = try convert(printed.output, issued: now) { timeout.map { now + $0.components.seconds } }
        } catch {
            throw .data("the command's output can't be used: \(error.message)", hint: error.hint)
        }
        let left = token.expires.map { $0 - now }
        guard left.map({ $0 > 0 }) ?? true else {
            throw .data(
                "the command's output can't be used: it has expired",
                hint: "let the command print a new secret, and check this machine's clock")
        }
        let answer = CachedAnswer(exitCode: 0, output: token.kept, answer: token.output)
        return (answer, left.map { .seconds(min($0 - Self.margin, Self.longest)) })
    }

    func answer(kept: CachedAnswer, endingAt end: () -> Int64?) -> CachedAnswer? {
        guard kept.exitCode == 0, let token = try? convert(kept.output, issued: nil, endingAt: end),
            token.expires.map({ $0 - CredentialHelper.time() > Self.margin }) ?? true
        else { return nil }
        return CachedAnswer(exitCode: 0, output: kept.output, answer: token.output)
    }

    /// Returns the answer from an output.
    ///
    /// If the output has no expiry but the client's form does, the answer gets `end` as its expiry. That end is only in
    /// the answer: it doesn't shorten how long the output is kept, and it is not stored.
    private func convert(
        _ output: SecretBox, issued: Int64?, endingAt end: () -> Int64?
    ) throws(UnusableToken) -> TokenAnswer {
        let token = try format.answer(Issuance(output, account: account, issued: issued))
        guard token.expires == nil, format.reportsExpiry, let end = end() else { return token }
        let dated = try format.answer(Issuance(output, account: account, expires: end, issued: issued))
        return TokenAnswer(dated.output, kept: token.kept, expires: nil)
    }
}
