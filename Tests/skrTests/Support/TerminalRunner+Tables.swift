import Testing

extension TerminalRunner {
    /// Shows a table with one row on terminals of these widths, with a new home.
    ///
    /// Returns the first table, and the headings of all others with single spaces.
    func tables(
        _ command: String, widths: [Int], after preparation: String, environment: [String: String] = [:],
        at location: SourceLocation = #_sourceLocation
    ) throws -> [String] {
        let shown = try runQuietly(
            #"""
            export HOME=$(mktemp -d); \#(preparation)
            for width in \#(widths.map(\.description).joined(separator: " ")); do stty cols $width; \#(command); done; rm -r $HOME
            """#, environment: environment)
        let lines = shown.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == 2 * widths.count + 1, "\(shown)", sourceLocation: location)
        return [lines.prefix(2).joined(separator: "\n")]
            + stride(from: 2, to: lines.count - 1, by: 2).map { lines[$0].split(separator: " ").joined(separator: " ") }
    }
}
