/// The throughput with a growing number of threads or processes.
struct ScalingChart {
    private typealias Point = (workers: Int, rate: Double)

    private static let across = 46.0...346.0
    private static let down = 24.0...190.0

    private let title: String
    private let points: [Point]
    private let processors: Int

    /// Uses the points where only the threads, or only the processes, differ; `nil` without such points.
    init?(title: String, points: [ScalingPoint], processors: Int, workers: (ScalingPoint) -> Int) {
        self.title = title
        self.processors = max(1, processors)
        self.points = points.filter { $0.rate.isFinite && $0.threads * $0.processes == workers($0) }
            .map { (workers($0), $0.rate) }.sorted { $0.workers < $1.workers }
        if self.points.isEmpty { return nil }
    }

    var card: Markup { "<div class='card'><h3>\(title.capitalized)</h3>\(markup)</div>\n" }

    private var markup: Markup {
        let ideal = ideal
        let rate = Scale.linear(
            upTo: (points + ideal).map(\.rate).max() ?? 0, in: Self.down, isReversed: true, leastStep: 1,
            label: Figures.short)
        // Each step doubles the number of workers, so the points are evenly spaced on a logarithmic scale.
        let workers = Scale.logarithmic(
            from: Double(points.first?.workers ?? 1) * 0.8, to: Double(points.last?.workers ?? 8) * 1.25,
            in: Self.across, label: { _ in "" })
        let place = { (point: Point) in (x: workers(Double(point.workers)), y: rate(point.rate)) }
        var drawing = Drawing(width: 360, height: 236)
        drawing.horizontals(rate, across: Self.across)
        drawing.path("ideal", through: ideal.map(place))
        drawing.path("series", through: points.map(place))
        let bottom = Self.down.upperBound
        for point in points {
            let (x, y) = place(point)
            drawing.circle("dot", at: (x, y), tip: "\(point.workers): \(Figures.rate(point.rate)) a second")
            drawing.text("value", Figures.short(point.rate), at: (x, y + 20), anchor: .middle)
            drawing.text("label", "\(point.workers)", at: (x, bottom + 18), anchor: .middle)
        }
        if let last = ideal.last {
            let end = place(last)
            drawing.text("series-label", "if nothing were shared", at: (end.x, end.y - 7), anchor: .end)
        }
        let middle = (Self.across.lowerBound + Self.across.upperBound) / 2
        drawing.text("label", title, at: (middle, bottom + 36), anchor: .middle)
        return drawing.markup(title: "Scaling with \(title)", description: description)
    }

    /// The throughput if each worker added as much as the first one, up to one worker for each processor.
    private var ideal: [Point] {
        guard let first = points.first, first.workers == 1 else { return [] }
        return points.map { ($0.workers, first.rate * Double(min($0.workers, processors))) }
    }

    private var description: String {
        let values = points.map { "\($0.workers): \(Figures.rate($0.rate))" }.joined(separator: ", ")
        return "Calls a second by number of \(title): \(values). The dashed line shows what "
            + "\(Figures.plural(processors, "processor")) would reach if nothing were shared."
    }
}
