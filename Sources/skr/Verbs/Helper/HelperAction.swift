import CommandSupport
import CredentialHelpers
import Glibc
import Keyutils
import SessionKeyring
import SystemPackage

/// The request that a client sends on standard input.
enum HelperRequest {
    /// The number of bytes that a request must stay below.
    ///
    /// JSON can take six bytes for each byte of the secret.
    static let limit = 6 * Key.largestUserPayload + 65_536

    /// No request: the helper does not read standard input.
    case none
    /// Everything up to the end of input.
    case whole(isStoring: Bool)
    /// Lines up to an empty one; the client doesn't have to close the pipe after it.
    case lines(isStoring: Bool)
    /// A password to store; on a terminal, the helper asks for it with this prompt.
    case password(prompt: String)

    var isStoring: Bool {
        switch self {
        case .none: false
        case .whole(let isStoring), .lines(let isStoring): isStoring
        case .password: true
        }
    }

    func read() throws(CommandError) -> SecretBytes {
        switch self {
        case .none: return SecretBytes(copying: [])
        case .password(let prompt) where Console.isInputTerminal: return try SecretPrompt.ask(prompt, allowsEmpty: true)
        case .whole, .password: return try Self.read { _ in false }
        case .lines: return try Self.read(until: RequestLines.endsEmpty)
        }
    }

    private static func read(until isComplete: (RawSpan) -> Bool) throws(CommandError) -> SecretBytes {
        let request: SecretBytes
        do throws(Errno) {
            // Hardly any request is longer than a page.
            request = try SecretBytes.reading(.standardInput, limit: limit, first: 4_096, until: isComplete)
        } catch {
            throw .internalError("can't read the request: \(error)", hint: nil)
        }
        guard request.count < limit else { throw tooLong }
        return request
    }

    static var tooLong: CommandError {
        .data("the request has \(limit) bytes or more", hint: "store a smaller secret: a key can't hold this one")
    }
}

extension HelperCall {
    /// Answers one request, and ends this process.
    func answer(
        _ request: HelperRequest, isReading: Bool, _ answer: (CredentialHelper, RawSpan) throws -> HelperAnswer
    ) throws -> Never {
        let bytes = try request.read()
        let helper = try helper(isStoring: request.isStoring, isReading: isReading)
        var failure: CommandError?
        let answer = try bytes.withBytes { bytes throws(CommandError) in
            try CommandError.translating {
                try helper.answering(failure: &failure) { helper in try answer(helper, bytes) }
            }
        }
        try answer.showAndExit(for: self, failure: failure)
    }
}

extension CredentialHelper {
    /// Returns the answer; if a source fails, the answer for a missing item, and the reason in `failure`.
    func answering(
        failure: inout CommandError?, _ ask: (CredentialHelper) throws -> HelperAnswer
    ) throws -> HelperAnswer {
        do {
            return try ask(self)
        } catch let error as SecretStoreError where error.isOfSource {
            failure = CommandError(error)
        }
        return try ask(CredentialHelper(items: NoItems()))
    }
}

extension HelperAnswer {
    /// Prints the answer and the messages for people, and ends this process.
    ///
    /// - Parameter failure: why a source gave no answer.
    // This consumes the answer and never returns. Otherwise Swift would destroy the optional parts, and look up their
    // types at run time for that.
    consuming func showAndExit(for call: HelperCall, failure: CommandError? = nil) throws -> Never {
        try output.withBytes { bytes throws(CommandError) in try Console.write(bytes) }
        if let failure { Console.report(failure) } else if let missing { Console.report(try call.missing(missing)) }
        if let message {
            let text = CommandError(exitCode: .internalError, message: message, hint: nil)
            if exitCode == 0 { Console.warn(text) } else { Console.report(text) }
        }
        exit(exitCode)
    }
}
