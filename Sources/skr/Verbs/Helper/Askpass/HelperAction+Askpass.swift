import CommandSupport
import CredentialHelpers
import SecretText

extension HelperAction {
    /// Answers the prompt that the words are.
    func askpass(_ helper: CredentialHelper) throws -> HelperAnswer {
        let prompt = try askpassPrompt()
        guard prompt != .unknown else {
            throw CommandError(
                exitCode: .noItem, message: "the prompt does not name a secret that we know",
                hint: "SKR_ASKPASS=SERVICE or SKR_ASKPASS=SERVICE/ACCOUNT names it")
        }
        guard prompt != .fromServer else {
            throw CommandError(
                exitCode: .noItem, message: "a server asks this in its own words",
                hint: "a server's question is for a person: log in without askpass, or with a key")
        }
        return try helper.askpass(prompt)
    }

    private func askpassPrompt() throws -> AskpassPrompt {
        // ssh says so where it only wants a yes, or shows a message.
        guard try Place.environment("SSH_ASKPASS_PROMPT") == nil else { return .question }
        let prompt = AskpassPrompt(call.words.joined(separator: " "))
        guard let name = try Place.environment("SKR_ASKPASS") else { return prompt }
        do throws(InputProblem) {
            let text = name.utf8.starts(with: SecretReference.scheme.utf8) ? name : SecretReference.scheme + name
            let reference = try SecretReference(parsing: text)
            guard reference.field == nil else { throw InputProblem.unknownQuery }
            return prompt.naming(service: reference.service, account: reference.account)
        } catch {
            throw CommandError.usage("SKR_ASKPASS: \(error.summary)", hint: "it is SERVICE or SERVICE/ACCOUNT")
        }
    }
}
