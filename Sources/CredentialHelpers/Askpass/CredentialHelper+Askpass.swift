import Keyutils
import SecretText
public import SessionKeyring

/// The protocol of askpass programs, which ssh, sudo and git run.
extension CredentialHelper {
    /// Answers with one line, or with the exit status 1 if there isn't an answer.
    ///
    /// - Throws: ``SecretStoreError``.
    public func askpass(_ prompt: AskpassPrompt) throws(SecretStoreError) -> HelperAnswer {
        switch prompt {
        case .question:
            return HelperAnswer(exitCode: 1, message: "this is a yes-or-no question, so a person has to answer it")
        // ssh-add asks again until it gets the right answer, or no answer.
        case .retry: return HelperAnswer(exitCode: 1, message: "the stored passphrase is wrong; store the right one")
        case .fromServer:
            return HelperAnswer(
                exitCode: 1, message: "a server chose the text of this prompt, so a person has to answer it")
        case .pin:
            return HelperAnswer(
                exitCode: 1,
                message: "this is a question for a PIN or a one-time code, and each wrong answer uses up a try, "
                    + "so a person has to answer it")
        case .unknown: return HelperAnswer(exitCode: 1, message: "can't find a key, user or host in the prompt")
        case .secret(let service, let account):
            // sudo asks for the password of one user, even if it doesn't name the user.
            if service == "sudo", account == nil {
                let accounts = try items.identities().secrets { $0.service == service }.map(\.account)
                guard accounts.allSatisfy({ $0 == accounts[0] }) || accounts.contains("") else {
                    return HelperAnswer(
                        exitCode: 65,
                        message: "the prompt names no user, and sudo has several accounts: 'skr delete' removes one")
                }
            }
            return try askpass(service, account) { $0.credential.secret }
        case .account(let service, let account):
            return try askpass(service, account) { SecretBox(SecretBytes(utf8: $0.account)) }
        }
    }

    private func askpass(
        _ service: String, _ account: String?, part: ((account: String, credential: CredentialRecord)) -> SecretBox
    ) throws(SecretStoreError) -> HelperAnswer {
        guard let found = try credential(service: service, ofAny: account) else {
            return .missing(.password(service: service, account: account ?? ""))
        }
        let answer = part(found)
        guard answer.isOneLine else {
            return HelperAnswer(exitCode: 1, message: "the item has more than one line, but an answer is one line")
        }
        return HelperAnswer { text in
            text.append(answer)
            text.append("\n")
        }
    }
}
