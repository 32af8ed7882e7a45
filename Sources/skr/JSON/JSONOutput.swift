import CommandSupport
import FoundationEssentials

/// What is written for programs, who may show it on a terminal.
enum JSONOutput {
    static func text(of value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return Display.plainJSON(String(decoding: try encoder.encode(value), as: UTF8.self))
    }
}
