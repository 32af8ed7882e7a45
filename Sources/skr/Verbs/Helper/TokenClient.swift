import CommandSupport
import CredentialHelpers
import Keyutils
import SessionKeyring

/// A client that is given what a command prints, in its own form.
struct TokenClient {
    /// What has no longer to live is fetched anew: some clients ask for nothing else long before its end.
    private static let margin: Int64 = 300
    /// The longest that a key lives, in seconds.
    private static let longest = Int64(UInt32.max)

    let format: any TokenFormat
    /// Whose the token is; empty for one that says so itself.
    let account: String
    /// Whether it reads standard error too, and takes it for a part of the answer.
    let readsErrors: Bool

    /// The answer from what the command has just printed, and for how long it is kept: not at all where that is zero or
    /// less, and `nil` where nothing ends it.
    func answer(fresh printed: CachedAnswer) throws(CommandError) -> (CachedAnswer, Duration?) {
        let now = CredentialHelper.time()
        let token: TokenAnswer
        do throws(UnusableToken) {
            token = try format.answer(Issuance(printed.output, account: account, issued: now))
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
    func answer(kept: CachedAnswer) -> CachedAnswer? {
        guard kept.exitCode == 0, let token = try? format.answer(Issuance(kept.output, account: account)),
            token.expires.map({ $0 - CredentialHelper.time() > Self.margin }) ?? true
        else { return nil }
        return CachedAnswer(exitCode: 0, output: kept.output, answer: token.output)
    }
}
