import CommandSupport
import Glibc

/// A row of a list.
protocol ListedRow {
    /// The row for programs; scripts rely on the names.
    var json: JSONValue { get }
    /// The columns in a pipe.
    var columns: [String] { get }
    /// The columns on a terminal.
    var tableColumns: [String] { get }
}

extension ListedRow {
    var tableColumns: [String] { columns }
}

/// A list that is shown as JSON, as lines with tabs in a pipe, or as a table on a terminal.
enum Listing {
    /// - Parameters:
    ///   - nothing: the note on a terminal for an empty list.
    ///   - hint: the hint after that note.
    static func show(
        _ rows: [some ListedRow], isJSON: Bool, titles: [TextTable.Column],
        nothing: @autoclosure () throws(CommandError) -> String, hint: String? = nil
    ) throws {
        if isJSON { return try Console.writeLine(JSONOutput.text(of: rows.map(\.json))) }
        guard Console.isOutputTerminal else {
            return try Console.write(rows.map { $0.columns.joined(separator: "\t") + "\n" }.joined())
        }
        guard !rows.isEmpty else { return Console.note(try nothing(), hint: hint) }
        let table = TextTable(columns: titles, rows: rows.map(\.tableColumns))
        try Console.write(table.text(width: TerminalWidth.of(STDOUT_FILENO)))
    }
}
