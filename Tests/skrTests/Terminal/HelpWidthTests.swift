import Foundation
import TestSupport
import Testing

@Suite("Help follows the terminal's width", .tags(.anyUser))
struct HelpWidthTests {
    private static let widths = [40, 80, 200]

    /// Returns all help texts, each with the command that shows it.
    private func helps(_ environment: [String: String], in run: (String, [String: String]) throws -> String) throws
        -> [(command: String, text: String)]
    {
        let verbs = try CommandRunner().candidates([""])
        let commands =
            ["skr help", "skr --help", "skr-secrets --help", "skr-stress --help"]
            + verbs.map { "skr help \($0)" } + ["skr get -h"]
        let mark = "-- next --"
        let script = (["true"] + commands).map { "\($0) || echo FAILED; echo '\(mark)'" }.joined(separator: "\n")
        let texts = try run(script, environment).split(separator: "\(mark)\n", omittingEmptySubsequences: false)
        #expect(texts.count == commands.count + 2 && commands.count > 14)
        #expect(!texts.contains { $0.contains("FAILED") })
        return zip(commands, texts.dropFirst()).map { ($0, String($1)) }
    }

    private func pipe(_ script: String, _ environment: [String: String]) throws -> String {
        try CommandRunner().shell(script, environment: environment).output
    }

    /// Returns the lines that are too wide, except for lines of a single word.
    private func tooWide(_ text: String, _ width: Int) -> [Substring] {
        text.split(separator: "\n").filter { line in
            guard line.count > width else { return false }
            let body = line.drop { $0 == " " }
            let words = body.hasSuffix(" \\") ? body.dropLast(2) : body
            return words.contains(" ")
        }
    }

    @Test("no line of a verb's help is wider than COLUMNS", arguments: widths)
    func columns(width: Int) throws {
        for (command, text) in try helps(["COLUMNS": "\(width)"], in: pipe) {
            #expect(tooWide(text, width) == [], "\(command)")
            let isOverview = ["skr help", "skr --help", "skr help help"].contains(command)
            #expect(text.contains("USAGE: ") && text.contains("EXAMPLES:\n  ") || isOverview, "\(command)")
        }
    }

    @Test("the help of skr itself fits a terminal of 24 lines with the next prompt, and has every verb")
    func overview() throws {
        let commands = ["skr", "skr help", "skr --help", "skr -h"]
        let texts = try commands.map { try pipe($0, ["COLUMNS": "80"]) }
        #expect(Set(texts).count == 1)
        #expect(texts[0].split(separator: "\n", omittingEmptySubsequences: false).count <= 24, "\(texts[0])")
        let verbs = try CommandRunner().candidates([""]).filter { $0 != "help" }
        let labels = texts[0].split(separator: "\n").filter { $0.hasPrefix("  ") }.flatMap { line in
            line.prefix(18).split { $0 == " " || $0 == "," }
        }
        #expect(verbs.count > 10 && Set(labels) == Set(verbs), "\(texts[0])")
        #expect(texts[0].hasSuffix("more: man skr\n"))
    }

    @Test("no line is wider than the terminal, whatever COLUMNS is", arguments: widths)
    func terminal(width: Int) throws {
        let helps = try helps(["COLUMNS": "300"]) { script, environment in
            try TerminalRunner().run("stty cols \(width)\n\(script)", environment: environment)
        }
        for (command, text) in helps { #expect(tooWide(text, width) == [], "\(command)") }
        #expect(try helps.map(\.text) == self.helps(["COLUMNS": "\(width)"], in: pipe).map(\.text))
    }

    @Test("in a pipe, help has 80 columns unless COLUMNS is a positive number", arguments: ["", "0", "-3", "wide"])
    func usual(columns: String) throws {
        for command in ["skr help set", "skr-secrets --help", "skr-stress --help"] {
            let said = try CommandRunner().shell(command, environment: ["COLUMNS": columns])
            #expect(try said.exitCode == 0 && said.output == pipe(command, ["COLUMNS": "80"]), "\(said)")
        }
    }

    @Test("the words are the same at every width, and a shell reads an example as the same command")
    func same() throws {
        let wide = try helps(["COLUMNS": "1000"], in: pipe)
        let narrow = try helps(["COLUMNS": "40"], in: pipe)
        for (wide, narrow) in zip(wide, narrow) {
            let unbroken = narrow.text.replacing(#/ \\\n +/#, with: " ")
            let words = [wide.text.replacing(#/ \\\n +/#, with: " "), unbroken].map { $0.split { $0.isWhitespace } }
            #expect(words[0] == words[1], "\(wide.command)")
        }
    }
}
