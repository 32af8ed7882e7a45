/// How long the calls of one kind took: a histogram on a logarithmic scale, with percentiles.
struct LatencyChart {
    private static let width = 360.0
    private static let height = 236.0
    private static let left = 34.0
    private static let right = 350.0
    private static let top = 66.0
    private static let bottom = 208.0

    let kind: CallKind
    let latency: LatencySummary
    /// What the axes of all kinds have in common, so that they can be compared.
    let range: ClosedRange<Double>

    /// From the fastest call of all kinds to the slowest one.
    static func range(of operations: [OperationFigures]) -> ClosedRange<Double> {
        let bars = operations.flatMap(\.latency.bars).filter { $0.count > 0 }
        let least = max(1, Double(bars.map(\.from).min() ?? 100))
        let most = max(Double(bars.map(\.to).max() ?? 0), least)
        // At least one power of ten, so that there is a mark on the axis.
        return least...max(most, least * 10)
    }

    var markup: Markup {
        let time = Scale.logarithmic(
            from: range.lowerBound, to: range.upperBound, in: Self.left...Self.right, label: Self.time)
        let most = Double(latency.bars.map(\.count).max() ?? 1)
        let decades = most > 1e6 ? 2 : 1
        // From below one, so that a single call can be seen.
        let count = Scale.logarithmic(
            from: 0.5, to: max(most, 10), in: Self.top...Self.bottom, isReversed: true, every: decades,
            label: Figures.short)
        var drawing = Drawing(width: Self.width, height: Self.height)
        drawAxes(in: &drawing, time: time, count: count)
        for bar in latency.bars where bar.count > 0 {
            let (start, end) = (time(Double(bar.from)), time(Double(bar.to)))
            let y = count(Double(bar.count))
            drawing.rectangle(
                "bar", x: start, y: y, width: max(1, end - start - 0.8), height: Self.bottom - y, tip: Self.tip(of: bar)
            )
        }
        drawPercentiles(in: &drawing, time: time)
        return drawing.markup(title: "Latency of \(kind.rawValue)", description: description)
    }

    private func drawAxes(in drawing: inout Drawing, time: Scale, count: Scale) {
        for tick in count.ticks {
            let y = count(tick.value)
            drawing.line("grid", from: (Self.left, y), to: (Self.right, y))
            drawing.text("label", tick.label, at: (Self.left - 5, y + 4), anchor: .end)
        }
        drawing.line("axis", from: (Self.left, Self.bottom), to: (Self.right, Self.bottom))
        for tick in time.ticks {
            let x = time(tick.value)
            drawing.line("axis", from: (x, Self.bottom), to: (x, Self.bottom + 4))
            let anchor: Drawing.Anchor = x > Self.right - 16 ? .end : x < Self.left + 16 ? .start : .middle
            drawing.text("label", tick.label, at: (x, Self.bottom + 18), anchor: anchor)
        }
    }

    private var percentiles: [(name: String, value: UInt64)] {
        [("p50", latency.p50), ("p90", latency.p90), ("p99", latency.p99), ("p99.9", latency.p999)]
    }

    private func drawPercentiles(in drawing: inout Drawing, time: Scale) {
        for (row, percentile) in percentiles.enumerated() {
            let x = time(Double(percentile.value))
            let y = 12 + Double(row) * 15
            drawing.line("mark", from: (x, y - 9), to: (x, Self.bottom))
            let isRight = x > Self.right - 100
            let text = "\(percentile.name) \(Figures.time(percentile.value, micro: "µs"))"
            drawing.text(
                "value", text, at: (x + (isRight ? -5 : 5), y), anchor: isRight ? .end : .start)
        }
    }

    private var description: String {
        let marks = percentiles.map { "\($0.name) \(Figures.time($0.value, micro: "µs"))" }.joined(separator: ", ")
        return "\(Figures.count(latency.count)) calls: \(marks), at most \(Figures.time(latency.most, micro: "µs"))."
    }

    private static func time(_ nanoseconds: Double) -> String {
        Figures.time(UInt64(nanoseconds), micro: "µs").replacing(".0 ", with: " ")
    }

    private static func tip(of bar: LatencySummary.Bar) -> String {
        let (from, to) = (Figures.time(bar.from, micro: "µs"), Figures.time(bar.to, micro: "µs"))
        return "\(from) to \(to): \(Figures.count(bar.count)) calls"
    }
}
