import ArgumentParser
import CommandSupport
import CredentialHelpers
import Keyutils
import SecretText
import SessionKeyring

/// The words of a client whose configuration says what it gets.
struct TokenArguments: ParsableArguments {
    @Argument(help: "The item, or the name under which CMD's output is kept.", completion: .names(.services))
    var name: String

    @Argument(help: "The item's account; needed if the service has several.", completion: .names(.accounts))
    var account: String?

    @OptionGroup var options: HelperOptions

    @OptionGroup var command: LaunchedCommand

    /// For the help of such a client.
    static let details = """
        skr keeps CMD's output under NAME until 5 minutes before it expires, or for --timeout if it has no expiry. If several \
        processes ask at once, one runs CMD and the others wait for its output.
        """
}

/// A call of a helper that is told what to answer with: the name of an item, or a command that prints it.
///
/// Here alone is decided whose answer is kept, for whom, and until when.
struct TokenCall {
    private let call: HelperCall
    private let target: Target

    init(_ call: HelperCall) throws(CommandError) {
        self.call = call
        guard let name = call.words.first, call.words.count <= 2 else {
            throw .usage(
                "the helper for \(call.client.name) needs the name of an item",
                hint: "skr helper \(call.client.name) NAME [ACCOUNT] [-- CMD]")
        }
        target = Target(place: call.place, service: name, account: call.words.count > 1 ? call.words[1] : nil)
    }

    /// Answers with the item, or with what the command prints or has printed before.
    ///
    /// - Parameters:
    ///   - recipient: for whom the secret is, as far as the client tells: a kept answer is for no other.
    ///   - readsErrors: whether the client takes what is on standard error for a part of the answer.
    ///   - format: how the client wants to be told.
    func action(
        for recipient: [String?] = [], readsErrors: Bool = false,
        in format: () throws(UnusableToken) -> any TokenFormat
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
            timeout: call.timeout.map { .after($0) } ?? .never, lifetimePath: nil, refreshBefore: nil,
            isStaleWhileRefreshing: false, failureTimeout: nil, isForced: false, command: call.command,
            client: KeptToken(format: made, account: target.account ?? "", readsErrors: readsErrors))
    }

    /// The value of an environment variable that the client sets; `nil` if it is not set or empty.
    ///
    /// A value that is not UTF-8 counts as not set if no answer is kept. Otherwise it is an error: its answer would be kept for
    /// requests without a recipient.
    static func environment(_ name: String, of call: HelperCall) throws(CommandError) -> String? {
        do throws(CommandError) {
            return try Place.environment(name)
        } catch {
            guard call.command.count == 0 else { throw error }
            return nil
        }
    }

    /// What a kept answer is told apart by.
    private func keys(for recipient: [String?]) -> [String] {
        guard recipient.contains(where: { $0 != nil }) else {
            return [call.client.name] + (target.account.map { [$0] } ?? [])
        }
        // Each in its place: an account may be called like a server.
        return [call.client.name, target.account ?? ""] + recipient.map { $0 ?? "" }
    }
}

/// Answers with an item.
private struct TokenAction: VerbAction {
    let call: HelperCall
    let target: Target
    let format: any TokenFormat

    func run() throws {
        let answer: HelperAnswer
        do throws(SecretStoreError) {
            answer = try call.helper(isStoring: false).answer(target.service, account: target.account, in: format)
        } catch {
            guard error.code == .notFound else { throw error }
            throw target.missing(target.exactItem, in: try call.place.store())
        }
        try answer.showAndExit(for: call)
    }
}

/// Nothing to say, and no error.
struct NoAnswer: VerbAction {
    func run() {}
}

/// What a command prints for a client, which is given it in its own form.
///
/// A class, whose optional is copied as a pointer: for that of a structure, Swift's runtime would build metadata at each start.
final class KeptToken: Sendable {
    /// What has no longer to live is fetched anew: some clients ask for nothing else long before its end.
    private static let margin: Int64 = 300
    /// The longest that a key lives, in seconds.
    private static let longest = Int64(UInt32.max)

    let format: any TokenFormat
    /// Whose the token is; empty for one that says so itself.
    let account: String
    /// Whether it reads standard error too, and takes it for a part of the answer.
    let readsErrors: Bool

    init(format: any TokenFormat, account: String, readsErrors: Bool) {
        self.format = format
        self.account = account
        self.readsErrors = readsErrors
    }

    /// The answer from what the command has just printed, and for how long it is kept: not at all where that is zero or
    /// less, and `nil` where nothing ends it.
    ///
    /// - Parameter timeout: how long an output without an expiry is kept, which the client is told as its expiry.
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
                hint: "see that the command fetches it anew, and that the clock is right")
        }
        let answer = CachedAnswer(exitCode: 0, output: token.kept, answer: token.output)
        return (answer, left.map { .seconds(min($0 - Self.margin, Self.longest)) })
    }

    /// The answer from what is kept, which anybody in the session may have stored; `nil` where it is fetched anew.
    ///
    /// - Parameter end: when the kept item ends, asked for an output without an expiry.
    func answer(kept: CachedAnswer, endingAt end: () -> Int64?) -> CachedAnswer? {
        guard kept.exitCode == 0, let token = try? convert(kept.output, issued: nil, endingAt: end),
            token.expires.map({ $0 - CredentialHelper.time() > Self.margin }) ?? true
        else { return nil }
        return CachedAnswer(exitCode: 0, output: kept.output, answer: token.output)
    }

    /// The answer from an output, which ends at `end` if it has no expiry and the client can be told one.
    ///
    /// That end is in the answer alone: it neither shortens how long the output is kept, nor is it kept.
    private func convert(
        _ output: SecretBox, issued: Int64?, endingAt end: () -> Int64?
    ) throws(UnusableToken) -> TokenAnswer {
        let token = try format.answer(Issuance(output, account: account, issued: issued))
        guard token.expires == nil, format.reportsExpiry, let end = end() else { return token }
        let dated = try format.answer(Issuance(output, account: account, expires: end, issued: issued))
        return TokenAnswer(dated.output, kept: token.kept, expires: nil)
    }
}
