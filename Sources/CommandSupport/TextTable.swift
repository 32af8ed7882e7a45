/// A table with a heading, whose columns line up.
package struct TextTable {
    package struct Column {
        let title: String
        let isNumber: Bool
        /// If the table is too wide, the columns of the lowest rank are left out first.
        let rank: Int

        package init(_ title: String, isNumber: Bool = true, rank: Int = 0) {
            self.title = title
            self.isNumber = isNumber
            self.rank = rank
        }
    }

    private let columns: [Column]
    package var rows: [[String]]

    package init(columns: [Column], rows: [[String]] = []) {
        self.columns = columns
        self.rows = rows
    }

    /// - Parameter width: how many columns of text there are; `nil` for as many as wanted.
    package func text(width: Int? = nil) -> String {
        let widths = columns.indices.map { column in
            max(columns[column].title.count, rows.map { DisplayWidth.of($0[column]) }.max() ?? 0)
        }
        var shown = Array(columns.indices)
        while let width, shown.reduce(-2, { $0 + widths[$1] + 2 }) > width,
            let least = shown.indices.min(by: { columns[shown[$0]].rank < columns[shown[$1]].rank }), shown.count > 1
        {
            shown.remove(at: least)
        }
        return ([columns.map(\.title)] + rows).map { row in
            var line = shown.map { column in
                let padding = String(repeating: " ", count: widths[column] - DisplayWidth.of(row[column]))
                return columns[column].isNumber ? padding + row[column] : row[column] + padding
            }.joined(separator: "  ")
            while line.last == " " { line.removeLast() }
            return line + "\n"
        }.joined()
    }
}
