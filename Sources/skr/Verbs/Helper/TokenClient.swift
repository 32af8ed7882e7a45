import CommandSupport
import CredentialHelpers
import Keyutils
import SecretText
import SessionKeyring

/// A client that is given what a command prints, in its own form.
///
/// A class, whose optional is copied as a pointer: for that of a structure, Swift's runtime would build metadata at each start.
final class TokenClient: Sendable {
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
