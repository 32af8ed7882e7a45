import Keyutils

/// A table with a heading and aligned columns.
package struct TextTable {
    package struct Column {
        let title: String
        let isNumber: Bool
        /// If the table is too wide, columns of the lowest rank are left out first.
        let rank: Int
        /// Whether its texts can be shortened before a column is left out.
        let isName: Bool

        package init(_ title: String, isNumber: Bool = true, rank: Int = 0, isName: Bool = false) {
            self.title = title
            self.isNumber = isNumber
            self.rank = rank
            self.isName = isName
        }
    }

    private let columns: [Column]
    package var rows: [[String]]

    package init(columns: [Column], rows: [[String]] = []) {
        self.columns = columns
        self.rows = rows
    }

    /// Formats the table.
    ///
    /// - Parameter width: the available columns of text; `nil` for no limit.
    package func text(width: Int? = nil) -> String {
        let shown = shownColumns(width: width)
        return ([columns.map(\.title)] + rows).map { row in
            var line = shown.map { column, width in
                let text = DisplayWidth.shorten(row[column], to: width)
                let padding = String(repeating: " ", count: width - DisplayWidth.of(text))
                return columns[column].isNumber ? padding + text : text + padding
            }.joined(separator: "  ")
            while line.last == " " { line.removeLast() }
            return line + "\n"
        }.joined()
    }

    /// Returns the columns that fit, and the width of each.
    private func shownColumns(width: Int?) -> [(column: Int, width: Int)] {
        var shown = columns.indices.map { column in
            let texts = rows.map { DisplayWidth.of($0[column]) }.max() ?? 0
            return (column: column, width: max(columns[column].title.count, texts))
        }
        guard let width else { return shown }
        func least(_ shown: (column: Int, width: Int)) -> Int {
            columns[shown.column].isName ? min(shown.width, max(columns[shown.column].title.count, 8)) : shown.width
        }
        while shown.count > 1, shown.reduce(-2, { $0 + least($1) + 2 }) > width,
            let last = shown.indices.min(by: { columns[shown[$0].column].rank < columns[shown[$1].column].rank })
        {
            shown.remove(at: last)
        }
        var excess = shown.reduce(-2) { $0 + $1.width + 2 } - width
        while excess > 0,
            let widest = shown.indices.filter({ shown[$0].width > least(shown[$0]) })
                .max(by: { shown[$0].width < shown[$1].width })
        {
            shown[widest].width -= 1
            excess -= 1
        }
        // The only remaining column can still be too wide.
        if excess > 0, shown.count == 1, columns[shown[0].column].isName { shown[0].width = width }
        return shown
    }
}
