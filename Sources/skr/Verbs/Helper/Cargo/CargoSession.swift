import CommandSupport
import CredentialHelpers
import Keyutils
import SystemPackage

/// Answers cargo's requests line by line, until cargo closes its end of the pipe.
struct CargoSession {
    /// The words with which cargo has started us.
    let started: [String]

    func run() throws {
        try Console.write(CredentialHelper.cargoHello)
        var lines = LineReader(.standardInput)
        while let line = try lines.next() {
            let answer = line.bytes.withBytes { request in self.answer(request) }
            try answer.output.withBytes { bytes throws(CommandError) in try Console.write(bytes) }
        }
    }

    /// Returns the answer to a request; a failure is an answer too.
    ///
    /// cargo shows the failure, and asks its next provider.
    private func answer(_ request: RawSpan) -> HelperAnswer {
        do throws(CommandError) {
            return try CommandError.translating {
                // The store is checked before we ask for a token that could not be stored.
                let helper = try configuredCall(request).helper(
                    isStoring: CredentialHelper.isCargo("login", request),
                    isReading: CredentialHelper.isCargo("get", request))
                var failure: CommandError?
                var token = try askForToken(request)
                let answer = try helper.answering(failure: &failure) { helper in
                    try helper.cargo(request, typed: token.take())
                }
                if let failure { Console.report(failure) }
                return answer
            }
        } catch {
            return CredentialHelper.cargoError("skr: \(error.message)" + (error.hint.map { " (\($0))" } ?? ""))
        }
    }

    /// Returns the call with the words that the user has configured; cargo sends them in each request.
    private func configuredCall(_ request: RawSpan) throws(CommandError) -> HelperCall {
        guard let words = CredentialHelper.cargoWords(request) else {
            throw .usage(
                "'args' in cargo's request is not a list of up to 32 strings",
                hint: "check the words after cargo-credential-skr in cargo's configuration")
        }
        var all = CommandWords(started + words)
        let client = CargoClient(&all)
        do throws(CommandError) {
            try all.check()
        } catch {
            throw .usage(error.message, hint: error.hint ?? "'skr help helper cargo' shows its options")
        }
        return try client.options.call(of: CargoClient.self)
    }

    /// Asks for the token on the terminal, because standard input carries the requests.
    private func askForToken(_ request: RawSpan) throws(CommandError) -> SecretBytes? {
        guard let prompt = CredentialHelper.cargoPrompt(request) else { return nil }
        do throws(CommandError) {
            return try SecretPrompt.ask(Display.plain(prompt), allowsEmpty: false)
        } catch {
            throw .usage(error.message, hint: "run 'cargo login' in a terminal, or pipe the token to it")
        }
    }
}
