import ArgumentParser
import CommandSupport
import CredentialHelpers
import SecretText
import SessionKeyring

/// The arguments of a client whose configuration names an item, or a command that prints it.
struct TokenArguments: ParsableArguments {
    @Argument(help: "The item, or the name under which skr keeps CMD's output.", completion: .names(.services))
    var name: String

    @Argument(help: "The item's account; required if the service has several.", completion: .names(.accounts))
    var account: String?

    @OptionGroup var options: HelperOptions

    @OptionGroup var command: LaunchedCommand

    /// The part of the help that these clients share.
    static let details = """
        With CMD, skr keeps CMD's output under NAME until 5 minutes before it expires, and for --timeout at most. If \
        several processes ask at the same time, one runs CMD and all get its output.
        """
}

/// A call of a helper whose arguments name the answer: an item, or a command that prints it.
///
/// This type alone decides whose answer is kept, for which recipient, and until when.
struct TokenCall {
    private let call: HelperCall
    private let target: Target

    init(_ call: HelperCall) throws(CommandError) {
        self.call = call
        guard let name = call.words.first, call.words.count <= 2 else {
            throw .usage(
                "the helper for \(call.client.name) takes NAME and, optionally, ACCOUNT",
                hint: "skr helper \(call.client.name) NAME [ACCOUNT] [-- CMD]")
        }
        target = Target(place: call.place, service: name, account: call.words.count > 1 ? call.words[1] : nil)
    }

    /// Returns an action that answers with the item, or with the new or kept output of the command.
    ///
    /// - Parameters:
    ///   - recipient: the recipient of the secret, as far as the client names it. A kept answer is for this
    ///     recipient only.
    ///   - format: creates the form in which the client expects the answer.
    func action(
        for recipient: [String?] = [], in format: () throws(UnusableToken) -> any TokenFormat
    ) throws(CommandError) -> any VerbAction {
        let made: any TokenFormat
        do throws(UnusableToken) {
            made = try format()
        } catch {
            throw .data(error.message, hint: error.hint)
        }
        guard call.command.count > 0 else { return TokenAction(call: call, target: target, format: made) }
        return CachedAction(
            place: call.place, item: .cached(target.service, variant: CachedVariant.text(of: keys(for: recipient))),
            timeout: call.timeout.map { .after($0) } ?? .never, command: call.command,
            form: KeptToken(
                format: made, account: target.account ?? "", warns: call.client.errors != .mixedWithAnswer))
    }

    /// Returns the value of an environment variable that the client sets, or `nil` if it is unset or empty.
    ///
    /// If no answer is kept, a value that isn't UTF-8 counts as unset. Otherwise it is an error, because its answer
    /// would be kept for requests without a recipient.
    static func environment(_ name: String, of call: HelperCall) throws(CommandError) -> String? {
        do throws(CommandError) {
            return try Variable.value(name)
        } catch {
            guard call.command.count == 0 else { throw error }
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

/// Answers with an item.
private struct TokenAction: VerbAction {
    let call: HelperCall
    let target: Target
    let format: any TokenFormat

    func run() throws {
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
}

/// Prints nothing, and reports no error.
struct NoAnswer: VerbAction {
    func run() {}
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
