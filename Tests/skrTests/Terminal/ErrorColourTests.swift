import Testing

@Suite("Errors on a terminal")
struct ErrorColourTests {
    private static let error = "\u{1B}[31merror:\u{1B}[0m"
    private static let hint = "\u{1B}[32mhint:\u{1B}[0m"

    @Test(
        "only the words 'error:' and 'hint:' have colours, for each command",
        arguments: [("skr xyzzy", "skr"), ("skr-secrets --xyzzy", "skr-secrets"), ("skr-stress --xyzzy", "skr-stress")])
    func coloured(command: String, name: String) throws {
        let shown = try TerminalRunner().runQuietly(command, environment: ["TERM": "xterm", "NO_COLOR": ""])
        let lines = shown.split(separator: "\n")
        #expect(lines.count == 2, "\(shown)")
        #expect(lines.first?.hasPrefix("\(name): \(Self.error) ") == true, "\(shown)")
        #expect(lines.last?.hasPrefix("\(name): \(Self.hint) ") == true, "\(shown)")
        #expect(shown.count { $0 == "\u{1B}" } == 4)
    }

    @Test(
        "the words are plain with NO_COLOR, on a dumb terminal, or if standard error is not a terminal",
        arguments: [
            ("skr xyzzy", "xterm", "1"), ("skr xyzzy", "dumb", ""), ("skr xyzzy 2>&1 | cat", "xterm", ""),
        ])
    func plain(command: String, terminal: String, noColour: String) throws {
        let shown = try TerminalRunner().runQuietly(command, environment: ["TERM": terminal, "NO_COLOR": noColour])
        #expect(shown == "skr: error: no such verb: xyzzy\nskr: hint: 'skr help' lists the verbs\n")
    }
}
