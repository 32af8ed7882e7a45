import CommandSupport
import Glibc
import StressSuite

/// The progress of a run, as one line.
struct ProgressLine {
    /// A piece of the line.
    ///
    /// If there is little room, the pieces with the lowest rank are left out first.
    private struct Piece {
        let text: String
        let rank: Int
    }

    private static let barWidths = 8...30

    let progress: StressProgress
    let style: TextStyle
    let bar: ProgressBar

    /// The line for a terminal with this many columns.
    func text(width: Int) -> String {
        var pieces = pieces
        let room = { (pieces: [Piece]) in width - pieces.reduce(0) { $0 + $1.text.count + 2 } }
        while room(pieces) < Self.barWidths.lowerBound,
            let least = pieces.indices.min(by: { pieces[$0].rank < pieces[$1].rank }), pieces.count > 1
        {
            pieces.remove(at: least)
        }
        let text = pieces.map(\.text).joined(separator: "  ")
        let left = room(pieces)
        guard left >= Self.barWidths.lowerBound else { return String(text.prefix(max(0, width))) }
        let width = min(left, Self.barWidths.upperBound)
        return bar.text(progress.fraction, width: width, style: style) + "  " + text
    }

    /// The line for a file.
    var plainText: String { pieces.map(\.text).joined(separator: "  ") }

    private var pieces: [Piece] {
        let percent = "\(Figures.percent(progress.fraction, of: 1))%"
        let start = Piece(text: String(repeating: " ", count: max(0, 4 - percent.count)) + percent, rank: 9)
        switch progress.phase {
        case .running: return [start] + figures
        case .checking: return [start, Piece(text: "checking", rank: 8), calls]
        case .scaling(let number, let count):
            return [start, Piece(text: "scaling \(number) of \(count)", rank: 8)] + figures
        }
    }

    private var calls: Piece { Piece(text: "\(Figures.count(progress.operations)) calls", rank: 2) }

    private var figures: [Piece] {
        var pieces = [
            Piece(text: Figures.duration(progress.seconds), rank: 4),
            Piece(text: "\(Figures.short(progress.rate))/s", rank: 7),
            Piece(text: "p50 \(Figures.time(progress.p50))", rank: 5),
            Piece(text: "p99 \(Figures.time(progress.p99))", rank: 5),
            Piece(text: "errors \(Figures.short(Double(progress.errors)))", rank: 6),
        ]
        if progress.kills > 0 { pieces.append(Piece(text: "kills \(progress.kills)", rank: 5)) }
        pieces.append(Piece(text: "quota \(progress.quotaPercent)%", rank: 3))
        return pieces
    }
}

/// A bar that fills from the left.
enum ProgressBar {
    case ascii, blocks

    /// The bar that suits the terminal's character set.
    static var wanted: ProgressBar {
        let names = ["LC_ALL", "LC_CTYPE", "LANG"]
        let locale = names.lazy.compactMap { name in unsafe getenv(name).map { unsafe String(cString: $0) } }
            .first { !$0.isEmpty }
        let text = (locale ?? "").uppercased()
        return text.contains("UTF-8") || text.contains("UTF8") ? .blocks : .ascii
    }

    func text(_ fraction: Double, width: Int, style: TextStyle) -> String {
        let share = fraction.isFinite ? min(max(fraction, 0), 1) : 0
        let room = self == .ascii ? width - 2 : width
        let count = Int((share * Double(room)).rounded(.down))
        let full = style.paint(String(repeating: self == .ascii ? "#" : "━", count: count), .green)
        let rest = String(repeating: self == .ascii ? "." : "┄", count: room - count)
        return self == .ascii ? "[\(full)\(rest)]" : full + rest
    }
}
