import CommandSupport
import CredentialHelpers
import Keyutils
import SystemPackage

/// Answers cargo line by line, until it closes its end.
struct CargoSession: VerbAction {
    let call: HelperCall

    func run() throws {
        try Console.write(CredentialHelper.cargoHello)
        var lines = LineReader(.standardInput, limit: HelperCall.largestRequest)
        while let line = try lines.next() {
            let answer = line.bytes.withBytes { request in self.answer(request) }
            try answer.output.withBytes { bytes throws(CommandError) in try Console.write(bytes) }
        }
    }

    /// Whatever fails is an answer too: cargo shows it, and asks its next provider.
    private func answer(_ request: RawSpan) -> HelperAnswer {
        do throws(CommandError) {
            return try CommandError.translating {
                // Before we ask for a token that could not be stored.
                let helper = try call.helper()
                return try helper.cargo(request, typed: try askForToken(request))
            }
        } catch {
            return CredentialHelper.cargoError("skr: \(error.message)" + (error.hint.map { " (\($0))" } ?? ""))
        }
    }

    /// The token, which is not on standard input: the requests are there.
    private func askForToken(_ request: RawSpan) throws(CommandError) -> SecretBytes? {
        guard let prompt = CredentialHelper.cargoPrompt(request) else { return nil }
        do throws(CommandError) {
            return try SecretPrompt.ask(Display.plain(prompt), allowsEmpty: false)
        } catch {
            throw .usage(error.message, hint: "run cargo login on a terminal, or give it the token")
        }
    }
}
