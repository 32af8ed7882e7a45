/// Calls a second over time, with lanes for errors and killed processes.
struct ThroughputChart {
    private static let laneHeight = 26.0
    private static let laneGap = 22.0

    private let series: ThroughputSeries
    private let width: Double
    private let height: Double
    private let isNarrow: Bool
    private let across: ClosedRange<Double>

    init(_ result: StressResult, width: Double, height: Double) {
        isNarrow = width < 600
        series = ThroughputSeries(result.throughput, seconds: result.seconds, most: isNarrow ? 150 : 400)
        self.width = width
        self.height = height
        across = 46...(width - 10)
    }

    var markup: Markup {
        let bottom = height - 26 - Double(lanes.count) * (Self.laneHeight + Self.laneGap)
        let rate = Scale.linear(
            upTo: series.slices.map(\.rate).max() ?? 0, in: 14...bottom, isReversed: true, leastStep: 1,
            label: Figures.short)
        let time = Scale.linear(
            upTo: series.end, in: across, steps: isNarrow ? 4 : 8, endsRound: false, label: Self.seconds)
        var drawing = Drawing(width: width, height: height)
        drawing.horizontals(rate, across: across)
        drawing.timeAxis(time, across: across, at: bottom)
        drawRate(in: &drawing, time: time, rate: rate, bottom: bottom)
        for (number, lane) in lanes.enumerated() {
            let base = bottom + 26 + Double(number + 1) * (Self.laneHeight + Self.laneGap) - 6
            draw(lane, in: &drawing, time: time, base: base)
        }
        return drawing.markup(
            title: "Throughput over time", description: description, class: isNarrow ? "narrow" : "wide")
    }

    private func drawRate(in drawing: inout Drawing, time: Scale, rate: Scale, bottom: Double) {
        let points = series.slices.map { (x: time(($0.from + $0.to) / 2), y: rate($0.rate)) }
        drawing.area("area", below: points, downTo: bottom)
        drawing.path("series", through: points)
        if let only = points.first, points.count == 1 { drawing.circle("dot", at: only) }
        guard !isNarrow else { return }
        for slice in series.slices {
            drawing.rectangle(
                "hover", x: time(slice.from), y: 14, width: time(slice.to) - time(slice.from), height: bottom - 14,
                tip: Self.tip(of: slice))
        }
    }
}

extension ThroughputChart {
    private struct Lane {
        let label: String
        let style: String
        let values: [Double]
    }

    private var lanes: [Lane] {
        let errors = series.slices.map(\.errorRate)
        let kills = series.slices.map(\.kills)
        var lanes: [Lane] = []
        if let most = errors.max(), most > 0 {
            lanes.append(Lane(label: "errors, at most \(Figures.rate(most)) a second", style: "error", values: errors))
        }
        let total = kills.reduce(0, +)
        if total > 0 {
            let label = "processes killed, \(Figures.count(total)) in all"
            lanes.append(Lane(label: label, style: "kill", values: kills.map(Double.init)))
        }
        return lanes
    }

    private func draw(_ lane: Lane, in drawing: inout Drawing, time: Scale, base: Double) {
        drawing.text("label", lane.label, at: (across.lowerBound, base - Self.laneHeight - 4))
        drawing.line("axis", from: (across.lowerBound, base), to: (across.upperBound, base))
        let most = lane.values.max() ?? 1
        for (slice, value) in zip(series.slices, lane.values) where value > 0 {
            let height = max(2, value / most * (Self.laneHeight - 2))
            let width = max(2, time(slice.to) - time(slice.from) - 0.5)
            drawing.rectangle(
                lane.style, x: time(slice.from), y: base - height, width: width, height: height,
                tip: Self.tip(of: slice))
        }
    }

    private var description: String {
        let rates = series.slices.map(\.rate)
        guard let least = rates.min(), let most = rates.max() else { return "Nothing was measured." }
        let notes = lanes.map { "; \($0.label)" }.joined()
        return "Over \(Figures.duration(series.end)), from \(Figures.rate(least)) to \(Figures.rate(most)) calls a "
            + "second\(notes)."
    }

    private static func tip(of slice: ThroughputSeries.Slice) -> String {
        var text = "\(Figures.fixed(slice.from, decimals: 1)) s: \(Figures.rate(slice.rate)) calls a second"
        if slice.errorRate > 0 { text += ", \(Figures.rate(slice.errorRate)) errors a second" }
        if slice.kills > 0 { text += ", \(slice.kills) killed" }
        return text
    }

    private static func seconds(_ value: Double) -> String {
        if value >= 120 {
            return "\(Figures.fixed(value / 60, decimals: value.truncatingRemainder(dividingBy: 60) == 0 ? 0 : 1)) min"
        }
        let isWhole = abs(value - value.rounded()) < 1e-9
        return "\(Figures.fixed(value, decimals: isWhole ? 0 : value < 0.1 ? 3 : 1)) s"
    }
}

/// The throughput in no more slices than a drawing has room for.
struct ThroughputSeries {
    struct Slice {
        var from: Double
        var to: Double
        var rate: Double
        var errorRate: Double
        var kills: Int
    }

    private(set) var slices: [Slice]
    /// When the last slice ends, in seconds.
    let end: Double

    init(_ points: [ThroughputPoint], seconds: Double, most: Int) {
        var points = points.filter { $0.second.isFinite && $0.rate.isFinite && $0.errorRate.isFinite }
        let width = points.count > 1 ? points[1].second - points[0].second : 1e-3
        let wholeEnd = (points.last?.second ?? 0) + width
        // The run ends within its last slice, in which all calls in flight return, so that its rate would mislead.
        let partial = points.count > 1 && seconds < wholeEnd - width / 100 ? points.removeLast() : nil
        end = partial?.second ?? max(seconds.isFinite ? seconds : 0, wholeEnd)
        let group = max(1, (points.count + most - 1) / max(1, most))
        let end = self.end
        slices = stride(from: 0, to: points.count, by: group).map { start in
            let part = points[start..<min(start + group, points.count)]
            let next = part.endIndex < points.count ? points[part.endIndex].second : end
            let count = Double(part.count)
            return Slice(
                from: part[start].second, to: next, rate: part.reduce(0) { $0 + $1.rate } / count,
                errorRate: part.reduce(0) { $0 + $1.errorRate } / count, kills: part.reduce(0) { $0 + $1.kills })
        }
        if let partial { slices[slices.count - 1].kills += partial.kills }
    }
}
