import CommandSupport
import CredentialHelpers

extension HelperAction {
    func terraform(_ helper: CredentialHelper, _ request: RawSpan) throws -> HelperAnswer {
        guard call.words.count == 2 else {
            throw CommandError.usage(
                "terraform's helper is called with an operation and a host", hint: "get HOST, store HOST or forget HOST"
            )
        }
        return try helper.terraform(call.words[0], host: call.words[1], request: request)
    }
}
