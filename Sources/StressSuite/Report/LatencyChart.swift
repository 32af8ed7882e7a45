import Keyutils

/// A histogram of the latencies of one kind of call, on a logarithmic scale, with percentiles.
struct LatencyChart {
    private static let across = 34.0...350.0
    private static let down = 66.0...208.0

    let kind: CallKind
    let latency: LatencySummary
    /// The range of the time axis, which is the same for all kinds so that they can be compared.
    let range: ClosedRange<Double>

    /// The range from the fastest to the slowest call of all kinds.
    static func range(of operations: [OperationFigures]) -> ClosedRange<Double> {
        let bars = operations.flatMap(\.latency.bars).filter { $0.count > 0 }
        let least = max(1, Double(bars.map(\.from).min() ?? 100))
        let most = max(Double(bars.map(\.to).max() ?? 0), least)
        // The range covers at least one power of ten, so that the axis has a tick.
        return least...max(most, least * 10)
    }

    var markup: Markup {
        let time = Scale.logarithmic(from: range.lowerBound, to: range.upperBound, in: Self.across) { nanoseconds in
            Self.time(UInt64(nanoseconds)).replacing(".0 ", with: " ")
        }
        let most = Double(latency.bars.map(\.count).max() ?? 1)
        // The axis begins below one, so that a single call is visible.
        let count = Scale.logarithmic(
            from: 0.5, to: max(most, 10), in: Self.down, isReversed: true, every: most > 1e6 ? 2 : 1,
            label: Figures.short)
        let bottom = Self.down.upperBound
        var drawing = Drawing(width: 360, height: 236)
        drawing.horizontals(count, across: Self.across)
        drawing.timeAxis(time, across: Self.across, at: bottom)
        for bar in latency.bars where bar.count > 0 {
            let (start, end) = (time(Double(bar.from)), time(Double(bar.to)))
            let y = count(Double(bar.count))
            let tip = "\(Self.time(bar.from)) to \(Self.time(bar.to)): \(Figures.count(bar.count)) calls"
            drawing.rectangle("bar", x: start, y: y, width: max(1, end - start - 0.8), height: bottom - y, tip: tip)
        }
        drawPercentiles(in: &drawing, time: time)
        return drawing.markup(title: "Latency of \(kind.rawValue)", description: description)
    }

    private var percentiles: [(text: String, value: UInt64)] {
        [("p50", latency.p50), ("p90", latency.p90), ("p99", latency.p99), ("p99.9", latency.p999)]
            .map { name, value in ("\(name) \(Self.time(value))", value) }
    }

    private func drawPercentiles(in drawing: inout Drawing, time: Scale) {
        let places = percentiles.enumerated().map { row, percentile in
            (text: percentile.text, x: time(Double(percentile.value)), y: 12 + Double(row) * 15)
        }
        for place in places { drawing.line("mark", from: (place.x, place.y - 9), to: (place.x, Self.down.upperBound)) }
        // The labels come last, because each of them covers the lines that cross it.
        for place in places {
            let isRight = place.x > Self.across.upperBound - 100
            drawing.text(
                "value", place.text, at: (place.x + (isRight ? -5 : 5), place.y), anchor: isRight ? .end : .start)
        }
    }

    private var description: String {
        let values = percentiles.map(\.text).joined(separator: ", ")
        return "\(Figures.count(latency.count)) calls: \(values), at most \(Self.time(latency.most))."
    }

    private static func time(_ nanoseconds: UInt64) -> String { Figures.time(nanoseconds, micro: "µs") }
}
