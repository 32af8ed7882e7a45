import CommandSupport
import Foundation
import StressSuite

/// The places that the result goes to.
struct StressOutputs {
    private let json: OutputFile?
    private let report: OutputFile?

    /// Opens the outputs.
    ///
    /// - Throws: an error if one of them can't be written.
    init(_ options: StressOptions) throws(CommandError) {
        if options.json == "-", options.report == "-" {
            throw .usage("--json and --report can't both go to standard output", hint: "give one of them a file name")
        }
        json = try options.json.map { name throws(CommandError) in try OutputFile(name) }
        report = try options.report.map { name throws(CommandError) in try OutputFile(name) }
    }

    /// Whether the table goes to standard output.
    var showsTable: Bool { json?.isStandardOutput != true && report?.isStandardOutput != true }

    /// Writes both files, and returns the errors of those that could not be written.
    func write(_ result: StressResult) -> [CommandError] {
        var failures: [CommandError] = []
        do throws(CommandError) {
            try json?.write(StressDocument(result: result).text())
        } catch {
            failures.append(error)
        }
        do throws(CommandError) {
            try report?.write(ReportPage(result).text)
        } catch {
            failures.append(error)
        }
        return failures
    }
}

/// The result as JSON, for programs.
///
/// Scripts rely on the names; `skr-stress --help` documents them.
struct StressDocument: Encodable {
    private enum Key: CodingKey {
        case isClean, command
    }

    let result: StressResult

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
