import CommandSupport
import CredentialHelpers
import Keyutils

/// The command line of the program `keyring`: `get SERVICE [USER]`, `set SERVICE USER`, `del SERVICE USER`.
extension HelperAction {
    func keyring(_ helper: CredentialHelper, _ request: RawSpan) throws -> HelperAnswer {
        // Behind '--' are names that begin with a hyphen.
        let words = call.words + (try call.command.strings())
        let form = try keyringForm()
        switch (words.first, words.count) {
        case ("get", 3): return try helper.keyringGet(service: words[1], user: words[2], form: form)
        case ("get", 2) where form.hasUser: return try helper.keyringGet(service: words[1], user: nil, form: form)
        case ("set", 3): return try helper.keyringSet(service: words[1], user: words[2], password: request)
        case ("del", 3): return try helper.keyringDelete(service: words[1], user: words[2])
        default:
            throw CommandError.usage(
                "keyring has get, set and del, with SERVICE and USER",
                hint: "only 'get --mode creds SERVICE' needs no USER")
        }
    }

    func askForPassword() throws(CommandError) -> SecretBytes {
        try SecretPrompt.ask(
            "password for \(Display.plain(call.words.dropFirst().joined(separator: " "))): ", allowsEmpty: true)
    }

    private func keyringForm() throws(CommandError) -> KeyringForm {
        switch (call.option("--mode") ?? "password", call.option("--output") ?? "plain") {
        case ("password", "plain"): return .password
        case ("password", "json"): return .passwordJSON
        case ("creds", "plain"): return .credentials
        case ("creds", "json"): return .credentialsJSON
        default: throw .usage("no such form of output", hint: "use --mode password|creds and --output plain|json")
        }
    }
}
