/// A table with a heading, whose columns line up.
struct TextTable {
    struct Column {
        let title: String
        let isNumber: Bool
        /// Where there is little room, columns of the lowest rank go first.
        let rank: Int

        init(_ title: String, isNumber: Bool = true, rank: Int) {
            self.title = title
            self.isNumber = isNumber
            self.rank = rank
        }
    }

    let columns: [Column]
    var rows: [[String]] = []

    /// - Parameter width: how many columns of text there are; `nil` for as many as wanted.
    func text(width: Int?) -> String {
        let widths = columns.indices.map { column in
            max(columns[column].title.count, rows.map { $0[column].count }.max() ?? 0)
        }
        var shown = Array(columns.indices)
        while let width, shown.reduce(-2, { $0 + widths[$1] + 2 }) > width,
            let least = shown.indices.min(by: { columns[shown[$0]].rank < columns[shown[$1]].rank }), shown.count > 1
        {
            shown.remove(at: least)
        }
        return ([columns.map(\.title)] + rows).map { row in
            shown.map { column in
                let padding = String(repeating: " ", count: widths[column] - row[column].count)
                return columns[column].isNumber ? padding + row[column] : row[column] + padding
            }.joined(separator: "  ") + "\n"
        }.joined()
    }
}
