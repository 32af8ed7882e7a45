import CommandSupport
import CredentialHelpers
import Glibc
import Keyutils
import SecretText
import SessionKeyring
import SystemPackage

/// Answers one request of a client.
struct HelperAction: VerbAction {
    let call: HelperCall

    func run() throws {
        let request = try readRequest()
        let answer = try request.withBytes { bytes throws(CommandError) in try self.answer(bytes) }
        try answer.output.withBytes { bytes throws(CommandError) in try Console.write(bytes) }
        if let item = answer.missing { Console.report(try missing(item)) }
        if let message = answer.message {
            Console.report(CommandError(exitCode: .internalError, message: message, hint: nil))
        }
        exit(answer.exitCode)
    }

    private func answer(_ request: RawSpan) throws(CommandError) -> HelperAnswer {
        let word = call.words.first ?? ""
        return try CommandError.translating {
            let helper = try call.helper()
            return switch call.client {
            case .git: try helper.git(word, request: request)
            case .docker:
                try helper.docker(word, request: request, version: RootCommand.versionNumber)
            case .bazel: try helper.bazel(word, request: request)
            case .aws, .kubernetes, .google, .go, .npm: try TokenCall(call).answer(by: helper)
            // Only for the switch: cargo asks more than once, and has an action of its own.
            case .cargo: try helper.cargo(request)
            case .keyring: try keyring(helper, request)
            case .ansible: try helper.ansible(id: call.option("--vault-id") ?? "default")
            case .askpass: try askpass(helper)
            case .terraform: try terraform(helper, request)
            case .vault: try helper.vault(word, server: try Place.vaultServer(), request: request)
            case .netrc: try helper.netrc(call.words)
            }
        }
    }

    /// Standard input, where the client sends something.
    private func readRequest() throws(CommandError) -> SecretBytes {
        guard call.client.sends(call.words.first ?? "") else { return SecretBytes(copying: []) }
        let limit = HelperCall.largestRequest
        if call.client == .keyring, Console.isInputTerminal { return try askForPassword() }
        let request: SecretBytes
        do throws(Errno) {
            // Hardly any is longer than a page.
            request = try SecretBytes.reading(.standardInput, limit: limit, first: 4_096, until: call.client.isComplete)
        } catch {
            throw .internalError("can't read the request: \(error)", hint: nil)
        }
        guard request.count < limit else {
            throw .data("the request has more than \(limit) bytes", hint: "no key can hold so much")
        }
        return request
    }
}

extension HelperClient {
    /// Whether these bytes are a whole request: git's ends with an empty line, and its writer may leave the pipe open.
    fileprivate func isComplete(_ request: RawSpan) -> Bool {
        self == .git && RequestLines.endsEmpty(request)
    }

    /// Shows an error where the client's user sees it: docker shows nothing but standard output.
    func report(_ error: CommandError) -> Int32 {
        guard self == .docker else {
            Console.report(error)
            return error.exitCode.rawValue
        }
        try? Console.writeLine("skr: " + Display.plain(error.message + (error.hint.map { " (\($0))" } ?? "")))
        return 1
    }

    /// Whether standard input has a request.
    fileprivate func sends(_ operation: String) -> Bool {
        switch self {
        case .git: ["get", "store", "erase"].contains(operation)
        case .docker: ["get", "store", "erase"].contains(operation)
        case .bazel: operation == "get"
        // go sends the head of a server's answer, which says nothing that the URL does not.
        case .aws, .kubernetes, .google, .go, .npm: false
        case .keyring: operation == "set"
        case .terraform, .vault: operation == "store"
        case .cargo, .ansible, .askpass, .netrc: false
        }
    }
}
