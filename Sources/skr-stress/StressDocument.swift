import CommandSupport
import Foundation
import StressSuite

/// The result for programs.
///
/// The names are a promise to scripts; `skr-stress --help` tells them.
struct StressDocument: Encodable {
    private enum Key: CodingKey {
        case isClean, command
    }

    let result: StressResult

    init(_ result: StressResult) {
        self.result = result
    }

    func encode(to encoder: any Encoder) throws {
        try result.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(result.isClean, forKey: .isClean)
        try container.encode(result.plan.commandLine, forKey: .command)
    }

    func text() throws(CommandError) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        do {
            return String(decoding: try encoder.encode(self), as: UTF8.self) + "\n"
        } catch {
            throw CommandError(
                exitCode: .internalError, message: "the result can't be written as JSON: \(error)", hint: nil)
        }
    }
}
