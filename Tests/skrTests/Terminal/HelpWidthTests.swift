import Foundation
import TestSupport
import Testing

@Suite("Help follows the terminal's width", .tags(.anyUser))
struct HelpWidthTests {
    /// Runs commands after each of these settings, and returns each help text with its setting and command.
    private func helps(
        of commands: [String], after settings: [String], by run: (String) throws -> String = Self.inPipe
    ) throws -> [(setting: String, command: String, text: String)] {
        let mark = "-- next --"
        let calls = settings.flatMap { setting in commands.map { (setting, $0) } }
        let script = calls.map { "\($0); \($1) || echo FAILED; echo '\(mark)'" }.joined(separator: "\n")
        let texts = try run("true; echo '\(mark)'\n\(script)").split(
            separator: "\(mark)\n", omittingEmptySubsequences: false)
        #expect(texts.count == calls.count + 2)
        #expect(!texts.contains { $0.contains("FAILED") })
        return zip(calls, texts.dropFirst()).map { ($0.0, $0.1, String($1)) }
    }

    private static func inPipe(_ script: String) throws -> String { try CommandRunner().shell(script).output }
    private static func onTerminal(_ script: String) throws -> String { try TerminalRunner().run(script) }

    /// Returns the commands that show a help text.
    private func allCommands() throws -> [String] {
        let verbs = try CommandRunner().candidates([""])
        #expect(verbs.count > 10)
        return ["skr help", "skr --help", "skr-secrets --help", "skr-stress --help", "skr get -h"]
            + verbs.map { "skr help \($0)" }
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

    @Test("no line is wider than COLUMNS, all widths have the same words, and a shell reads an example the same way")
    func columns() throws {
        let commands = try allCommands()
        let unbroken = try helps(of: commands, after: ["export COLUMNS=1000"])
        for width in [40, 80] {
            for (help, wide) in try zip(helps(of: commands, after: ["export COLUMNS=\(width)"]), unbroken) {
                #expect(tooWide(help.text, width) == [], "\(help.command)")
                let isOverview = ["skr help", "skr --help", "skr help help"].contains(help.command)
                #expect(help.text.contains("USAGE: ") && help.text.contains("EXAMPLES:\n  ") || isOverview, "\(help)")
                #expect(words(of: help.text) == words(of: wide.text), "\(help.command)")
            }
        }
    }

    /// Returns the words of a help text, without the backslashes that join the lines of an example.
    private func words(of text: String) -> [Substring] {
        text.replacing(#/ \\\n +/#, with: " ").split { $0.isWhitespace }
    }

    @Test("the help of skr itself fits a terminal of 24 lines with the next prompt, and has every verb")
    func overview() throws {
        let commands = ["skr", "skr help", "skr --help", "skr -h"]
        let texts = try helps(of: commands, after: ["export COLUMNS=80"]).map(\.text)
        #expect(Set(texts).count == 1)
        #expect(texts[0].split(separator: "\n", omittingEmptySubsequences: false).count <= 24, "\(texts[0])")
        let verbs = try CommandRunner().candidates([""]).filter { $0 != "help" }
        let labels = texts[0].split(separator: "\n").filter { $0.hasPrefix("  ") }.flatMap { line in
            line.prefix(18).split { $0 == " " || $0 == "," }
        }
        #expect(verbs.count > 10 && Set(labels) == Set(verbs), "\(texts[0])")
        #expect(texts[0].hasSuffix("more: man skr\n"))
    }

    @Test("no line is wider than the terminal, whatever COLUMNS is")
    func terminal() throws {
        let commands = ["skr help", "skr help set", "skr get -h", "skr-secrets --help", "skr-stress --help"]
        try check(commands, onTerminalsOf: [40, 200])
    }

    @Test("no line of any help text is wider than the terminal", .tags(.long))
    func terminalForAll() throws {
        try check(allCommands(), onTerminalsOf: [40, 80, 200])
    }

    private func check(_ commands: [String], onTerminalsOf widths: [Int]) throws {
        for width in widths {
            let helps = try helps(
                of: commands, after: ["stty cols \(width); export COLUMNS=300"], by: Self.onTerminal)
            for help in helps { #expect(tooWide(help.text, width) == [], "\(help.command)") }
            let inPipe = try self.helps(of: commands, after: ["export COLUMNS=\(width)"])
            #expect(helps.map(\.text) == inPipe.map(\.text))
        }
    }

    @Test("in a pipe, help has 80 columns unless COLUMNS is a positive number")
    func usual() throws {
        let commands = ["skr help set", "skr-secrets --help", "skr-stress --help"]
        let settings = ["80", "''", "0", "-3", "wide"].map { "export COLUMNS=\($0)" }
        let helps = try helps(of: commands, after: settings)
        for (number, help) in helps.enumerated() {
            #expect(help.text == helps[number % commands.count].text, "\(help.setting): \(help.command)")
        }
    }
}
