import CommandSupport
import CredentialHelpers

struct AskpassClient: HelperClient {
    static let name = "askpass"
    static let aliases = ["ssh", "sudo"]
    static let summary = "Passphrases and passwords, for ssh-add, ssh and sudo."
    static let details = """
        The prompt tells skr which secret to print: the passphrase of a key file, or the password of USER@HOST. 'skr \
        set ~/.ssh/id_ed25519' stores a passphrase, 'skr set HOST USER' a password for ssh, and 'skr set sudo USER' \
        one for sudo.

        If a prompt names no key, user or host, skr prints the item that SKR_ASKPASS=SERVICE[/ACCOUNT] names.

        skr never answers a yes-or-no question, a question for a PIN or a one-time code, or a question whose text \
        comes from a server: it prints an error instead. So set SSH_ASKPASS for one ssh-add or ssh at a time, and \
        don't export it.

        skr takes all arguments as the prompt, even those that look like options. To choose the scope and the \
        namespace, set SKR_SCOPE and SKR_NAMESPACE.
        """
    static let examples = """
        skr helper install askpass
        printf x | skr set /home/me/.ssh/id_ed25519 --timeout 8h
        skr helper askpass 'Enter passphrase for /home/me/.ssh/id_ed25519: '
        """

    static let start = HelperStart.link("skr-askpass", isFoundInPath: false, takesOptions: false)
    static let errors = HelperErrors.onStandardError

    static let takesText = true

    private let words: [String]

    init(_ words: inout CommandWords) { self.words = words.text("PROMPT", "The prompt, which the program passes.") }

    func run() throws {
        let timeout = try TimeoutArgument.usual()?.duration
        try HelperCall(client: Self.self, place: Place(), timeout: timeout).answer(.none, isReading: true) {
            helper, _ in
            if try Variable.value("SSH_ASKPASS_PROMPT") == "none" {
                // ssh only shows a message, such as the request to touch a security key.
                Console.note(words.joined(separator: " "))
                return HelperAnswer.nothing
            }
            let prompt = try prompt()
            let answer = try helper.askpass(prompt)
            guard let message = answer.message, let hint = Self.hint(for: prompt) else { return answer }
            throw CommandError(exitCode: .noItem, message: message, hint: hint)
        }
    }

    private static func hint(for prompt: AskpassPrompt) -> String? {
        switch prompt {
        case .question: "answer it yourself: SSH_ASKPASS_REQUIRE=never ssh ..."
        case .pin: "answer it yourself: SSH_ASKPASS_REQUIRE=never ssh ..., or sudo without -A"
        case .fromServer: "log in with a key, or answer it yourself: SSH_ASKPASS_REQUIRE=never ssh ..."
        case .unknown: "name the item: set SKR_ASKPASS=SERVICE or SKR_ASKPASS=SERVICE/ACCOUNT"
        case .secret, .account, .retry: nil
        }
    }

    private func prompt() throws -> AskpassPrompt {
        // ssh sets this variable if it only wants a yes.
        guard try Variable.value("SSH_ASKPASS_PROMPT") == nil else { return .question }
        let prompt = AskpassPrompt(words.joined(separator: " "))
        guard let name = try Variable.value("SKR_ASKPASS") else { return prompt }
        do throws(InputProblem) {
            let text = name.utf8.starts(with: SecretReference.scheme.utf8) ? name : SecretReference.scheme + name
            let reference = try SecretReference(parsing: text)
            guard reference.field == nil else { throw InputProblem.unknownQuery }
            return prompt.naming(service: reference.service, account: reference.account)
        } catch {
            throw CommandError.usage("SKR_ASKPASS: \(error.summary)", hint: "set it to SERVICE or SERVICE/ACCOUNT")
        }
    }

    static func setup(of program: String) -> any ClientSetup {
        ShownSetup(words: "skr-askpass", variables: ["SSH_ASKPASS", "SUDO_ASKPASS", "GIT_ASKPASS"]) { call, _ in
            let program = Display.shellWord(call.linkPath)
            return [
                "store the passphrase of a key, and set the variables for one ssh-add or ssh:",
                "  skr set ~/.ssh/id_ed25519",
                "  SSH_ASKPASS=\(program) SSH_ASKPASS_REQUIRE=force ssh-add ~/.ssh/id_ed25519",
                "don't export them: ssh could no longer ask you about a new host",
                "for sudo -A, store your password:",
                "  skr set sudo \"$USER\"", "  export SUDO_ASKPASS=\(program)",
            ]
        }
    }
}
