import CommandSupport
import CredentialHelpers
import SecretText

/// A command's output for a client, which gets it in the client's own form.
struct KeptToken {
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

    /// The output counts only for the same command line, and is fetched again before it expires.
    var policy: OutputPolicy {
        OutputPolicy(
            warns: warns, replacementHint: { _ in "give each command its own NAME" }, fresh: answer(fresh:keptFor:),
            kept: answer(kept:endingAt:))
    }

    /// If the output has no expiry, the client gets the end of `timeout` as its expiry.
    private func answer(
        fresh printed: SecretBox, keptFor timeout: Duration?
    ) throws(CommandError) -> (Output, Duration?) {
        let now = CredentialHelper.time()
        let token: TokenAnswer
        do throws(UnusableToken) {
            token = try convert(printed, issued: now) { timeout.map { now + $0.components.seconds } }
        } catch {
            throw .data("the command's output can't be used: \(error.message)", hint: error.hint)
        }
        let left = token.expires.map { $0 - now }
        guard left.map({ $0 > 0 }) ?? true else {
            throw .data(
                "the command's output can't be used: it has expired",
                hint: "let the command print a new secret, and check this machine's clock")
        }
        let answer = Output(token.kept, answer: token.output)
        return (answer, left.map { .seconds(min($0 - Self.margin, Self.longest)) })
    }

    private func answer(kept: Output, endingAt end: () -> Int64?) -> Output? {
        guard kept.exitCode == 0, let token = try? convert(kept.bytes, issued: nil, endingAt: end),
            token.expires.map({ $0 - CredentialHelper.time() > Self.margin }) ?? true
        else { return nil }
        return Output(kept.bytes, answer: token.output, known: kept.known)
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
